/* SPDX-License-Identifier: MIT */
/* An event of another tool's kernel trace, and who takes them: each CPU's in the order of
 * time, one after another. One thread. */
#ifndef TANDEM_TRACE_EXTERNAL_EVENT_H
#define TANDEM_TRACE_EXTERNAL_EVENT_H

#include <stdbool.h>
#include <stdint.h>

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
	EXTERNAL_SENT,	     /* value: what tells this message from others, on either side */
	EXTERNAL_RECEIVED,   /* same */
};

/* What a thread's state was when it gave up the CPU, enum tandem_task_state. */
struct external_event {
	enum external_kind kind;
	uint32_t trace; /* number of the begin() that belongs to it, from 0 */
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
	/* Called of each trace before its events. Not 0: it is not wanted, and reading ends
	 * with it. */
	int (*begin)(void *user, const struct external_description *description);
	/* Not 0: reading ends with it. */
	int (*event)(void *user, const struct external_event *event);
	/* Called now and then, also where no event is wanted: the reading goes on.
	 * NULL: nobody asks. */
	void (*alive)(void);
	void *user;
	bool messages; /* EXTERNAL_SENT and EXTERNAL_RECEIVED are wanted */
};

#endif
