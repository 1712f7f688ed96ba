/* SPDX-License-Identifier: MIT */
#include "analysis/findings/copies/mapped.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/operations/mappings.h"
#include "trace/field.h"

int mapped_begin(struct mapped *mapped, const struct trace_session *session)
{
	mapped->threads = calloc(session->stream_count + 1, sizeof(*mapped->threads));
	return mapped->threads ? 0 : -ENOMEM;
}

/* Whether the thread mapped it to be written. */
static bool note_unmaps(struct mapped_thread *thread, const struct event_item *item,
			uint64_t buffer)
{
	thread->call = item->call;
	thread->buffer = buffer;
	thread->api = item->event->record->id;
	thread->begin_ns = item->event->ns;
	thread->end_ns = item->end_ns;
	for (unsigned i = 1; i <= MAPPED_CALLS; i++) {
		struct mapped_from *from = &thread->from[(thread->next - i) % MAPPED_CALLS];

		if (from->buffer != buffer)
			continue;
		thread->begin_ns = from->begin_ns;
		from->buffer = 0;
		return true;
	}
	return false;
}

/* Not a kernel, nor what moves the host's own memory. */
static bool may_map(const struct trace_event *event)
{
	const struct trace_layout *layout = event->layout;

	return trace_event_op(event) && !trace_event_failed(event) &&
	       !trace_field_role(layout, TANDEM_ROLE_kernel) &&
	       !trace_field_role(layout, TANDEM_ROLE_address) &&
	       !trace_field_role(layout, TANDEM_ROLE_destination);
}

int mapped_call(struct mapped *mapped, struct graph *graph, const struct event_item *item)
{
	const struct trace_event *event = item->event;
	struct mapped_thread *thread;
	struct mapping mapping;
	enum mapping_kind kind;
	uint64_t cause;

	if (!mapped->looked || !may_map(event))
		return 0;
	kind = mapping_find(event, &mapping);
	if (kind == MAPPING_NONE)
		return 0;
	thread = &mapped->threads[event->stream->index];
	if (kind == MAPPING_MAPS) {
		thread->map = item->call;
		thread->map_buffer = mapping.buffer;
		if (!mapping.writes)
			return 0;
	}
	cause = map_get(&mapped->causes, mapping.buffer);
	if (cause == MAP_NONE)
		cause = GRAPH_NONE;
	if (kind == MAPPING_MAPS) {
		thread->from[thread->next++ % MAPPED_CALLS] =
			(struct mapped_from){mapping.buffer, event->ns};
		return cause ? graph_remove(graph, item->call, (enum graph_cause)cause) : 0;
	}
	if (!note_unmaps(thread, item, mapping.buffer))
		cause = GRAPH_NONE;
	thread->removed_for = (enum graph_cause)cause;
	/* On a CPU a copy from buffer to buffer takes as long as what the host does. */
	return cause == GRAPH_NONE || (cause == GRAPH_BY_HOST && graph->cpu_devices)
		       ? 0
		       : graph_remove_since(graph, item->call, (enum graph_cause)cause);
}

struct mapped_thread *mapped_find(struct mapped *mapped, const struct event_item *item)
{
	struct mapped_thread *thread = &mapped->threads[item->event->stream->index];

	return thread->call && thread->call == item->call ? thread : NULL;
}

uint64_t mapped_buffer(const struct mapped *mapped, const struct event_item *item)
{
	const struct mapped_thread *thread = &mapped->threads[item->event->stream->index];

	return thread->map && thread->map == item->call ? thread->map_buffer : 0;
}

uint64_t mapped_ns(const struct mapped_thread *thread, const struct graph *graph, uint32_t stream,
		   int64_t kernels_until_ns)
{
	int64_t from_ns = thread->begin_ns, ns;

	if (kernels_until_ns > from_ns)
		from_ns = kernels_until_ns;
	ns = thread->end_ns - from_ns;
	if (ns > 0)
		ns -= graph_recording_within(&graph->threads[stream].recorded, from_ns,
					     thread->end_ns);
	return ns > 0 ? (uint64_t)ns : 0;
}

int mapped_judged(struct mapped *mapped, const struct mapped_thread *thread, enum graph_cause cause)
{
	return map_set(&mapped->causes, thread->buffer, cause);
}

void mapped_free(struct mapped *mapped)
{
	map_free(&mapped->causes);
	free(mapped->threads);
}
