/* SPDX-License-Identifier: MIT */
/* What was run: the contents of session.json, written by `tandem record` when it
 * starts and again when the program has ended. Owned by the session. */
#ifndef TANDEM_TRACE_RUN_H
#define TANDEM_TRACE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "util/arena.h"
#include "util/text.h"

struct trace_run_process { /* that the recording started, whether it recorded or not */
	uint64_t pid, ppid;
	uint64_t lived_ns; /* 0: not known */
	bool exec;	   /* it ran another program than its parent's */
	const char *name;  /* of its first thread */
};

/* Of several hosts in one session, the numbers of processes and threads are moved: by this for
 * each host before. Linux has none above (PID_MAX_LIMIT). */
#define TRACE_HOST_IDS (1u << 22)
#define TRACE_HOSTS_MOST 1000u

/* X(name, words): how a host's clock was joined with the session's, the first host's. */
#define TRACE_HOST_CLOCKS(X)                                                               \
	X(OWN, "its own")				/* it is the session's */          \
	X(SAME_BOOT, "same boot")			/* one kernel's clock */           \
	X(MESSAGES, "messages")				/* fitted, with a bound */         \
	X(TIME_OF_DAY, "time of day")			/* as right as that is */          \
	X(SYNCHRONISED, "synchronised time of day")	/* within what both kernels say */ \
	X(UNSYNCHRONISED, "unsynchronised time of day") /* a kernel says that nobody sets it */

enum trace_host_clock {
#define X(name, words) TRACE_HOST_##name,
	TRACE_HOST_CLOCKS(X) TRACE_HOST_CLOCK_COUNT
#undef X
};

extern const char *const trace_host_clock_words[TRACE_HOST_CLOCK_COUNT];

struct trace_run_host {
	const char *name, *boot_id;
	enum trace_host_clock clock;
	int64_t moved_ns; /* what was added to its times */
	double drift_ppm;
	uint64_t bound_ns;	  /* that they are wrong by at most; see trace_run_host_bound() */
	uint64_t messages;	  /* that say so */
	uint32_t first_cpu, cpus; /* its CPUs' numbers are moved by that; 0: none are known */
};

struct trace_run {
	struct arena arena;
	const char *tandem; /* version that recorded; "" where not known, as all of these */
	const char *schema;
	const char *program;
	const char *command; /* the words of the command line with a blank between */
	const char *host;
	const char *boot_id; /* of the machine: clocks of another boot are other clocks */
	const char *release; /* of its kernel */
	const char *machine; /* what hardware, as uname says: "x86_64" */
	const char *cwd;
	const char *start; /* date and time, RFC 3339 */
	/* A flight recorder's snapshot: of which session, why, and when that was. */
	const char *snapshot_of, *snapshot_reason;
	uint64_t snapshot_at_ns; /* CLOCK_MONOTONIC; 0: not said */
	/* Where LTTng wrote it: the relay that has the trace, and why parts of it may be missing. */
	const char *lttng_relay, *lttng_incomplete;

	uint64_t ticks_hz, start_ticks, start_monotonic_ns, start_realtime_ns;
	bool has_end; /* the program ended and was seen to */
	uint64_t end_ticks, end_monotonic_ns;
	/* Where recording was paused or stopped: for how long it was on, and when it was stopped; 0: it was
	 * on all the time, or that is not said; it was not. */
	uint64_t recorded_ns, stopped_monotonic_ns;
	bool has_exit;
	int64_t exit_code, exit_signal; /* of which one is 0 */
	double record_floor_ns; /* what recording a call costs there at least; 0: not known */
	double page_fault_ns;	/* the first touch of a page of fresh memory; same */
	struct trace_run_process *processes; /* the program first; none where it has no end */
	size_t process_count;
	uint64_t streams;	      /* that had something in them when it ended; 0: not known */
	uint64_t recorder_cpu_ns;     /* what the recorder took of the machine */
	struct trace_run_host *hosts; /* where there are several: all of them, in their order */
	size_t host_count;
};

/* Without any values. */
void trace_run_init(struct trace_run *run);

/* Takes the text of session.json; missing and strange members are left out.
 * Returns 0, -EINVAL (no JSON: *offset is where, `why` what), or -ENOMEM. */
int trace_run_parse(struct trace_run *run, const char *text, size_t bytes, uint64_t *offset,
		    char *why, size_t why_bytes);

/* UINT64_MAX: nobody knows, as of a time of day that nobody sets. */
static inline uint64_t trace_run_host_bound(const struct trace_run_host *host)
{
	return host->clock == TRACE_HOST_TIME_OF_DAY || host->clock == TRACE_HOST_UNSYNCHRONISED
		       ? UINT64_MAX
		       : host->bound_ns;
}

/* The host of a process or thread; NULL: there is one only. */
static inline const struct trace_run_host *trace_run_host(const struct trace_run *run, uint64_t id)
{
	return id / TRACE_HOST_IDS < run->host_count ? &run->hosts[id / TRACE_HOST_IDS] : NULL;
}

/* The host that has this CPU; NULL: there is one only. */
const struct trace_run_host *trace_run_cpu_host(const struct trace_run *run, uint32_t cpu);

/* Adds a word of the command as a shell would take it back. */
void trace_run_add_word(struct text *text, const char *word);

void trace_run_free(struct trace_run *run);

#endif
