/* SPDX-License-Identifier: MIT */
#include "trace/external/lttng/lttng_thread.h"

#include "schema/gen/lasting.h"

/* Of a thread that has something in the session. NULL: no memory, as the writer knows. */
static struct session_stream *stream_of(struct lttng_thread *thread, struct session_writer *writer)
{
	if (!thread->stream)
		thread->stream =
			session_writer_stream(writer, thread->pid, thread->tid, thread->name);
	return thread->stream;
}

/* Before the session begins: those above it were left as well. */
static void early_ended(struct lttng_thread *thread, uint32_t depth)
{
	while (thread->depth > depth)
		early_records_drop(&thread->early, thread->open[--thread->depth].early);
}

uint64_t lttng_thread_begin(struct lttng_thread *thread, struct session_writer *writer)
{
	uint64_t count = thread->early.count, failed;

	thread->begun = true;
	if (!count || !stream_of(thread, writer))
		return 0;
	failed = early_records_put(&thread->early, thread->stream);
	session_writer_lost(writer, failed);
	for (uint32_t n = 0; n < thread->depth; n++)
		thread->open[n].place = thread->early.of[thread->open[n].early].put;
	early_records_free(&thread->early);
	return count;
}

/* Its first call or return in the session says whether calls from before had returned, on another
 * CPU, in what is overwritten: that of another call, or the next call of that domain. What is
 * called by a callback of such a call can't be told from that. */
uint64_t lttng_thread_decide(struct lttng_thread *thread, struct session_writer *writer,
			     const struct event_plan *plan)
{
	uint32_t depth = thread->depth;

	if (plan->half == EVENT_EXIT)
		while (depth && thread->open[depth - 1].id != plan->event->id)
			depth--;
	else if (depth &&
		 tandem_id_domain(thread->open[depth - 1].id) == tandem_id_domain(plan->event->id))
		depth = 0;
	early_ended(thread, depth);
	return lttng_thread_begin(thread, writer);
}

/* What lasts, and calls that may not have returned when it begins. Of a thread with such calls: all
 * until that is decided. */
static void put_early(struct lttng_thread *thread, struct session_writer *writer,
		      const struct early_record *record, bool before)
{
	size_t place;

	if (record->call ? thread->depth == OPEN_CALLS : before && !tandem_id_lasts(record->id))
		return;
	place = early_records_add(&thread->early, record);
	if (place == EARLY_NOWHERE)
		session_writer_lost(writer, 1);
	else if (record->call)
		thread->open[thread->depth++] =
			(struct open_call){record->id, SESSION_NOWHERE, record->count, place};
}

uint64_t lttng_thread_put(struct lttng_thread *thread, struct session_writer *writer,
			  const struct early_record *record, bool before)
{
	uint64_t place;

	if (!thread->begun) {
		put_early(thread, writer, record, before);
		return 0;
	}
	place = stream_of(thread, writer)
			? session_stream_put(thread->stream, record->id, record->call, record->ns,
					     record->bytes, record->count)
			: SESSION_NOWHERE;
	if (place == SESSION_NOWHERE)
		session_writer_lost(writer, 1);
	else if (record->call && thread->depth < OPEN_CALLS)
		thread->open[thread->depth++] =
			(struct open_call){record->id, place, record->count, EARLY_NOWHERE};
	return 1;
}

/* Calls above it in the thread were left by longjmp(), or their ends were discarded. */
void lttng_thread_return(struct lttng_thread *thread, const struct event_plan *plan,
			 const bt_field *payload, uint64_t ns)
{
	uint32_t depth = thread->depth;
	uint8_t returned[8];
	int32_t result;
	size_t count;

	while (depth && thread->open[depth - 1].id != plan->event->id)
		depth--;
	if (!depth)
		return;
	if (!thread->begun) {
		early_ended(thread, depth - 1);
		return;
	}
	thread->depth = depth - 1;
	if (thread->open[depth - 1].place == SESSION_NOWHERE)
		return;
	count = event_plan_end(plan, payload, &result, returned);
	/* Recorded without arguments: there is no room for it. */
	if (count > thread->open[depth - 1].bytes)
		count = 0;
	session_stream_end(thread->stream, thread->open[depth - 1].place, result, ns, returned,
			   count);
}
