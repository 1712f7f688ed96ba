/* SPDX-License-Identifier: MIT */
#include "view/rows/queues.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/domain.h"
#include "util/array.h"
#include "util/order/compare.h"
#include "view/rows/tasks/task_label.h"
#include "view/rows/threads/threads.h"

enum { QUEUE_ROWS = VIEW_ROW_untimed - VIEW_ROW_kernels + 1 };

_Static_assert(QUEUE_ROWS == 4, "kernels, transfers, sync, untimed");

struct view_queue {
	uint32_t process, number;
	uint32_t context;			  /* number in the process, 0: not known */
	uint32_t device;			  /* row of devices */
	uint32_t row;				  /* VIEW_NONE until the first command */
	struct depth_packing packing[QUEUE_ROWS]; /* by row kind; no row while empty */
	bool has_row[QUEUE_ROWS];
};

void view_queues_init(struct view_queues *queues, struct index_writer *writer,
		      struct event_iterator *iterator, const uint32_t *process_rows, int64_t end_ns)
{
	memset(queues, 0, sizeof(*queues));
	queues->writer = writer;
	queues->iterator = iterator;
	queues->process_rows = process_rows;
	queues->end_ns = end_ns;
}

/* Whether queues of the process are in more than one context. */
static bool has_contexts(const struct view_queues *queues, const struct view_queue *of)
{
	for (size_t i = 0; i < queues->queue_count; i++)
		if (queues->queues[i].process == of->process &&
		    queues->queues[i].context != of->context)
			return true;
	return false;
}

static int find_context(struct view_queues *queues, const struct view_queue *queue,
			uint32_t *context)
{
	uint64_t key = (uint64_t)queue->process << 32 | queue->context;
	uint64_t known = map_get(&queues->context_of, key);
	struct view_row row = {
		.kind = VIEW_ROW_context,
		.parent = queues->process_rows[queue->process],
		.process = queue->process,
		.stream = VIEW_NONE,
		.number = queue->context,
		.device = VIEW_NONE,
	};
	char name[32];
	int status;

	*context = known == MAP_NONE ? row.parent : (uint32_t)known;
	if (known != MAP_NONE || !has_contexts(queues, queue))
		return 0;
	snprintf(name, sizeof(name), queue->context ? "context %" PRIu32 : "unknown context",
		 queue->context);
	status = index_writer_name(queues->writer, name, &row.name);
	if (!status)
		status = index_writer_row(queues->writer, &row, context);
	return status ? status : map_set(&queues->context_of, key, *context);
}

static int find_queue(struct view_queues *queues, const struct operation *operation,
		      uint32_t *index)
{
	uint64_t key = (uint64_t)operation->process << 32 | operation->queue_number;
	uint64_t known = map_get(&queues->queue_of, key);
	struct view_queue queue = {.process = operation->process,
				   .number = operation->queue_number,
				   .device = operation->device,
				   .row = VIEW_NONE};

	*index = (uint32_t)known;
	if (known != MAP_NONE)
		return 0;
	if (operation->queue != TRACE_NONE)
		queue.context = queues->iterator->devices.objects.queues[operation->queue].context;
	if (array_reserve(&queues->queues, &queues->queue_capacity, queues->queue_count + 1,
			  sizeof(*queues->queues)))
		return -ENOMEM;
	*index = (uint32_t)queues->queue_count;
	queues->queues[queues->queue_count++] = queue;
	return map_set(&queues->queue_of, key, *index);
}

static enum view_row_kind row_of(uint8_t kind)
{
	switch ((enum tandem_operation_kind)kind) {
	case TANDEM_OPERATION_KIND_kernel:
		return VIEW_ROW_kernels;
	case TANDEM_OPERATION_KIND_barrier:
	case TANDEM_OPERATION_KIND_marker:
	case TANDEM_OPERATION_KIND_other:
		return VIEW_ROW_sync;
	case TANDEM_OPERATION_KIND_copy_h2d:
	case TANDEM_OPERATION_KIND_copy_d2h:
	case TANDEM_OPERATION_KIND_copy_d2d:
	case TANDEM_OPERATION_KIND_fill:
	case TANDEM_OPERATION_KIND_map:
	case TANDEM_OPERATION_KIND_unmap:
	case TANDEM_OPERATION_KIND_migrate:
		break;
	}
	return VIEW_ROW_transfers;
}

/* Names are borrowed and live as long as the iterator, so that their address is a
 * key. */
static int find_label(struct view_queues *queues, const struct operation *operation, unsigned flags,
		      uint32_t *label)
{
	const struct task_construct *construct =
		event_iterator_construct(queues->iterator, operation);
	uint64_t key = ((uint64_t)(uintptr_t)operation->name << 8 | (uint64_t)operation->kind << 4 |
			flags) ^
		       (uint64_t)(uintptr_t)construct * 0x9e3779b97f4a7c15u;
	uint64_t known = map_get(&queues->label_of, key);
	const struct tandem_domain_row *domain;
	struct text text = TEXT_INIT;
	const char *name;
	int status;

	*label = (uint32_t)known;
	if (known != MAP_NONE)
		return 0;
	name = view_task_label(&text, operation->name, construct);
	status = index_writer_label(queues->writer, name,
				    (enum view_span_kind)(VIEW_SPAN_kernel + operation->kind),
				    flags, label);
	/* A kernel's name is the program's own. */
	domain = operation->kind == TANDEM_OPERATION_KIND_kernel
			 ? NULL
			 : tandem_domain_row(operation->domain);
	if (!status && domain)
		index_writer_brief(queues->writer, *label, name, tandem_domain_brief(domain, name));
	text_free(&text);
	return status ? status : map_set(&queues->label_of, key, *label);
}

static int64_t relative(const struct view_queues *queues, int64_t ns)
{
	return ns - queues->iterator->session->start_ns;
}

static void place(const struct view_queues *queues, const struct operation *operation,
		  struct view_command *placed, struct view_pending *pending)
{
	const struct operation_times *times = &operation->times;
	const struct tandem_rec_operation *record = operation->record;
	int64_t from_ns, to_ns;

	operation_span(operation, queues->iterator->session->start_ns + queues->end_ns, &from_ns,
		       &to_ns);
	placed->begin_ns = relative(queues, from_ns);
	pending->end_ns = relative(queues, to_ns);
	if (!operation->placed)
		return;
	placed->bound_ns = times->bound_ns < UINT32_MAX ? (uint32_t)times->bound_ns : UINT32_MAX;
	pending->queued_ns = relative(queues, times->queued_ns);
	pending->submitted_ns = relative(queues, times->submitted_ns);
	pending->waits = record->queued <= record->submitted && record->submitted <= record->start;
}

static unsigned flags_of(struct view_queues *queues, const struct operation *operation)
{
	unsigned flags = 0;

	if (!operation->record) {
		queues->unfinished++;
		return VIEW_FLAG_unfinished;
	}
	if (operation->record->status < 0)
		flags |= VIEW_FLAG_failed;
	if (!operation->placed) {
		queues->untimed++;
		flags |= VIEW_FLAG_untimed;
	} else if (!operation->times.causal) {
		queues->noncausal++;
		flags |= VIEW_FLAG_noncausal;
	}
	return flags;
}

int view_queues_command(struct view_queues *queues, const struct event_item *item)
{
	const struct operation *operation = &item->operation;
	struct index_writer *writer = queues->writer;
	struct view_command placed = {
		.op = operation->op,
		.process = operation->process,
		.call_stream = operation->call ? operation->stream : VIEW_NONE,
		.call_begin_ns =
			operation->call ? relative(queues, operation->call_begin_ns) : INT64_MIN,
		.seen_stream = item->event ? item->event->stream->index : VIEW_NONE,
		.seen_ns = operation->record ? relative(queues, operation->seen_ns) : INT64_MIN,
		.bytes = operation->record ? operation->record->bytes : 0,
		.track = VIEW_NONE,
	};
	struct view_pending pending = {.device = operation->device};
	unsigned flags = flags_of(queues, operation);
	int status = find_queue(queues, operation, &pending.queue);

	if (!status)
		status = find_label(queues, operation, flags, &placed.label);
	if (status)
		return status;
	place(queues, operation, &placed, &pending);
	pending.row_kind = flags & (VIEW_FLAG_untimed | VIEW_FLAG_unfinished)
				   ? VIEW_ROW_untimed
				   : (uint8_t)row_of(operation->kind);
	if (writer->command_count == UINT32_MAX - 1)
		return -EOVERFLOW;
	if (array_reserve(&writer->commands, &writer->command_capacity, writer->command_count + 1,
			  sizeof(*writer->commands)) ||
	    array_reserve(&queues->pending, &queues->pending_capacity, writer->command_count + 1,
			  sizeof(*queues->pending)))
		return -ENOMEM;
	queues->pending[writer->command_count] = pending;
	writer->commands[writer->command_count++] = placed;
	return 0;
}

static int begin_compare(const void *a, const void *b, void *commands_of)
{
	const struct view_command *commands = commands_of;
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return COMPARE(commands[left].begin_ns, commands[right].begin_ns) ?: COMPARE(left, right);
}

static uint32_t *order_by_begin(const struct index_writer *writer)
{
	size_t count = writer->command_count;
	uint32_t *order = malloc((count + 1) * sizeof(*order));
	bool sorted = true;

	for (size_t i = 0; order && i < count; i++) {
		order[i] = (uint32_t)i;
		sorted = sorted &&
			 (!i || writer->commands[i - 1].begin_ns <= writer->commands[i].begin_ns);
	}
	if (order && !sorted)
		qsort_r(order, count, sizeof(*order), begin_compare, writer->commands);
	return order;
}

static int add_row(struct view_queues *queues, struct view_resources *resources,
		   struct view_queue *queue, uint8_t kind)
{
	static const char *const names[QUEUE_ROWS] = {
		[VIEW_ROW_kernels - VIEW_ROW_kernels] = "kernels",
		[VIEW_ROW_transfers - VIEW_ROW_kernels] = "transfers",
		[VIEW_ROW_sync - VIEW_ROW_kernels] = "barriers, markers",
		[VIEW_ROW_untimed - VIEW_ROW_kernels] = "no device times",
	};
	struct view_row row = {
		.kind = kind,
		.process = queue->process,
		.stream = VIEW_NONE,
		.number = queue->number,
	};
	char name[32];
	int status = view_resources_device(resources, queue->device, &row.device);

	if (!status)
		status = index_writer_name(
			queues->writer, event_iterator_device_name(queues->iterator, queue->device),
			&row.note);
	if (!status && queue->row == VIEW_NONE) {
		struct view_row of = row;

		of.kind = VIEW_ROW_queue;
		snprintf(name, sizeof(name), "queue %" PRIu32, queue->number);
		status = find_context(queues, queue, &of.parent);
		if (!status)
			status = index_writer_name(queues->writer, name, &of.name);
		if (!status)
			status = index_writer_row(queues->writer, &of, &queue->row);
	}
	row.parent = queue->row;
	if (!status)
		status = index_writer_name(queues->writer, names[kind - VIEW_ROW_kernels],
					   &row.name);
	queue->has_row[kind - VIEW_ROW_kernels] = true;
	return status ? status
		      : index_writer_row(queues->writer, &row,
					 &queue->packing[kind - VIEW_ROW_kernels].row);
}

static int write_command(struct view_queues *queues, struct view_resources *resources,
			 struct activity_track *activities, uint32_t number)
{
	const struct view_pending *pending = &queues->pending[number];
	struct view_command *operation = &queues->writer->commands[number];
	struct view_queue *queue = &queues->queues[pending->queue];
	struct track_writer *track;
	int status = 0;

	if (!queue->has_row[pending->row_kind - VIEW_ROW_kernels])
		status = add_row(queues, resources, queue, pending->row_kind);
	if (!status)
		status = depth_packing_pick(&queue->packing[pending->row_kind - VIEW_ROW_kernels],
					    queues->writer, operation->begin_ns, pending->end_ns,
					    &track);
	if (status)
		return status;
	operation->track = track->number;
	status = track_writer_ref(track, operation->begin_ns, pending->end_ns, operation->label,
				  number);
	if (status || pending->row_kind == VIEW_ROW_untimed)
		return status;
	status = activity_track_add(&activities[operation->process], operation->begin_ns,
				    pending->end_ns);
	if (!status)
		status = activity_track_add(&activities[queues->iterator->session->traced_count],
					    operation->begin_ns, pending->end_ns);
	return status ? status : view_resources_command(resources, pending, number);
}

/* A activity for each process that has commands, and one for the session. */
static int add_activity_tracks(struct view_queues *queues, struct activity_track *activities,
			       uint32_t session_row)
{
	size_t count = queues->iterator->session->traced_count;
	uint32_t label;
	int status = index_writer_label(queues->writer, "device busy", VIEW_SPAN_active, 0, &label);

	for (size_t i = 0; i <= count && !status; i++) {
		uint32_t row = i < count ? queues->process_rows[i] : session_row;

		activities[i] =
			(struct activity_track){.label = label, .gap_ns = VIEW_STRIP_GAP_NS};
		status = index_writer_track(queues->writer, row, VIEW_TRACK_activity,
					    &activities[i].track);
		if (!status)
			activities[i].track->again = true;
	}
	return status;
}

int view_queues_finish(struct view_queues *queues, struct view_resources *resources,
		       uint32_t session_row)
{
	size_t processes = queues->iterator->session->traced_count;
	struct activity_track *activities = calloc(processes + 1, sizeof(*activities));
	uint32_t *order = order_by_begin(queues->writer);
	int status = activities && order ? add_activity_tracks(queues, activities, session_row)
					 : -ENOMEM;

	for (size_t i = 0; i < queues->writer->command_count && !status; i++)
		status = write_command(queues, resources, activities, order[i]);
	for (size_t i = 0; i <= processes && !status; i++)
		status = activity_track_close(&activities[i]);
	free(activities);
	free(order);
	return status;
}

void view_queues_free(struct view_queues *queues)
{
	free(queues->queues);
	free(queues->pending);
	map_free(&queues->queue_of);
	map_free(&queues->context_of);
	map_free(&queues->label_of);
	memset(queues, 0, sizeof(*queues));
}
