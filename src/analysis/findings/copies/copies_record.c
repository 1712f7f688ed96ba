/* SPDX-License-Identifier: MIT */
/* What transfers moved, as the records behind their calls say. */
#include <errno.h>

#include "analysis/findings/copies/copies.h"
#include "analysis/operations/transfer_ends.h"

/* Of less the host asks whether it changed: a flag, a residual. */
#define UNCHANGED_READ_BYTES 4096u

/* What a read brought goes on to the device: that is said of it, and not that the host had it. */
static void take_back_read(struct copies *copies, struct copy_process *process,
			   struct read_content *read)
{
	struct copy_call *call = copy_calls_find(&copies->calls, read->call);

	if (call)
		call->unchanged_read = false;
	unchanged_read_take_back(&process->reads, read);
}

/* What went to the device when memory was unmapped. */
static int take_mapped(struct copies *copies, struct graph *graph, const struct event_item *item,
		       struct mapped_thread *mapped)
{
	const struct tandem_rec_content *content = (const void *)item->event->record;
	uint32_t stream = item->event->stream->index, index = item->event->stream->process->index;
	struct copy_process *process = &copies->processes[index];
	struct copy_latest write = {
		.buffer = mapped->buffer,
		.bytes = content->bytes,
		.call = mapped->call,
		.api = mapped->api,
		.done = true,
		.ns = mapped_ns(mapped, graph, stream, process->kernels_until_ns),
	};
	struct read_content *read =
		read_contents_written(&copies->reads, index, stream, mapped->buffer, 0, content);
	enum graph_cause cause = GRAPH_NONE;
	struct copy_buffer *buffer;
	bool unchanged;

	if (read)
		take_back_read(copies, process, read);
	if (copy_buffers_find(&copies->buffers, mapped->buffer, index, &buffer) ||
	    contents_written(&copies->contents, mapped->buffer, buffer, content, &unchanged))
		return -ENOMEM;
	buffer->given = true;
	if (!unchanged)
		dominate_given(&process->dominate);
	if (read && read->buffer != mapped->buffer) {
		cause = GRAPH_BY_HOST;
		copies->by_host.sums[index].removed += mapped->removed_for == cause;
		if (by_host_content(&copies->by_host, item,
				    &(struct by_host_ends){.graph = graph,
							   .buffers = &copies->buffers,
							   .buffer = buffer,
							   .last = &write,
							   .read = read}))
			return -ENOMEM;
	} else if (!read && unchanged) {
		cause = GRAPH_UNCHANGED;
		process->writes.removed += mapped->removed_for == cause;
		unchanged_begin(&process->writes, item, content->hashed < content->bytes);
		copy_time_add(&process->writes.time, write.api, write.bytes, write.ns);
	}
	return mapped_judged(&copies->mapped, mapped, cause);
}

/* It follows its call, and may come before its command's end or after it. */
static int take_content(struct copies *copies, struct graph *graph, const struct event_item *item)
{
	const struct tandem_rec_content *content = (const void *)item->event->record;
	uint32_t index = item->event->stream->process->index;
	struct copy_process *process = &copies->processes[index];
	struct copy_latest *last = &copies->calls.latest[item->event->stream->index];
	struct copy_call *call = copy_calls_find(&copies->calls, item->call);
	struct mapped_thread *mapped = mapped_find(&copies->mapped, item);
	struct copy_buffer *buffer;
	struct read_content *read;
	bool unchanged;

	if (mapped)
		return take_mapped(copies, graph, item, mapped);
	if (!last->call || last->call != item->call)
		return 0;
	last->written = true;
	read = read_contents_written(&copies->reads, index, item->event->stream->index,
				     last->buffer, last->address, content);
	if (read)
		take_back_read(copies, process, read);
	if (copy_buffers_find(&copies->buffers, last->buffer, index, &buffer) ||
	    contents_written(&copies->contents, last->buffer, buffer, content, &unchanged))
		return -ENOMEM;
	unchanged &= !last->coming;
	if (by_host_content(&copies->by_host, item,
			    &(struct by_host_ends){
				    .graph = graph,
				    .buffers = &copies->buffers,
				    .buffer = buffer,
				    .call = call,
				    .last = last,
				    .read = read,
				    .paired = read_contents_find(&copies->reads, index, last->pair),
			    }))
		return -ENOMEM;
	if (!unchanged)
		dominate_given(&process->dominate);
	if (!unchanged && last->done)
		dominate_take_back(&process->dominate, buffer, last, content->bytes);
	else if (!unchanged && call)
		call->changed = true;
	/* What comes back is said to do so. */
	if (!unchanged || last->read_before || read)
		return 0;
	if (last->done)
		dominate_take_back_input(&process->dominate);
	unchanged_begin(&process->writes, item, content->hashed < content->bytes);
	if (last->done)
		copy_time_add(&process->writes.time, last->api, content->bytes, last->ns);
	else if (call)
		call->unchanged = true;
	return unchanged_remove(&process->writes, graph, item);
}

/* As take_content(), of a read. */
static int take_content_read(struct copies *copies, struct graph *graph,
			     const struct event_item *item)
{
	const struct tandem_rec_content_read *content = (const void *)item->event->record;
	uint32_t index = item->event->stream->process->index;
	struct copy_process *process = &copies->processes[index];
	struct copy_latest *last = &copies->calls.latest[item->event->stream->index];
	struct copy_call *call = copy_calls_find(&copies->calls, item->call);
	struct copy_buffer *buffer;
	struct read_content *read;
	uint64_t mapped = mapped_buffer(&copies->mapped, item);
	bool again;

	/* Of shared memory no more is known than what it had. */
	if (mapped && last->call != item->call)
		read_contents_add(&copies->reads, index, item->event->stream->index, item->call,
				  mapped, 0, content);
	if (!last->call || last->call != item->call)
		return 0;
	read = read_contents_add(&copies->reads, index, item->event->stream->index, item->call,
				 last->buffer, last->address, content);
	if (copy_buffers_find(&copies->buffers, last->buffer, index, &buffer) ||
	    by_host_read(&copies->by_host, graph, item, buffer, last))
		return -ENOMEM;
	if (last->maps) {
		last->given = buffer->given;
		buffer->given = false;
	}
	if (content->bytes < UNCHANGED_READ_BYTES)
		return 0;
	if (contents_read(&copies->contents, last->buffer, content, &again))
		return -ENOMEM;
	if (!again || (last->done && last->given))
		return 0;
	unchanged_begin(&process->reads, item, content->hashed < content->bytes);
	if (last->done)
		unchanged_read_count(&process->reads, read, last->api, content->bytes, last->ns);
	else if (call)
		call->unchanged_read = true;
	return unchanged_remove(&process->reads, graph, item);
}

/* As take_content_read(), of one that did not wait. */
static int take_content_arrived(struct copies *copies, struct findings *findings,
				const struct event_item *item)
{
	const struct tandem_rec_content_arrived *content = (const void *)item->event->record;
	uint32_t index = item->event->stream->process->index;
	const struct async_read *read =
		async_reads_find(&findings->async_reads, index, content->op);

	if (read)
		read_contents_arrived(&copies->reads, index, item->event->stream->index, read,
				      content);
	return 0;
}

/* A buffer of the same number never comes again. */
int copies_freed(struct copies *copies, const struct trace_event *event)
{
	const struct tandem_rec_memory_free *record = (const void *)event->record;

	return contents_released(&copies->contents, transfer_ends_buffer(event, record->memory));
}

int copies_record(struct copies *copies, struct findings *findings, const struct event_item *item)
{
	switch (item->event->record->id) {
	case TANDEM_EVENT_content_mapped:
		mapped_looked(&copies->mapped);
		return 0;
	case TANDEM_EVENT_content:
		unread_recorded(&copies->unread, item->event);
		return take_content(copies, findings->graph, item);
	case TANDEM_EVENT_content_read:
		mapped_looked(&copies->mapped);
		unread_recorded(&copies->unread, item->event);
		return take_content_read(copies, findings->graph, item);
	case TANDEM_EVENT_content_arrived:
		unread_recorded(&copies->unread, item->event);
		return take_content_arrived(copies, findings, item);
	default:
		return 0;
	}
}
