/* SPDX-License-Identifier: MIT */
#include "analysis/findings/transfers/further.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/operations/transfer_ends.h"
#include "trace/field.h"

int further_begin(struct further *further, const struct trace_session *session)
{
	further->threads = calloc(session->stream_count + 1, sizeof(*further->threads));
	if (!further->threads)
		return -ENOMEM;
	further->count = session->stream_count;
	for (size_t i = 0; i < further->count; i++)
		further->threads[i].bytes = UINT64_MAX;
	return 0;
}

/* A wait for this operation alone. */
static bool waits_for(const struct trace_event *event, uint64_t op)
{
	const struct tandem_field *one, *list;
	const uint8_t *elements;
	size_t count;

	if (event->layout->event->traits.wait != TANDEM_WAIT_event)
		return false;
	one = trace_field_role(event->layout, TANDEM_ROLE_event);
	if (one && one->kind == TANDEM_FIELD_OP)
		return trace_field_unsigned(event, one) == op;
	list = trace_field_role(event->layout, TANDEM_ROLE_events);
	if (!list || list->kind != TANDEM_FIELD_OP || !list->variable)
		return false;
	elements = trace_field_elements(event, list, &count);
	return count == 1 && trace_element_unsigned(list, elements) == op;
}

static int enqueue_call(struct further *further, struct further_thread *thread, struct graph *graph,
			const struct event_item *item)
{
	const struct trace_event *event = item->event;
	const struct tandem_field *bytes = trace_field_role(event->layout, TANDEM_ROLE_bytes);
	uint16_t before = thread->api;
	struct transfer_ends ends;

	thread->op = 0;
	thread->api = transfer_ends_find(event, &ends) ? event->layout->event->id : 0;
	/* A part of a buffer's rows is as large as the one before. */
	if (!thread->api || thread->api != before ||
	    (bytes ? trace_field_unsigned(event, bytes) : thread->bytes) > OPERATION_TINY_BYTES)
		return 0;
	thread->op = trace_event_op(event);
	further->removed++;
	return graph_remove_since(graph, item->call, GRAPH_SMALL);
}

static int note_kernel(struct further_thread *thread, const struct event_item *item)
{
	const struct trace_event *event = item->event;

	if (!trace_field_role(event->layout, TANDEM_ROLE_kernel) &&
	    !event->layout->event->traits.graph)
		return 0;
	if (!thread->kernels)
		thread->kernels = malloc(FURTHER_KERNELS * sizeof(*thread->kernels));
	if (!thread->kernels)
		return -ENOMEM;
	thread->kernels[thread->kernel_count++ % FURTHER_KERNELS] = item->call;
	return 0;
}

int further_call(struct further *further, struct graph *graph, const struct event_item *item)
{
	const struct trace_event *event = item->event;
	struct further_thread *thread = &further->threads[event->stream->index];

	switch (event->layout->event->class) {
	case TANDEM_CLASS_ENQUEUE:
		if (trace_event_op(event) && !trace_event_failed(event))
			return enqueue_call(further, thread, graph, item)
				       ?: note_kernel(thread, item);
		break;
	case TANDEM_CLASS_QUERY:
	case TANDEM_CLASS_RETAIN:
	case TANDEM_CLASS_RELEASE:
		return thread->op ? graph_remove_since(graph, item->call, GRAPH_SMALL) : 0;
	case TANDEM_CLASS_WAIT:
		if (thread->op && waits_for(event, thread->op))
			return graph_remove_since(graph, item->call, GRAPH_SMALL);
		break;
	default:
		break;
	}
	thread->op = 0;
	return 0;
}

void further_command(struct further *further, const struct operation *operation)
{
	if (operation->stream != TRACE_NONE)
		further->threads[operation->stream].bytes = operation->record->bytes;
}

/* The numbers increase. Of more than are remembered, one was there. */
bool further_is_next(const struct further *further, uint32_t stream, uint64_t call, uint64_t next)
{
	const struct further_thread *thread = &further->threads[stream];
	uint64_t at = thread->kernel_count;
	uint64_t oldest = at > FURTHER_KERNELS ? at - FURTHER_KERNELS : 0;

	while (at > oldest && thread->kernels[(at - 1) % FURTHER_KERNELS] > next)
		at--;
	return at > oldest ? thread->kernels[(at - 1) % FURTHER_KERNELS] < call : !oldest;
}

void further_release(struct further *further)
{
	for (size_t i = 0; i < further->count; i++)
		free(further->threads[i].kernels);
	free(further->threads);
}
