/* SPDX-License-Identifier: MIT */
/* The threads that the kernel's events are about: their names and processes, which a
 * Perfetto trace tells of (ProcessTree) once they are known, by the numbers that the
 * recorder's namespace has for them, as the tracks of their calls are. One thread.
 *
 *	perfetto_task_session(&tasks);                  before a session's first event
 *	perfetto_task_learn(&tasks, event);             each task and task_new
 *	perfetto_task_tell(&tasks, export, &writer, ns, tid);   before it is written of
 *	perfetto_task_number(&tasks, tid), perfetto_task_name(&tasks, tid)
 *	perfetto_task_free(&tasks);
 */
#ifndef TANDEM_EXPORT_PERFETTO_TASK_H
#define TANDEM_EXPORT_PERFETTO_TASK_H

#include "export/export.h"
#include "export/perfetto/packet.h"

struct perfetto_task { /* a thread, by the kernel's number */
	uint32_t tid, local_tid, pid;
	uint32_t name;	   /* in `names` */
	uint32_t sent_pid; /* what was last told of it */
	uint32_t sent_name;
	bool told;
	bool runs;	      /* was switched to, and not away yet */
	bool blocked;	      /* was switched away from, and waits for something */
	bool woken_early;     /* while it ran still: ... */
	uint32_t woken_flags; /* ... from an interrupt? ... */
	uint32_t woken_by;    /* ... and by whom */
};

enum perfetto_process {			 /* who told of it */
			PERFETTO_TRACED, /* its own track */
			PERFETTO_TOLD,	 /* we, as its first thread was called then */
};

struct perfetto_tasks {
	struct map by_tid; /* -> index */
	struct perfetto_task *items;
	size_t count, capacity;
	struct intern names;
	struct map processes; /* pids -> enum perfetto_process */
	bool namespaced;      /* local numbers are not the kernel's */
};

void perfetto_task_session(struct perfetto_tasks *tasks);

/* Of a record `task` and of a `task_new`. Return 0 or -ENOMEM. */
int perfetto_task_learn(struct perfetto_tasks *tasks, const struct trace_event *event);
int perfetto_task_learn_new(struct perfetto_tasks *tasks, const struct trace_event *event);

/* Until the next one is got; NULL without memory. */
struct perfetto_task *perfetto_task_get(struct perfetto_tasks *tasks, uint32_t tid);

uint32_t perfetto_task_number(const struct perfetto_tasks *tasks, uint32_t tid);
const char *perfetto_task_name(const struct perfetto_tasks *tasks, uint32_t tid);

/* Writes whose the thread is: once, and again when more is known. Returns 0 or
 * -ENOMEM. */
int perfetto_task_tell(struct perfetto_tasks *tasks, struct export *export,
		       struct perfetto_writer *writer, int64_t ns, uint32_t tid);

void perfetto_task_free(struct perfetto_tasks *tasks);

#endif
