/* SPDX-License-Identifier: MIT */
#include "analysis/findings/copies/calls.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/operations/transfer_ends.h"
#include "trace/field.h"
#include "util/array.h"

int copy_calls_begin(struct copy_calls *calls, const struct trace_session *session)
{
	calls->latest = calloc(session->stream_count + 1, sizeof(*calls->latest));
	return calls->latest ? 0 : -ENOMEM;
}

static uint64_t field_value(const struct trace_event *event, enum tandem_role role)
{
	const struct tandem_field *field = trace_field_role(event->layout, role);

	return field ? trace_field_unsigned(event, field) : 0;
}

static uint64_t coming_key(const struct trace_event *event, uint64_t address)
{
	return address ^
	       (uint64_t)(event->stream->process->index + 1) * UINT64_C(0x9E3779B97F4A7C15);
}

/* What a thread waited for has come. Of the transfer before, one whose content was not recorded goes to the
 * host. */
static int note_coming(struct copy_calls *calls, const struct trace_event *event,
		       const struct copy_latest *last)
{
	if (last->call && last->address && !last->blocks && !last->written &&
	    map_set(&calls->coming, coming_key(event, last->address), 1))
		return -ENOMEM;
	return 0;
}

/* Which buffer a call moves, and whether it is what was read from another one before. */
int copy_calls_add(struct copy_calls *calls, const struct event_item *item, uint64_t given)
{
	const struct trace_event *event = item->event;
	struct copy_latest *last = &calls->latest[event->stream->index];
	struct transfer_ends ends;
	struct copy_call call;
	uint64_t bytes, address;

	if (calls->coming.count &&
	    (event->layout->event->class == TANDEM_CLASS_WAIT || trace_event_blocks(event)))
		map_clear(&calls->coming);
	last->waited |= event->layout->event->class == TANDEM_CLASS_WAIT ||
			event->layout->event->class == TANDEM_CLASS_QUERY;
	/* A kernel between them does not change what the host has. */
	if (!trace_event_op(event) || trace_event_failed(event) ||
	    !transfer_ends_find(event, &ends))
		return 0;
	bytes = field_value(event, TANDEM_ROLE_bytes);
	address = ends.host;
	calls->addresses |= address != 0;
	if (note_coming(calls, event, last))
		return -ENOMEM;
	call = (struct copy_call){.buffer = ends.buffer, .given = given};
	call.pair = last->call && last->buffer != call.buffer && last->bytes == bytes && bytes &&
				    last->address == address && (last->blocks || !last->waited)
			    ? last->call
			    : 0;
	*last = (struct copy_latest){
		call.buffer,
		bytes,
		address,
		item->call,
		call.pair,
		.read_before = last->call && !last->written && last->bytes == bytes &&
			       last->address == address,
		.coming =
			address && map_get(&calls->coming, coming_key(event, address)) != MAP_NONE,
		.blocks = trace_event_blocks(event),
	};
	if (array_reserve(&calls->open, &calls->capacity, calls->count + 1, sizeof(*calls->open)))
		return -ENOMEM;
	if (!calls->call_of.count)
		calls->count = 0;
	calls->open[calls->count] = call;
	return map_set(&calls->call_of, item->call, calls->count++);
}

struct copy_call *copy_calls_find(struct copy_calls *calls, uint64_t number)
{
	uint64_t at = map_get(&calls->call_of, number);

	return at == MAP_NONE ? NULL : &calls->open[at];
}

bool copy_calls_take(struct copy_calls *calls, uint64_t number, struct copy_call *call)
{
	uint64_t at = map_remove(&calls->call_of, number);

	if (at == MAP_NONE)
		return false;
	*call = calls->open[at];
	return true;
}

struct copy_latest *copy_calls_latest(struct copy_calls *calls, const struct operation *operation)
{
	if (operation->stream == TRACE_NONE ||
	    calls->latest[operation->stream].call != operation->call)
		return NULL;
	return &calls->latest[operation->stream];
}

void copy_calls_free(struct copy_calls *calls)
{
	map_free(&calls->call_of);
	map_free(&calls->coming);
	free(calls->open);
	free(calls->latest);
}
