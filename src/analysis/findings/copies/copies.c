/* SPDX-License-Identifier: MIT */
/* What is moved between host and device more often than once: from one buffer to another by
 * way of the host, data that the device or the host was given before, and transfers of the same buffers
 * again and again that make most of the run. What a transfer costs: exposed.h. Memory grows with
 * buffers and transfers in flight. */
#include <errno.h>
#include <stdlib.h>

#include "analysis/findings/copies/by_host.h"
#include "analysis/findings/copies/contents.h"
#include "analysis/findings/copies/dominate.h"
#include "analysis/findings/copies/through.h"
#include "analysis/findings/copies/unchanged.h"
#include "analysis/findings/exposed.h"
#include "analysis/findings/finding.h"
#include "analysis/operations/transfer_ends.h"

/* Of less the host asks whether it changed: a flag, a residual. */
#define UNCHANGED_READ_BYTES 4096u

struct copy_process {
	struct unchanged writes, reads;
	struct dominate dominate;
	int64_t kernels_until_ns;
};

struct copies {
	struct copy_buffers buffers;
	struct copy_calls calls;
	struct contents contents;
	struct read_contents reads;
	struct by_host by_host;
	struct through through;
	struct unread unread;
	struct copy_process *processes; /* by index */
};

static int copies_begin(struct findings *findings, void *state)
{
	struct copies *copies = state;

	copies->processes =
		calloc(findings->session->process_count + 1, sizeof(*copies->processes));
	if (!copies->processes || copy_calls_begin(&copies->calls, findings->session) ||
	    by_host_begin(&copies->by_host, findings->session))
		return -ENOMEM;
	if (unread_begin(&copies->unread, findings->session))
		return -ENOMEM;
	return read_contents_begin(&copies->reads, findings->session);
}

static int count_transfer(struct copies *copies, const struct operation *operation,
			  const struct copy_call *call)
{
	struct copy_process *process = &copies->processes[operation->process];
	struct copy_latest *last = copy_calls_latest(&copies->calls, operation);
	uint64_t ns = exposed_ns(process->kernels_until_ns, operation);
	uint64_t bytes = operation->record->bytes;
	struct copy_buffer *buffer;
	const struct unread_taken *unread;
	bool counted;

	if (copy_buffers_find(&copies->buffers, call->buffer, operation->process, &buffer))
		return -ENOMEM;
	if (last) {
		last->done = true;
		last->given = buffer->given;
		last->ns = ns;
		last->moved_ns = operation->record->end - operation->record->start;
		last->api = operation->api;
	}
	if (call->unchanged)
		copy_time_add(&process->writes.time, operation->api, bytes, ns);
	/* Whether that changed it, the host has to ask. */
	if (call->unchanged_read && !buffer->given)
		unchanged_read_count(
			&process->reads,
			read_contents_find(&copies->reads, operation->process, operation->call),
			operation->api, bytes, ns);
	counted = dominate_transfer(&process->dominate, &copies->buffers,
				    (uint32_t)(buffer - copies->buffers.rows), operation, call, ns);
	unread = unread_transfer(
		&copies->unread, operation,
		&(struct unread_taken){
			.row = (uint32_t)(buffer - copies->buffers.rows),
			.bytes = bytes,
			.ns = ns,
			.moved_ns = operation->record->end - operation->record->start,
			.api = operation->api,
			.counted = counted,
		});
	if (unread)
		dominate_unread(&copies->buffers, unread);
	buffer->given = operation->kind == TANDEM_OPERATION_KIND_copy_h2d;
	return by_host_transfer(&copies->by_host, operation, call, last, ns);
}

/* The device has nothing of what a transfer that failed would have brought. */
static int forget_failed(struct copies *copies, const struct operation *operation,
			 const struct copy_call *call)
{
	struct copy_buffer *buffer;

	if (copy_buffers_find(&copies->buffers, call->buffer, operation->process, &buffer))
		return -ENOMEM;
	buffer->generation++;
	return 0;
}

static int count_command(struct copies *copies, const struct operation *operation)
{
	struct copy_process *process = &copies->processes[operation->process];
	struct copy_call call;
	bool known = copy_calls_take(&copies->calls, operation->call, &call);

	if (known && operation->record && operation->record->status < 0)
		return forget_failed(copies, operation, &call);
	if (!operation->record || !operation->placed)
		return 0;
	dominate_command(&process->dominate, &copies->buffers, operation);
	exposed_kernel(&process->kernels_until_ns, operation);
	if (!known || (operation->kind != TANDEM_OPERATION_KIND_copy_h2d &&
		       operation->kind != TANDEM_OPERATION_KIND_copy_d2h))
		return 0;
	return count_transfer(copies, operation, &call);
}

/* What a read brought goes on to the device: that is said of it, and not that the host had it. */
static void take_back_read(struct copies *copies, struct copy_process *process,
			   struct read_content *read)
{
	struct copy_call *call = copy_calls_find(&copies->calls, read->call);

	if (call)
		call->unchanged_read = false;
	unchanged_read_take_back(&process->reads, read);
}

/* It follows its call, and may come before its command's end or after it. */
static int take_content(struct copies *copies, struct graph *graph, const struct event_item *item)
{
	const struct tandem_rec_content *content = (const void *)item->event->record;
	uint32_t index = item->event->stream->process->index;
	struct copy_process *process = &copies->processes[index];
	struct copy_latest *last = &copies->calls.latest[item->event->stream->index];
	struct copy_call *call = copy_calls_find(&copies->calls, item->call);
	struct copy_buffer *buffer;
	struct read_content *read;
	bool unchanged;

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
	return unchanged_remove(&process->writes, graph, item, last);
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
	bool again;

	if (!last->call || last->call != item->call)
		return 0;
	read = read_contents_add(&copies->reads, index, item->event->stream->index, item->call,
				 last->buffer, content);
	if (copy_buffers_find(&copies->buffers, last->buffer, index, &buffer) ||
	    by_host_read(graph, item, buffer, last))
		return -ENOMEM;
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
	return unchanged_remove(&process->reads, graph, item, last);
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
static int take_free(struct copies *copies, const struct trace_event *event)
{
	const struct tandem_rec_memory_free *record = (const void *)event->record;

	return contents_released(&copies->contents, transfer_ends_buffer(event, record->memory));
}

static int take_record(struct copies *copies, struct findings *findings,
		       const struct event_item *item)
{
	switch (item->event->record->id) {
	case TANDEM_EVENT_content:
		unread_recorded(&copies->unread, item->event);
		return take_content(copies, findings->graph, item);
	case TANDEM_EVENT_content_read:
		unread_recorded(&copies->unread, item->event);
		return take_content_read(copies, findings->graph, item);
	case TANDEM_EVENT_content_arrived:
		unread_recorded(&copies->unread, item->event);
		return take_content_arrived(copies, findings, item);
	default:
		return 0;
	}
}

static int copies_item(struct findings *findings, void *state, const struct event_item *item)
{
	struct copies *copies = state;

	if (item->kind == ITEM_CALL && through_call(&copies->through, item))
		return -ENOMEM;
	if (item->kind == ITEM_CALL && unread_call(&copies->unread, item))
		return -ENOMEM;
	if (item->kind == ITEM_CALL)
		return copy_calls_add(
			&copies->calls, item,
			copies->processes[item->event->stream->process->index].dominate.given);
	if (item->kind == ITEM_OPERATION || item->kind == ITEM_UNFINISHED)
		return count_command(copies, &item->operation);
	if (item->kind == ITEM_MEMORY && item->event->record->id == TANDEM_EVENT_memory_free)
		return take_free(copies, item->event);
	return item->kind == ITEM_OTHER ? take_record(copies, findings, item) : 0;
}

static int copies_event(struct findings *findings, void *state, const struct sequence_event *event)
{
	(void)findings;
	return through_event(&((struct copies *)state)->through, event);
}

static int copies_end(struct findings *findings, void *state)
{
	const struct copies *copies = state;
	int status = 0;

	for (uint32_t i = 0; !status && i < findings->session->process_count; i++) {
		const struct copy_process *process = &copies->processes[i];
		uint64_t told_ns = copies->by_host.sums[i].time.ns + process->writes.time.ns +
				   process->reads.time.ns;

		/* What is recorded of their contents says more. */
		status = copies->by_host.sums[i].time.count < COPY_HABIT_COUNT
				 ? through_add(&copies->through, i, findings)
				 : by_host_add(&copies->by_host, i, copies->calls.addresses,
					       findings);
		if (!status)
			status = unchanged_writes_add(&process->writes, findings);
		if (!status)
			status = unchanged_reads_add(&process->reads, findings);
		if (!status)
			status = dominate_add(&process->dominate, i, &copies->buffers, told_ns,
					      findings);
	}
	return status;
}

static void copies_release(struct findings *findings, void *state)
{
	struct copies *copies = state;

	(void)findings;
	copy_buffers_free(&copies->buffers);
	copy_calls_free(&copies->calls);
	contents_free(&copies->contents);
	read_contents_release(&copies->reads);
	by_host_free(&copies->by_host);
	through_free(&copies->through);
	unread_free(&copies->unread);
	free(copies->processes);
}

const struct finding_ops finding_copies = {
	.name = "copies",
	.words = "buffers copied by way of the host, unchanged data, transfers that dominate",
	.state_bytes = sizeof(struct copies),
	.graph = true,
	.begin = copies_begin,
	.item = copies_item,
	.event = copies_event,
	.events = 1u << SEQUENCE_START | 1u << SEQUENCE_END,
	.end = copies_end,
	.release = copies_release,
};
