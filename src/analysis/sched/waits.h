/* SPDX-License-Identifier: MIT */
/* What the threads of the traced processes did with their time, from the operating
 * system's records: how each API call's time divides into running and waiting, and on
 * whom the waits were. Memory grows with threads, functions and processes. One thread.
 *
 *	struct waits waits;
 *	waits_init(&waits, session);
 *	waits_kernel(&waits, event);       of each event of a CPU's stream
 *	waits_call(&waits, event);         of each API call
 *	waits_settle(&waits);
 *	... waits.threads[], waits.functions[], waits.rows[]
 *	waits_free(&waits);
 */
#ifndef TANDEM_ANALYSIS_SCHED_WAITS_H
#define TANDEM_ANALYSIS_SCHED_WAITS_H

#include "analysis/events/range.h"
#include "analysis/sched/states.h"
#include "trace/event.h"
#include "trace/session/session.h"
#include "util/map.h"

struct wait_call { /* a call whose time is being divided */
	int64_t begin, end;
	uint32_t function; /* the layouts' index */
	bool waited;	   /* not only ran; else `ns` says nothing */
	bool counts;	   /* it began in the range */
	uint64_t ns[STATE_COUNT];
};

struct wait_thread { /* of a traced process */
	const struct states_thread *thread;
	uint64_t ns[STATE_COUNT];
	uint64_t system_ns;	 /* of running: in system calls, where they are recorded */
	struct wait_call *calls; /* not settled yet; the outer ones first */
	size_t call_count, call_capacity;
	uint32_t index;
	uint32_t stream; /* of its calls, + 1; 0: it made none */
};

struct wait_function {
	uint64_t ns[STATE_COUNT];
};

struct wait_row {	   /* a thread's waits of one kind, in one function, on one process */
	uint32_t thread;   /* index in `threads` */
	uint32_t function; /* + 1; 0: outside of calls */
	uint8_t state;	   /* STATE_WAIT_CPU, STATE_WAIT_BLOCKED */
	enum states_waker by;
	uint32_t by_pid, by_name;
	bool by_idle;
	uint64_t ns, count;
	int64_t longest_from, longest_to;
};

/* Told of each interval of a thread of the traced processes, as it becomes known. */
typedef void (*waits_interval_fn)(void *user, const struct wait_thread *thread,
				  const struct states_interval *interval);

struct waits {
	struct trace_session *session;
	struct range range; /* what is counted: all, where the caller sets nothing else */
	struct states states;
	bool any;      /* there are records of the kernel at all */
	bool lost;     /* some of the kernel's records are */
	uint8_t scope; /* the widest that was recorded */
	struct wait_thread **threads;
	size_t thread_count, thread_capacity;
	struct states_thread **of_stream; /* by stream: its thread, once it is known */
	struct wait_function *functions;  /* by the layouts' index */
	size_t function_count;
	struct map rows_by_key;
	struct wait_row *rows;
	size_t row_count, row_capacity;
	waits_interval_fn emit; /* set by whoever wants it; NULL: nobody */
	void *user;
	int failed;
};

/* Returns 0 or -ENOMEM; on error there is nothing to free. */
int waits_init(struct waits *waits, struct trace_session *session);

/* Return 0 or -ENOMEM. */
int waits_kernel(struct waits *waits, const struct trace_event *event);

/* The same as waits_call(), whatever there is to settle first. */
int waits_call_any(struct waits *waits, const struct trace_event *event);

/* Nearly always the thread is running, and its call before is over and only ran: then this
 * one takes its place. */
static inline int waits_call(struct waits *waits, const struct trace_event *event)
{
	struct states_thread *thread = waits->of_stream[event->stream->index];
	struct wait_thread *waiter = thread ? thread->user : NULL;
	struct wait_call *call;

	if (!waiter || thread->local_tid != event->tid || thread->state != STATE_RUNNING ||
	    waiter->call_count != 1 || waits->failed || !event->end_ticks ||
	    event->end_ns <= event->ns)
		return waits_call_any(waits, event);
	call = waiter->calls;
	if (call->end > event->ns || call->waited)
		return waits_call_any(waits, event);
	if (call->counts)
		waits->functions[call->function].ns[STATE_RUNNING] +=
			(uint64_t)(call->end - call->begin);
	call->begin = event->ns;
	call->end = event->end_ns;
	call->function = event->layout->index;
	call->counts = range_holds(&waits->range, event->ns);
	return 0;
}

/* No more comes: `threads`, `functions` and `rows` hold all. Returns 0 or -ENOMEM. */
int waits_settle(struct waits *waits);

/* The function with this index. */
/* Who had the CPU for which it waited, or ended its wait, if that is of the same process; or NULL. While
 * intervals are told. */
const struct wait_thread *waits_other(const struct waits *waits, const struct wait_thread *waiter,
				      const struct states_interval *interval);

const struct tandem_event *waits_function(const struct waits *waits, uint32_t function);

/* Whether a process or thread of that name is the recorder, or one that it runs in the program:
 * "tandem", "tandem-files". */
bool waits_is_recorder(const struct waits *waits, uint32_t name);

void waits_free(struct waits *waits);

#endif
