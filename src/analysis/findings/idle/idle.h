/* SPDX-License-Identifier: MIT */
/* What is learnt of the gaps between a device's commands: what threads were doing (idle_thread.h),
 * why it was idle (idle_cause.c), how often and for how long (idle_gap.c), what that costs
 * (idle_saving.h), and what is said of it (idle_said.c).
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_IDLE_H
#define TANDEM_ANALYSIS_FINDINGS_IDLE_H

#include "analysis/findings/finding.h"
#include "analysis/findings/idle/convoy.h"
#include "analysis/findings/idle/sampled.h"
#include "analysis/findings/idle/series.h"
#include "analysis/findings/idle/sleeps.h"
#include "analysis/findings/idle/wakers.h"
#include "analysis/findings/waiting/wait_counter.h"
#include "analysis/sched/recent.h"

/* A wait in the midst of more commands than this is no way to feed a device command by
 * command: the host needs a result now and then. */
#define IDLE_COMMANDS_A_WAIT 8u

/* CALLING: in a call that enqueues nothing. */
enum idle_activity { WORKING, WAITING, CALLING, ENQUEUING, ACTIVITIES };

/* PACE: the host was enqueuing, or on its way from one call to the next, as ever. LAUNCH: enqueued in the gap;
 * AHEAD: before it; UNFLUSHED: either, and kept back. HOST_BUILDS: in calls most of which build. */
enum idle_cause_kind {
	SYNCHRONISATION,
	HOST_WORK,
	HOST_BLOCKED,
	HOST_CALLS,
	HOST_BUILDS,
	PACE,
	LAUNCH,
	AHEAD,
	UNFLUSHED,
	CAUSES,
};

struct idle_stretch {			      /* of a thread, in no call */
	const struct tandem_event *from, *to; /* the calls before and behind it; NULL: none */
	bool of_result; /* it began when a transfer that the thread waits for in its call had come */
	int64_t ns;
};

struct idle_enqueue {
	uint64_t call;
	int64_t ns, end_ns;	     /* end: once it has returned; else 0 */
	int64_t recorded_ns;	     /* what recording takes of it and of its command */
	int64_t spent[ACTIVITIES];   /* by the thread until then */
	struct idle_stretch stretch; /* the longest since the enqueue before */
	const struct tandem_event
		*other; /* the latest call that neither enqueued nor waited; NULL: none */
};

struct idle_mark {
	int64_t busy_ns; /* of the device, at the thread's latest event */
	uint64_t gap;
	int64_t spent[ACTIVITIES];
	int64_t worked_ns; /* in no call until then, since the last one */
};

/* The latest times at which a thread saw that a command had ended: a wait's return, or the driver's call. */
#define IDLE_SIGHTS 4u

struct idle_sight {
	int64_t from_ns, ns; /* from: since when it waited; 0: the driver called it */
};

/* Of the queues of a thread's latest flushes. */
#define IDLE_FLUSHES 8u

struct idle_flush { /* a call that is about this queue and does nothing else ... */
	int64_t ns;
	uint32_t queue;
	uint64_t enqueued; /* ... the first since the thread had enqueued so many */
};

struct idle_thread { /* of a stream */
	enum idle_activity activity;
	unsigned depth; /* calls within calls */
	int64_t since_ns;
	int64_t call_ns;			 /* begin of the call that is under way */
	struct idle_flush flushes[IDLE_FLUSHES]; /* a ring */
	unsigned flush_count;
	bool known;	      /* an event of it was seen */
	bool asked;	      /* its latest call only asked */
	bool has_result;      /* same, waited for what it transferred to the host */
	uint64_t result_call; /* that transfers to the host */
	/* Its latest call that did more than ask or release; NULL: none. */
	const struct tandem_event *latest;
	const struct tandem_event
		*other;		     /* its latest that neither enqueued nor waited; NULL: none */
	struct idle_stretch stretch; /* the longest since its latest enqueue */
	int64_t spent[ACTIVITIES];
	struct idle_enqueue *enqueues;	    /* a ring, made at the first */
	uint64_t enqueued, enqueued_before; /* before: when it waited last */
	struct recent slept, preempted;
	struct recent napped; /* slept, until something else than a thread ended it */
	struct sleeps sleeps;
	struct idle_sight sights[IDLE_SIGHTS]; /* a ring */
	unsigned sight_count;
	struct wait_counter waits;
	uint64_t small; /* its latest call, if that enqueued a transfer of so little; else 0 */
	struct series series;
	struct idle_mark *marks; /* by device: `spent` when it fell idle */
};

/* Of a key of `between`: event ids, of HOST_BLOCKED with this bit. */
#define IDLE_BLOCKED (UINT64_C(1) << 63)

#define IDLE_LONG 4u /* gaps that a program may have without a habit */

struct idle_cause {
	uint64_t count, ns, longest_ns;
	uint64_t long_ns[IDLE_LONG]; /* of the longest, those first */
	uint64_t longer;	     /* gaps that are longer than the command behind them */
	uint64_t worked_ns;	     /* of work of the host that went on in them: before them */
	uint64_t result_ns;	     /* of work of the host on what had come */
	uint64_t overslept, overslept_ns; /* gaps in a sleep that had begun before */
	uint64_t quiet_ns;		  /* in which no thread had a CPU */
	int64_t begin_ns, end_ns;	  /* of the longest */
	uint32_t stream;
};

struct idle_device {
	unsigned running;
	bool active;		   /* it has run something */
	bool worked;		   /* same, a kernel */
	int64_t idle_ns, first_ns; /* since when; when it first ran */
	uint64_t gap;		   /* number of the current one */
	uint64_t count, busy_ns;
	uint64_t results;    /* commands that bring something to the host */
	uint64_t unprompted; /* commands that started though nobody had flushed or waited */
	int64_t busy_since_ns;
	uint64_t bound_ns; /* the greatest of the clock's bounds */
	struct idle_cause causes[CAUSES];
	struct wakers wakers; /* of HOST_BLOCKED */
	/* Of HOST_WORK and HOST_BLOCKED: the calls before and behind what the thread did in no call (with
	 * IDLE_BLOCKED) -> ns of gaps. */
	struct map between;
	struct map stacks; /* of the host while it worked: node -> how often it was sampled */
	struct map longest_between; /* same -> ns of the longest */
	struct map calls;	    /* event id -> ns in such calls within gaps */
	struct map late; /* name of a command -> ns of gaps before it, of PACE, LAUNCH and AHEAD */
	struct map held; /* same, of UNFLUSHED */
	struct map
		waits; /* event id -> ns of calls that waited for the device, and had ended by then */
	uint64_t called_ns; /* of gaps of SYNCHRONISATION that the driver's call ended */
	int64_t waited_ns;  /* by threads while it ran something */
	int64_t built_ns;   /* of builds in the current gap */
	int64_t ahead_ns;   /* of builds in gaps, what fits into the waits before them */
	int64_t in_call_ns; /* while it ran something, in calls that enqueue */
};

struct idle_signal { /* the program set an event that commands may wait for */
	int64_t ns;
	uint32_t stream;	   /* whose thread did */
	int64_t spent[ACTIVITIES]; /* by it until then */
};

struct idle {
	struct map process_of;	     /* pid -> index */
	struct idle_signal *signals; /* by process: the latest; ns 0: none */
	struct recent *drivers;	     /* by process: its threads without calls, for a CPU */
	struct recent worked;	     /* any thread */
	bool *begun;		     /* by process: it has run a command */
	int64_t *called_ns; /* same: when the driver called it last, as a command had ended */
	const struct tandem_event *callback; /* such a call; NULL: none */
	struct idle_thread *threads;
	struct idle_device *devices;
	size_t device_count;
	struct convoy convoy;
	struct sampled sampled;
	bool shared; /* memory that host and devices share was allocated */
};

/* Why the device was idle before that command. */
enum idle_cause_kind idle_cause_of(const struct findings *findings, const struct idle *idle,
				   const struct sequence_event *next,
				   const struct idle_device *device);

/* For how long of a launch the driver's threads had no CPU. */
int64_t idle_without_cpu(const struct idle *idle, const struct sequence_event *next,
			 const struct idle_device *device, const struct idle_enqueue *enqueue);

/* A command of a device starts, or ends: the gap before it is counted. 0 or -ENOMEM. */
int idle_operation_start(const struct findings *findings, struct idle *idle,
			 const struct sequence_event *event);
void idle_operation_end(struct idle *idle, const struct sequence_event *event);

/* A finding for each cause of each device by which something would be saved. Returns 0 or
 * -ENOMEM. */
int idle_say(struct findings *findings, const struct idle *idle);

#endif
