/* SPDX-License-Identifier: MIT */
/* Kernel traces that another tool has recorded: LTTng's (CTF, read by libbabeltrace2)
 * and trace-cmd's (trace.dat, its events described to libtraceevent). Their events
 * are handed out one after another, each CPU's in the order of time; import.h
 * makes a part of a session of them. One thread.
 *
 *	const struct external_sink sink = { begin, event, user };
 *	status = external_read("trace.dat", &options, &sink, &error);
 */
#ifndef TANDEM_TRACE_EXTERNAL_TRACE_H
#define TANDEM_TRACE_EXTERNAL_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

enum external_kind {
	EXTERNAL_SWITCH,     /* tid (prev), name, state; other_tid (next), other_name */
	EXTERNAL_WAKING,     /* tid, cpu_to */
	EXTERNAL_WAKEUP,     /* tid, cpu_to */
	EXTERNAL_WAKEUP_NEW, /* tid, cpu_to */
	EXTERNAL_MIGRATE,    /* tid, cpu_from, cpu_to */
	EXTERNAL_FORK,	     /* tid (child), pid, name; other_tid (parent) */
	EXTERNAL_EXIT,	     /* tid */
	EXTERNAL_TASK,	     /* tid, pid, name: who it is */
	EXTERNAL_ENTRY,	     /* tid or 0: who runs on the CPU; name: of the system call */
	EXTERNAL_LEAVE,	     /* same, value */
	EXTERNAL_DRIVER,     /* a GPU driver's: tid, format, data */
	EXTERNAL_LOST,	     /* value: so many events of this CPU before this one */
};

/* What a thread's state was when it gave up the CPU, enum tandem_task_state. */
struct external_event {
	enum external_kind kind;
	uint32_t cpu;
	uint64_t ns;		      /* by the trace's clock */
	uint32_t tid, other_tid, pid; /* 0: not known; a CPU's idle thread */
	uint8_t state, prio, other_prio;
	uint32_t cpu_from, cpu_to;
	const char *name, *other_name; /* borrowed; NULL: not known */
	int64_t value;
	const struct external_format *format;
	const uint8_t *data;
	uint32_t bytes;
};

struct external_format { /* of a driver's tracepoint; lives as long as the reading */
	uint32_t id;
	const char *system, *name, *text;
};

struct external_description {
	const char *tool;    /* "LTTng", "trace-cmd" */
	const char *host;    /* "": not told, as all of these */
	const char *release; /* of the kernel */
	const char *boot_id;
	const char *clock; /* "monotonic", or as the tool calls it */
};

struct external_sink {
	/* Called first. Not 0: the trace is not wanted, and reading ends with it. */
	int (*begin)(void *user, const struct external_description *description);
	/* Not 0: reading ends with it. */
	int (*event)(void *user, const struct external_event *event);
	/* Called now and then, also where no event is wanted: the reading goes on.
	 * NULL: nobody asks. */
	void (*alive)(void);
	void *user;
};

/* Reads the trace at `path`: a file of trace-cmd, or a folder in which LTTng's
 * kernel traces lie at any depth. `module` is the file that holds the reader of
 * CTF (NULL: there is none); it is used in a child, which libbabeltrace2 may end, and
 * which ends itself when that comes no further. Returns 0, -ENOTSUP (not built in),
 * another -errno of its own, or what the sink returned. */
int external_read(const char *path, const char *module, const struct external_sink *sink,
		  struct error *error);

/* What kernels older than the bits of their `print fmt` say: enum tandem_task_state
 * of the number that sched_switch has as prev_state. */
uint8_t external_task_state(int64_t prev_state);

/* The reader of trace-cmd's files; `text` holds the whole file. */
int external_dat_read(const char *path, const struct external_sink *sink, struct error *error);

/* What a module that reads CTF exports under this name. `why` gets words on error. */
#define EXTERNAL_CTF_SYMBOL "tandem_external_ctf_read"
typedef int external_ctf_fn(const char *path, const struct external_sink *sink, char *why,
			    uint64_t why_bytes);

#endif
