/* SPDX-License-Identifier: MIT */
/* A thread of LTTng's trace on its way into a session: its stream, the calls whose end has not come,
 * and until its first call or return in the session, what it did before that begins. One thread.
 *
 *	if (!thread->begun && ns >= from_ns && lttng_thread_decides(thread, plan))
 *		events += lttng_thread_decide(thread, writer, plan);
 *	if (plan->half == EVENT_EXIT)
 *		lttng_thread_return(thread, plan, payload, ns);
 *	else
 *		events += lttng_thread_put(thread, writer, &record, ns < from_ns);
 */
#ifndef TANDEM_TRACE_LTTNG_LTTNG_THREAD_H
#define TANDEM_TRACE_LTTNG_LTTNG_THREAD_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/external/lttng/early_records.h"
#include "trace/external/lttng/event_plan.h"
#include "trace/external/lttng/session_writer.h"

#define OPEN_CALLS 64u

/* A call whose end has not been seen. */
struct open_call {
	uint16_t id;
	uint64_t place;
	size_t bytes; /* of its arguments */
	size_t early; /* its place there; EARLY_NOWHERE: it was put */
};

struct lttng_thread {
	struct session_stream *stream; /* NULL: it has none yet */
	uint32_t pid, tid;
	char name[16];
	struct early_records early;
	bool begun; /* what comes is put at once */
	uint32_t depth;
	struct open_call open[OPEN_CALLS];
};

/* Whether an event of the session says what became of calls from before. */
static inline bool lttng_thread_decides(const struct lttng_thread *thread,
					const struct event_plan *plan)
{
	return plan->half != EVENT_RECORD || !thread->depth;
}

/* From here on it is in the session, with those of the calls that had not returned. Like the next,
 * returns how many events were put; what could not be is counted as lost. */
uint64_t lttng_thread_decide(struct lttng_thread *thread, struct session_writer *writer,
			     const struct event_plan *plan);

/* The same at the end, where no call said it. */
uint64_t lttng_thread_begin(struct lttng_thread *thread, struct session_writer *writer);

/* A record, or the begin of a call, of `record`. `before`: the session has not begun. */
uint64_t lttng_thread_put(struct lttng_thread *thread, struct session_writer *writer,
			  const struct early_record *record, bool before);

void lttng_thread_return(struct lttng_thread *thread, const struct event_plan *plan,
			 const bt_field *payload, uint64_t ns);

#endif
