/* SPDX-License-Identifier: MIT */
/* The dependence graph of a run, from its events in their true order (event_sequence.h).
 *
 * A node is a moment: a thread's call began or returned, a command was given to its queue,
 * started, ended. An edge is what had to be over before, and how long it took from there:
 *
 *	call's begin, return  <- what the thread did before: the host's work, another call
 *	given to the queue    <- the call that enqueued it; or the one that submitted it
 *	start                 <- given to the queue; the end of the command before it, in its
 *				 queue or on its device; the end of the program's callback,
 *				 which the driver's thread called meanwhile
 *	end                   <- start: its execution
 *	a wait's return       <- its begin; the end of the command that it waited for
 *	what a thread does    <- the thread of its process that woke it, where it slept outside
 *	after a sleep		 of calls that wait for the device (from the scheduler's records)
 *	a thread's first call <- the latest event of its process; else the run's begin
 *
 * Of several edges the latest binds: the rest had time to spare. Along binding edges leads
 * the critical path, from the run's begin to its end: whatever lies on it makes the run
 * longer, and nothing else does. It is kept as a sum by parts (path.h).
 *
 * The same graph is replayed, at the same time, once for each cause that can be removed
 * (graph_remove): there the call and its command take no time, other edges keep the time
 * that they took, and a command starts when the last of its edges is over. The difference
 * between the two ends is what the run would save. With nothing removed the replay gives
 * what was recorded.
 *
 * Where device times are not known there is no end to wait for: a wait is then a call like
 * another. Memory grows with threads, queues, devices and commands in flight. One thread.
 *
 *	graph_open(&graph, iterator, &waits);
 *	graph_remove(&graph, call, GRAPH_WAIT_EACH);	before the call's return comes
 *	graph_interval(&graph, thread, interval);	as soon as it is known; or never
 *	graph_event(&graph, event);			each event, in order
 *	graph_finish(&graph);
 *	... graph.parts[i], graph.saved_ns[cause]
 *	graph_close(&graph);
 */
#ifndef TANDEM_ANALYSIS_MODEL_GRAPH_H
#define TANDEM_ANALYSIS_MODEL_GRAPH_H

#include "analysis/events/event_iterator.h"
#include "analysis/events/event_sequence.h"
#include "analysis/model/path.h"
#include "analysis/sched/waits.h"
#include "util/map.h"

/* What can be removed: X(name). */
#define GRAPH_CAUSES(X) \
	X(NONE)         \
	X(WAIT_EACH)    \
	X(WAIT_NOTHING) \
	X(BUILD_AGAIN)  \
	X(BUILD_FIRST)  \
	X(ALLOCATION)   \
	X(OBJECT)       \
	X(CALLBACK)

#define X(name) GRAPH_##name,
enum graph_cause { GRAPH_CAUSES(X) GRAPH_CAUSE_COUNT };
#undef X

/* What a piece of the path is: X(name, words). */
#define GRAPH_KINDS(X)                                               \
	X(BEFORE, "before the first call")                           \
	X(HOST, "host, between calls")                               \
	X(CALL, "in an API call")                                    \
	X(LAUNCH, "from the call to the command's start")            \
	X(BEHIND, "from the end of the command before to the start") \
	X(EXECUTION, "command executing")                            \
	X(RETURN, "from the command's end to the wait's return")     \
	X(AFTER, "after the last call")

#define X(name, words) GRAPH_PART_##name,
enum graph_part_kind { GRAPH_KINDS(X) GRAPH_PART_COUNT };
#undef X

struct graph_part {
	enum graph_part_kind kind;
	const char *name;   /* of the call, kernel...; "": of none; lives as the session */
	uint64_t ns, count; /* on the critical path */
};

struct graph_point { /* a node */
	int64_t ns;  /* CLOCK_MONOTONIC */
	bool known;
	uint32_t path;
	int64_t saved[GRAPH_CAUSE_COUNT]; /* so much earlier, without the cause */
};

struct graph_thread;
struct graph_command;
struct graph_queue;
struct graph_wake;

#define GRAPH_LATEST_PARTS 64u

struct graph_latest_part { /* what was found lately, by its key; 0: nothing */
	uint64_t key;
	uint32_t part;
};

struct graph {
	struct event_iterator *iterator; /* borrowed */
	const struct waits *waits;	 /* same; NULL: the scheduler's records are not read */
	struct paths paths;
	struct graph_part *parts;
	size_t part_count, part_capacity;
	struct map part_of;
	struct graph_latest_part latest_parts[GRAPH_LATEST_PARTS];
	struct graph_thread *threads; /* by stream */
	struct graph_command *commands;
	size_t command_count, command_capacity;
	uint32_t free_command; /* + 1 */
	struct map command_of; /* operation, mixed with its process -> command */
	struct graph_queue *queues;
	size_t queue_count, queue_capacity;
	struct map queue_of;	     /* process and number -> queue */
	struct graph_queue *devices; /* by row */
	size_t device_count;
	struct graph_point *processes; /* the latest end of a command, by index */
	struct graph_point *callbacks; /* that of a callback in a thread of the driver's; same */
	uint32_t *latest;	       /* the stream of the latest call, + 1; by process */
	struct map removed;	       /* call -> causes, a bit for each */
	struct graph_wake *wakes;      /* that are known, and lie behind the latest event */
	size_t wake_first, wake_count, wake_capacity;
	bool any_command;

	/* After graph_finish(): */
	uint64_t duration_ns; /* of the run */
	uint64_t length_ns;   /* of the critical path */
	uint64_t saved_ns[GRAPH_CAUSE_COUNT];
};

/* Returns 0 or -ENOMEM; on error there is nothing to close. */
int graph_open(struct graph *graph, struct event_iterator *iterator, const struct waits *waits);

/* Return 0 or -ENOMEM. */
int graph_interval(struct graph *graph, const struct wait_thread *thread,
		   const struct states_interval *interval);
int graph_event(struct graph *graph, const struct sequence_event *event);
int graph_finish(struct graph *graph);

/* Without this cause the call and what it enqueued take no time. Returns 0 or -ENOMEM. */
int graph_remove(struct graph *graph, uint64_t call, enum graph_cause cause);

void graph_close(struct graph *graph);

const char *graph_part_kind_name(enum graph_part_kind kind);  /* "launch" */
const char *graph_part_kind_words(enum graph_part_kind kind); /* "from the call to ..." */

#endif
