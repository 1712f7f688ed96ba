/* SPDX-License-Identifier: MIT */
/* What is moved between host and device more often than once: from one buffer to another by
 * way of the host, data that the device or the host was given before, and transfers of the same buffers
 * again and again that make most of the run. What a transfer costs: exposed.h. Memory grows with
 * buffers and transfers in flight. */
#include <errno.h>
#include <stdlib.h>

#include "analysis/findings/copies/copies.h"
#include "analysis/findings/exposed.h"

static int copies_begin(struct findings *findings, void *state)
{
	struct copies *copies = state;

	copies->processes =
		calloc(findings->session->process_count + 1, sizeof(*copies->processes));
	if (!copies->processes || copy_calls_begin(&copies->calls, findings->session) ||
	    by_host_begin(&copies->by_host, findings->session))
		return -ENOMEM;
	if (unread_begin(&copies->unread, findings->session) ||
	    mapped_begin(&copies->mapped, findings->session))
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

/* It may be to read what is there: a record of that follows its call. */
static void note_map(struct copies *copies, const struct operation *operation)
{
	struct copy_latest *last = copy_calls_latest(&copies->calls, operation);

	if (!last)
		return;
	last->done = last->maps = true;
	last->ns = exposed_ns(copies->processes[operation->process].kernels_until_ns, operation);
	last->api = operation->api;
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
	if (known && operation->kind == TANDEM_OPERATION_KIND_map)
		note_map(copies, operation);
	if (!known || (operation->kind != TANDEM_OPERATION_KIND_copy_h2d &&
		       operation->kind != TANDEM_OPERATION_KIND_copy_d2h))
		return 0;
	return count_transfer(copies, operation, &call);
}

static int copies_item(struct findings *findings, void *state, const struct event_item *item)
{
	struct copies *copies = state;

	if (item->kind == ITEM_CALL && through_call(&copies->through, item))
		return -ENOMEM;
	if (item->kind == ITEM_CALL && (unread_call(&copies->unread, item) ||
					mapped_call(&copies->mapped, findings->graph, item)))
		return -ENOMEM;
	if (item->kind == ITEM_CALL)
		return copy_calls_add(
			&copies->calls, item,
			copies->processes[item->event->stream->process->index].dominate.given);
	if (item->kind == ITEM_OPERATION || item->kind == ITEM_UNFINISHED)
		return count_command(copies, &item->operation);
	if (item->kind == ITEM_MEMORY && item->event->record->id == TANDEM_EVENT_memory_free)
		return copies_freed(copies, item->event);
	return item->kind == ITEM_OTHER ? copies_record(copies, findings, item) : 0;
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
	mapped_free(&copies->mapped);
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
