/* SPDX-License-Identifier: MIT */
/* Perf events as the collector opens them (perf_event_open(2)): all stamp with
 * CLOCK_MONOTONIC and give who was running, so that records of any of them can
 * stand in one ring and are read alike. Any thread. */
#ifndef TANDEM_LINUX_PERF_H
#define TANDEM_LINUX_PERF_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

/* Whom an event watches. */
enum perf_who {
	PERF_EVERYBODY, /* on this CPU; takes privileges */
	PERF_CHILDREN,	/* programs that this process starts from now on, with their children */
};

/* Opens a tracepoint on one CPU. `owner` is the event whose ring it writes to,
 * -1: a ring of its own, which also gets the records of tasks' beginnings, ends
 * and names. Returns a descriptor or -errno. */
int perf_open_tracepoint(int id, enum perf_who who, int cpu, int owner);

/* The same for everybody, and the records of tasks with any ring. */
int perf_open_lead(int id, int cpu, int owner);

/* For how long it has been enabled, in ns: stands still once its CPU went off-line,
 * also when that is back, as does whatever else watches everybody there. Interrupts
 * that CPU. Returns 0 or -EIO. */
int perf_lead_enabled(int lead, uint64_t *ns);

/* Page faults of everybody on one CPU: a sample without data for every PERF_FAULTS of them. */
#define PERF_FAULTS 64u
int perf_open_faults(int cpu, int owner);

void perf_disable(int event);

/* Perf's own records of who gets and who gives up this CPU; of the children they
 * may be had without privileges. The machine's first such event takes the kernel
 * some 10 ms. Otherwise as above. */
int perf_open_switches(enum perf_who who, int cpu, int owner);

/* For other events: what all have in common, and opening one that was filled in. */
struct perf_event_attr perf_attributes(uint32_t type, uint64_t config);
int perf_open(struct perf_event_attr *attr, enum perf_who who, int cpu, int owner);

/* What follows the header of a record: in a sample at its start, in every other
 * record at its end (sample_id_all). */
struct perf_who_when {
	uint32_t pid, tid; /* in the namespace of who opened the event; 0 or ~0: not there */
	uint64_t ns;	   /* CLOCK_MONOTONIC */
};

struct perf_sample {
	struct perf_event_header header;
	struct perf_who_when current;
	uint32_t raw_bytes;
	uint8_t raw[]; /* the tracepoint's data */
};

struct perf_task { /* PERF_RECORD_FORK, PERF_RECORD_EXIT */
	struct perf_event_header header;
	uint32_t pid, ppid, tid, ptid;
	uint64_t ns;
	struct perf_who_when current;
};

struct perf_comm { /* PERF_RECORD_COMM; `current` behind the name */
	struct perf_event_header header;
	uint32_t pid, tid;
	char name[];
};

struct perf_switch { /* PERF_RECORD_SWITCH_CPU_WIDE */
	struct perf_event_header header;
	uint32_t other_pid, other_tid; /* who comes next; or who was before */
	struct perf_who_when current;
};

struct perf_lost { /* PERF_RECORD_LOST */
	struct perf_event_header header;
	uint64_t id, count;
	struct perf_who_when current;
};

/* Of page faults: all others have data. */
static inline bool perf_is_faults(const struct perf_event_header *record)
{
	return record->size == sizeof(*record) + sizeof(struct perf_who_when);
}

static inline const struct perf_who_when *perf_current(const struct perf_event_header *record)
{
	const uint8_t *bytes = (const uint8_t *)record;

	return (const struct perf_who_when *)(record->type == PERF_RECORD_SAMPLE
						      ? bytes + sizeof(*record)
						      : bytes + record->size -
								sizeof(struct perf_who_when));
}

#endif
