/* SPDX-License-Identifier: MIT */
/* The dependence graph of a run, from its events in their true order (event_sequence.h).
 *
 * A node is a moment: a thread's call began or returned, a command was given to its queue,
 * started, ended. An edge is what had to be over before, and how long it took from there:
 *
 *	call's begin, return  <- what the thread did before: the host's work, another call
 *	given to the queue    <- the call that enqueued it, from where another thread let it go
 *				 on; or the one that submitted it
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
 * (graph_remove): there the call and its command take no time (without GRAPH_LAUNCH a command
 * follows right behind the one before, and takes its time), other edges keep the time that they took, and a command starts when the last of its edges is over; where the device is
 * the CPU, host work next to a command takes a core of it (shared_cores.h). The difference
 * between the two ends is what the run would save. With nothing removed the replay gives
 * what was recorded. Without a cause there is no recording either (graph_recording.h): what is
 * saved, is saved in a run that nobody records.
 *
 * Where device times are not known there is no end to wait for: a wait is then a call like
 * another. Memory grows with threads, queues, devices and commands in flight. One thread.
 *
 *	graph_open(&graph, iterator, &waits);
 *	graph_remove(&graph, call, GRAPH_WAIT_EACH);	before the next event of its thread
 *	graph_interval(&graph, thread, interval);	as soon as it is known; or never
 *	graph_item(&graph, item);			each item, before its events; or never
 *	graph_event(&graph, event);			each event, in order
 *	graph_finish(&graph);
 *	... graph.parts[i], graph.saved_ns[cause]
 *
 * With graph_follow() the critical path is handed out piece by piece (trail.h), and not summed;
 * with graph_replay_only() there is none, which is cheaper.
 *	graph_close(&graph);
 */
#ifndef TANDEM_ANALYSIS_MODEL_GRAPH_H
#define TANDEM_ANALYSIS_MODEL_GRAPH_H

#include "analysis/events/event_iterator.h"
#include "analysis/events/event_sequence.h"
#include "analysis/model/graph_recording.h"
#include "analysis/model/graph_switches.h"
#include "analysis/model/path.h"
#include "analysis/model/trail.h"
#include "analysis/operations/queue_order.h"
#include "analysis/operations/room.h"
#include "analysis/sched/recent.h"
#include "analysis/sched/waits.h"
#include "util/map.h"
#include "util/usual.h"

/* What can be removed: X(name). */
#define GRAPH_CAUSES(X) \
	X(NONE)         \
	X(WAIT_EACH)    \
	X(WAIT_NOTHING) \
	X(WAIT_OFTEN)   \
	X(BUILD_AGAIN)  \
	X(BUILD_FIRST)  \
	X(ALLOCATION)   \
	X(OBJECT)       \
	X(CALLBACK)     \
	X(SMALL)        \
	X(BY_HOST)      \
	X(UNCHANGED)    \
	X(LAUNCH)       \
	X(RECORDING) /* alone, and with each of the others */

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
	uint32_t path;			  /* in the paths, or in the trail */
	int64_t saved[GRAPH_CAUSE_COUNT]; /* so much earlier, without the cause */
};

/* Calls within calls; deeper ones are part of these. */
#define GRAPH_DEPTH_MOST 4u

/* What passes between two calls right behind each other: the way into one and out of it, and what
 * recording it takes, which is not in its own time. */
#define GRAPH_GAP_MOST_NS 150

struct graph_frame { /* a call that is going on */
	const struct tandem_event *api;
	struct graph_point begin;
	int64_t gap_ns;		  /* before it, that is the call's own: at most GRAPH_GAP_MOST_NS */
	struct graph_point bound; /* the end of the command that it waits for */
	int64_t started_ns;	  /* of that command */
	int64_t recorded_ns;	  /* by which recording made it longer */
	bool waits;
	uint8_t scope;	/* enum tandem_wait_scope */
	uint64_t queue; /* its key */
	uint32_t removed;
	uint64_t call;
	uint64_t command; /* that it enqueues, by operation_key(); 0: none */
};

struct graph_wake {
	uint32_t stream, by; /* who slept, who woke it */
	int64_t from_ns, to_ns;
};

struct graph_woken {
	struct graph_point point; /* the moment when another thread woke it, as that one's */
	int64_t slept_ns;	  /* until then */
	uint32_t by;		  /* its stream */
	uint64_t in;		  /* the waker's call; 0: in none */
};

/* Of a thread, between two of its events; of more the first are looked at before they are all known. */
#define GRAPH_WAKES_MOST 4u

/* Of a thread: those whom one woke look for it at their next event, when the waker has gone on. */
#define GRAPH_REMOVED_MOST 8u

struct graph_removed { /* a call that causes remove */
	uint64_t call; /* 0: none */
	uint32_t causes;
	int64_t from_ns[GRAPH_CAUSE_COUNT]; /* when it began, without each */
};

struct graph_end { /* of a command, as a moment alone */
	bool known;
	int64_t ns, saved[GRAPH_CAUSE_COUNT];
};

struct graph_thread {
	struct graph_point at;
	struct graph_end awaited;		    /* for which it waited last */
	struct graph_woken woken[GRAPH_WAKES_MOST]; /* since then, in their order */
	unsigned woken_count;
	struct recent slept;	  /* where a device is the CPU */
	struct recent faults;	  /* first touches of memory that is allocated again */
	struct recent own_faults; /* those of them that count in no call, too */
	struct graph_recorded recorded;
	struct graph_frame frames[GRAPH_DEPTH_MOST];
	unsigned depth; /* may be more than GRAPH_DEPTH_MOST */
	/* The latest call that returned, of which `begin` is as it was: what it did may be recorded
	 * after events that come behind its return. NULL: none. */
	const struct graph_frame *returned;
	/* The latest calls that causes remove: whom one woke does not sleep then. */
	struct graph_removed removed[GRAPH_REMOVED_MOST];
	unsigned removed_next;
};

struct graph_command {
	struct graph_point given;   /* to its queue */
	struct graph_point started; /* once it has */
	int64_t enqueued_ns;	    /* the call's begin */
	int64_t recorded_ns;	    /* what its recording takes of the device */
	uint32_t stream, removed;
	uint32_t waiter; /* stream, + 1 */
	uint32_t next_free;
	bool many; /* a graph's launch: it has any number of operations */
	/* Its thread had waited for it: without that wait it comes behind it all the same. */
	struct graph_end after;
};

struct graph_queue {		/* or device */
	struct graph_point end; /* of the latest command that ended */
	int64_t launch_ns;	/* the shortest that a start took; INT64_MAX: none yet */
	uint64_t graph_op;	/* of a queue: the graph's launch of which commands ran; 0: none */
	enum queue_order order; /* of a queue */
	/* Of a device: from the end of a command to the start of one that waited for it. */
	struct usual behind;
	/* Same: from the enqueue to the start of one that waited for none. */
	struct usual alone;
	/* Same: all its commands' time, of kernels the part of the device that they take, and when the
	 * first started without each cause. */
	int64_t work_ns, first_ns[GRAPH_CAUSE_COUNT];
	double taken_part; /* of it, by a thread that runs (devices_taken_part()) */
	uint32_t cores;	   /* that it has, where it is the CPU */
	uint32_t latest_queue, latest_process; /* of the command that ended */
};

#define GRAPH_LATEST_PARTS 64u

struct graph_latest_part { /* what was found lately, by its key; 0: nothing */
	uint64_t key;
	uint32_t part;
};

/* No launch takes so long: at a kernel's first one the driver compiles it, or loads it. */
#define GRAPH_FIRST_USE_NS 1000000

enum graph_path { /* what becomes of the critical path */
		  GRAPH_PATH_SUMS,
		  GRAPH_PATH_PIECES,
		  GRAPH_PATH_NONE,
};

struct graph {
	struct event_iterator *iterator; /* borrowed */
	const struct waits *waits;	 /* same; NULL: the scheduler's records are not read */
	struct paths paths;
	struct trail trail; /* of GRAPH_PATH_PIECES, instead of the paths */
	enum graph_path keeps;
	uint32_t stream; /* what happens now is of this one's thread, or of a command of it */
	struct graph_part *parts;
	size_t part_count, part_capacity;
	struct map part_of;
	struct graph_latest_part latest_parts[GRAPH_LATEST_PARTS];
	struct graph_thread *threads; /* by stream */
	struct graph_command *commands;
	size_t command_count, command_capacity;
	uint32_t free_command; /* + 1 */
	struct map command_of; /* operation_key() -> command */
	struct graph_queue *queues;
	size_t queue_count, queue_capacity;
	struct map queue_of;	     /* process and number -> queue */
	struct graph_queue *devices; /* by row */
	size_t device_count;
	bool cpu_devices;	       /* one is the CPU */
	uint64_t driver_ran_ns;	       /* threads that make no calls, the driver's among them */
	struct graph_point *processes; /* the latest end of a command, by index */
	struct recent *faults;	       /* as of threads, of the driver's; same */
	struct graph_point *callbacks; /* that of a callback in a thread of the driver's; same */
	uint32_t *latest;	       /* the stream of the latest call, + 1; by process */
	struct map removed;	       /* call -> causes, a bit for each */
	struct rooms rooms;
	struct graph_switches switches;
	struct graph_wake *wakes; /* that are known, and lie behind the latest event */
	size_t wake_first, wake_count, wake_capacity;
	bool any_command;
	struct map used; /* a process's kernels that have run, by their names */
	const char *used_latest;
	uint32_t used_process;
	bool first_use; /* the command that started last is a kernel's first launch in its process */

	/* After graph_finish(): */
	uint64_t duration_ns;		      /* of the run */
	uint64_t length_ns;		      /* of the critical path */
	uint64_t saved_ns[GRAPH_CAUSE_COUNT]; /* of RECORDING: by which it is longer as recorded */
	uint64_t error_ns; /* by which the replay of the unchanged run misses what was recorded */
};

/* Returns 0 or -ENOMEM; on error there is nothing to close. */
int graph_open(struct graph *graph, struct event_iterator *iterator, const struct waits *waits);

/* The critical path is wanted piece by piece, with enum graph_part_kind in `kind`, from the run's
 * begin to its end. Before the first event. */
void graph_follow(struct graph *graph, trail_emit *emit, void *user);

/* Nobody wants the critical path. Same. */
void graph_replay_only(struct graph *graph);

/* What says how much of a device its kernels take: without it each takes all. Returns 0 or -ENOMEM. */
int graph_item(struct graph *graph, const struct event_item *item);

/* Returns 0, -ENOMEM or what `emit` returned. */
int graph_finish(struct graph *graph);

/* Without this cause the call and what it enqueued take no time. Returns 0 or -ENOMEM. */
int graph_remove(struct graph *graph, uint64_t call, enum graph_cause cause);

/* The same, and with it goes what the thread did since its call before. */
int graph_remove_since(struct graph *graph, uint64_t call, enum graph_cause cause);

/* Without this cause the thread does not wait in the call, and the command that it enqueued, if
 * any, takes the time that it took. Same. */
int graph_remove_wait(struct graph *graph, uint64_t call, enum graph_cause cause);

/* Of those that are removed with a call (graph_event.c). KEEPS: the next one, of commands. */
#define GRAPH_SINCE (1u << 31)
#define GRAPH_KEEPS 16

/* Without GRAPH_ALLOCATION there were no page faults then: of a thread, or, with TRACE_NONE, of threads
 * of the process that make no calls. What a command took of it, it takes less; what the host did in
 * no call as well, if it is `own`. As soon as it is known. Returns 0 or -ENOMEM. */
int graph_faults(struct graph *graph, uint32_t process, uint32_t stream, int64_t from_ns,
		 int64_t to_ns, bool own);

void graph_close(struct graph *graph);

/* For graph_command.c, graph_event.c and graph_thread.c: */

/* The point moves to `ns`; all causes leave what is on the way as it is. Returns 0 or -ENOMEM. */
int graph_point_extend(struct graph *graph, struct graph_point *point, int64_t ns,
		       enum graph_part_kind kind, const char *name);

/* What the scheduler's records took of that time. */
int64_t graph_switching_ns(const struct graph *graph, int64_t from_ns, int64_t to_ns);

/* The point comes so much earlier in each replay but that of the unchanged run. */
void graph_point_earlier(struct graph_point *point, int64_t ns);

/* The call that returned last, where it was found to be removed since. */
void graph_returned_remove(struct graph *graph, struct graph_thread *thread);

void graph_point_set(struct graph *graph, struct graph_point *to, const struct graph_point *from);
void graph_point_drop(struct graph *graph, struct graph_point *point);

static inline int64_t graph_later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

const char *graph_part_kind_name(enum graph_part_kind kind);  /* "launch" */
const char *graph_part_kind_words(enum graph_part_kind kind); /* "from the call to ..." */

#endif
