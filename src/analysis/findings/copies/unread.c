/* SPDX-License-Identifier: MIT */
#include "analysis/findings/copies/unread.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/operations/transfer_ends.h"
#include "trace/field.h"
#include "trace/session/session.h"
#include "util/map.h"

/* So many of a thread's latest transfers are remembered: CUPTI hands over up to 14,000 late. */
#define TRANSFERS 16384u

/* Of these, any may have come from the host's memory that is sent on; of earlier ones the same place. */
#define NEAR 16u

/* More than this a thread does not read, whatever caches it comes from. */
#define BYTES_A_NS 50

/* Of less, a half is looked at in no time. */
#define LEAST_BYTES (UINT64_C(256) << 10)

struct unread_memory {		    /* of the host's, and the transfer that moves it */
	uint64_t call, host, bytes; /* call 0: none */
	uint64_t before;	    /* number of the one before it there, + 1; 0: none */
	int64_t from_ns, to_ns;	    /* of the thread's time, between the two */
	bool read;		    /* it was a transfer to the host: */
	struct unread_taken taken;
};

struct unread_thread {
	struct unread_memory *memories; /* a ring, made at the first */
	uint64_t count;
	struct map of_call, of_host; /* number of the latest, + 1 */
	int64_t returned_ns;	     /* of its latest call */
	int64_t free_ns;	     /* outside of calls, so far */
};

int unread_begin(struct unread *unread, const struct trace_session *session)
{
	unread->count = session->stream_count;
	unread->threads = calloc(unread->count + 1, sizeof(*unread->threads));
	return unread->threads ? 0 : -ENOMEM;
}

/* NULL: it was too long ago, or there is none. */
static struct unread_memory *memory_at(const struct unread_thread *thread, uint64_t number)
{
	return number && number != MAP_NONE && number + TRANSFERS > thread->count
		       ? &thread->memories[(number - 1) % TRANSFERS]
		       : NULL;
}

static int note_transfer(struct unread_thread *thread, uint64_t call, uint64_t host, uint64_t bytes)
{
	uint64_t number = map_get(&thread->of_host, host);
	struct unread_memory *before = memory_at(thread, number), *memory;

	if (!thread->memories)
		thread->memories = calloc(TRANSFERS, sizeof(*thread->memories));
	if (!thread->memories)
		return -ENOMEM;
	if (before)
		before->to_ns = thread->free_ns;
	memory = &thread->memories[thread->count % TRANSFERS];
	if (memory->call) {
		map_remove(&thread->of_call, memory->call);
		if (map_get(&thread->of_host, memory->host) + TRANSFERS == thread->count + 1)
			map_remove(&thread->of_host, memory->host);
	}
	*memory = (struct unread_memory){
		.call = call,
		.host = host,
		.bytes = bytes,
		.before = before ? number : 0,
		.from_ns = thread->free_ns,
	};
	thread->count++;
	return map_set(&thread->of_call, call, thread->count)
		       ? -ENOMEM
		       : map_set(&thread->of_host, host, thread->count);
}

int unread_call(struct unread *unread, const struct event_item *item)
{
	const struct trace_event *event = item->event;
	struct unread_thread *thread = &unread->threads[event->stream->index];
	const struct tandem_field *bytes = trace_field_role(event->layout, TANDEM_ROLE_bytes);
	struct transfer_ends ends;

	if (event->ns > thread->returned_ns)
		thread->free_ns += event->ns - thread->returned_ns;
	if (item->end_ns > thread->returned_ns)
		thread->returned_ns = item->end_ns;
	return bytes && trace_event_op(event) && !trace_event_failed(event) &&
			       transfer_ends_find(event, &ends) && ends.host
		       ? note_transfer(thread, item->call, ends.host,
				       trace_field_unsigned(event, bytes))
		       : 0;
}

void unread_recorded(struct unread *unread, const struct trace_event *event)
{
	struct unread_thread *thread = &unread->threads[event->stream->index];

	if (event->ns > thread->returned_ns)
		thread->returned_ns = event->ns;
}

/* What a thread sends to a device from there it need not look at. */
static void note_sent(struct unread_thread *thread, const struct unread_memory *sent,
		      uint64_t number)
{
	struct unread_memory *memory = memory_at(thread, sent->before);

	if (memory)
		memory->read = false;
	for (unsigned i = 1; i <= NEAR && i < number; i++) {
		memory = memory_at(thread, number - i);
		if (memory && sent->host - memory->host < memory->bytes)
			memory->read = false;
	}
}

static bool is_hurried(const struct unread_memory *memory)
{
	return memory->read && memory->bytes >= LEAST_BYTES &&
	       (uint64_t)(memory->to_ns - memory->from_ns) * BYTES_A_NS < memory->bytes / 2;
}

const struct unread_taken *unread_transfer(struct unread *unread, const struct operation *operation,
					   const struct unread_taken *taken)
{
	struct unread_memory *memory, *before;
	struct unread_thread *thread;
	uint64_t number;

	if (operation->stream == TRACE_NONE)
		return NULL;
	thread = &unread->threads[operation->stream];
	number = map_get(&thread->of_call, operation->call);
	memory = memory_at(thread, number);
	if (!memory)
		return NULL;
	if (operation->kind != TANDEM_OPERATION_KIND_copy_d2h) {
		note_sent(thread, memory, number);
		return NULL;
	}
	memory->read = true;
	memory->taken = *taken;
	before = memory_at(thread, memory->before);
	return before && is_hurried(before) ? &before->taken : NULL;
}

void unread_free(struct unread *unread)
{
	for (size_t i = 0; unread->threads && i < unread->count; i++) {
		map_free(&unread->threads[i].of_call);
		map_free(&unread->threads[i].of_host);
		free(unread->threads[i].memories);
	}
	free(unread->threads);
}
