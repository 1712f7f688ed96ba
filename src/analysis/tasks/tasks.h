/* SPDX-License-Identifier: MIT */
/* The tasks of a layer above a runtime (TANDEM_CLASS_TASK), and the task graph that they come
 * from: which node a task submits, at which place in the program the node was made, and so
 * which place each operation belongs to. An operation belongs to the task that was open in
 * the thread that enqueued it, or to the one that the layer itself names (task_signal): never
 * by time or name.
 *
 *	tasks_add(&tasks, event, number);                       each call and record
 *	node = tasks_open_node(&tasks, stream, event->ns);      of an enqueue's thread
 *	construct = tasks_construct(&tasks, process, node);     NULL: not known
 *
 * Memory: 4 bytes for each node, some 100 for each place. One thread.
 */
#ifndef TANDEM_ANALYSIS_TASKS_TASKS_H
#define TANDEM_ANALYSIS_TASKS_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"
#include "trace/session/session.h"
#include "util/arena.h"
#include "util/map.h"

/* What a task does, as records of the role task_construct number it (schema/traits.h). */
enum task_kind {
	TASK_OTHER,
	TASK_KERNEL,
	TASK_HOST,
	TASK_TRANSFER,
	TASK_ALLOCATION,
	TASK_RELEASE,
	TASK_EXTERNAL, /* no task: stands for an event */
	TASK_KINDS,
};

struct task_construct { /* a place in the program; strings are the tasks' */
	uint32_t process, number;
	uint8_t domain;
	enum task_kind kind;
	uint32_t line, column; /* 0: not known */
	const char *name, *function, *file, *device;
	const char *place; /* "file.cpp:12", else the function, or "" */
};

enum task_access {
	TASK_EVENT,
	TASK_READ,
	TASK_WRITE,
	TASK_READ_WRITE,
	TASK_DISCARD,
	TASK_ACCESSES
};

struct task_edge { /* `from` completes before `to` begins: numbers of nodes */
	uint32_t process, from, to;
	enum task_access access; /* by which it came; TASK_EVENT: by no memory */
	uint32_t buffer;	 /* number; 0: none */
	uint32_t through;	 /* what stands for the event; 0: nothing */
	uint64_t op;		 /* `from` stands for this operation's event; 0: for none */
};

struct task_process {
	uint32_t *constructs; /* by number of the node; 0: none */
	size_t count;
};

struct task_open { /* of a stream: the latest task */
	uint32_t node;
	int64_t end_ns;
};

struct tasks {
	const struct trace_session *session; /* borrowed */
	struct task_construct **constructs;  /* stable */
	size_t count, capacity;
	struct map construct_of;	/* process and number -> index */
	struct task_process *processes; /* by index */
	struct task_open *open;		/* by index of the stream */
	uint64_t submitted;
	struct arena arena;
};

/* Returns 0 or -ENOMEM; it is to be freed either way. */
int tasks_init(struct tasks *tasks, const struct trace_session *session);

/* A call of class TASK, or a record with a role of tasks; others change nothing. Returns 0 or
 * -ENOMEM. */
int tasks_add(struct tasks *tasks, const struct trace_event *event);

static inline bool tasks_concerns(const struct trace_event *event)
{
	uint8_t role = event->layout->event->traits.record;

	return event->layout->class == TANDEM_CLASS_TASK ||
	       (role >= TANDEM_RECORD_task_construct && role <= TANDEM_RECORD_task_signal);
}

/* The node whose task is open in the stream then; 0: none. */
static inline uint32_t tasks_open_node(const struct tasks *tasks, uint32_t stream, int64_t ns)
{
	const struct task_open *open = &tasks->open[stream];

	return open->node && ns <= open->end_ns ? open->node : 0;
}

/* NULL: not described (yet). */
const struct task_construct *tasks_construct(const struct tasks *tasks, uint32_t process,
					     uint32_t node);

/* The node that a call submits the task of; 0: the call is none. */
uint32_t tasks_submitted_node(const struct trace_event *event);

/* False: the event makes no edge. */
bool tasks_edge(const struct trace_event *event, struct task_edge *edge);

/* "event", "read", "write"... */
const char *task_access_name(enum task_access access);

/* "kernel", "host_task"... */
const char *task_kind_name(enum task_kind kind);

void tasks_free(struct tasks *tasks);

#endif
