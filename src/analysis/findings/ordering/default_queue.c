/* SPDX-License-Identifier: MIT */
#include "analysis/findings/ordering/default_queue.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/operations/queue_order.h"
#include "schema/traits.h"
#include "trace/field.h"
#include "util/keyed_row.h"
#include "util/units.h"

enum { TO_DEVICE, TO_HOST, KERNELS };

static struct default_row *row_find(struct default_queues *defaults,
				    const struct sequence_event *event, uint32_t queue)
{
	const struct default_row fresh = {.process = event->process, .device = event->device};
	uint64_t key = ((uint64_t)event->process << 16 | event->device) << 32 | queue;

	return keyed_row(&defaults->row_of, key, &defaults->rows, &defaults->capacity,
			 &defaults->count, &fresh, sizeof(fresh));
}

static void count_engines(struct default_row *row, unsigned kind, uint64_t ns, double room)
{
	if (kind == TANDEM_OPERATION_KIND_copy_h2d)
		row->engine_ns[TO_DEVICE] += ns;
	else if (kind == TANDEM_OPERATION_KIND_copy_d2h)
		row->engine_ns[TO_HOST] += ns;
	else if (kind == TANDEM_OPERATION_KIND_kernel)
		row->engine_ns[KERNELS] += (uint64_t)(room * (double)ns);
}

/* The default queue's own command: whether it was there before what it waited for had ended. */
static void note_default(struct default_row *row, const struct sequence_event *event,
			 const struct default_command *command)
{
	const struct default_command *before = &row->other[0];

	row->waited = before->queue && event->other_ns < before->end_ns &&
		      command->start_ns >= before->end_ns;
	if (row->waited)
		row->gap_ns += (uint64_t)(command->start_ns - before->end_ns);
	row->latest = *command;
	if (!row->first.queue) {
		row->first = *command;
		row->name = event->name;
	}
}

/* Whether an event was recorded in the default queue between the two calls. */
static bool is_marked(const struct default_marks *marks, int64_t from_ns, int64_t to_ns)
{
	uint64_t oldest = marks->count > DEFAULT_MARKS ? marks->count - DEFAULT_MARKS : 0;
	uint64_t low = oldest, high = marks->count;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (marks->ns[middle % DEFAULT_MARKS] <= from_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low < marks->count && marks->ns[low % DEFAULT_MARKS] < to_ns;
}

/* A command that was there before that of another queue ended, behind an event that waited for
 * that one. */
static void note_marked(const struct default_queues *defaults, struct default_row *row,
			const struct sequence_event *event, const struct default_command *before,
			const struct default_command *command)
{
	const struct default_marks *marks = &defaults->marks[event->process];

	if (!before->queue || command->given_ns >= before->end_ns ||
	    command->start_ns < before->end_ns ||
	    !room_for_both(before->kind, before->room, command->kind, command->room) ||
	    !is_marked(marks, before->given_ns, command->given_ns))
		return;
	row->gap_ns += (uint64_t)(command->start_ns - before->end_ns);
	row->count++;
	if (row->marked++)
		return;
	row->first = *command;
	row->first.queue = marks->queue;
	row->first.stream = marks->stream;
	row->mark_name = marks->name;
}

static void note_other(const struct default_queues *defaults, struct default_row *row,
		       const struct sequence_event *event, const struct default_command *command)
{
	/* Of another queue than its own. */
	const struct default_command before = row->other[row->other[0].queue == command->queue];

	if (row->other[0].queue != command->queue)
		row->other[1] = row->other[0];
	row->other[0] = *command;
	if (defaults->marks && !row->waited)
		note_marked(defaults, row, event, &before, command);
	if (!row->waited || command->start_ns < row->latest.end_ns)
		return;
	row->waited = false; /* the first of those that waited */
	if (event->other_ns >= row->latest.end_ns)
		return;
	row->gap_ns += (uint64_t)(command->start_ns - row->latest.end_ns);
	/* It was there while commands of that queue ran. */
	row->count += before.queue && event->other_ns < before.end_ns;
}

int default_queue_operation(struct default_queues *defaults, const struct findings *findings,
			    const struct operation *operation, struct rooms *rooms, double room)
{
	enum queue_order kind;

	if (!operation->placed || operation->queue == TRACE_NONE)
		return 0;
	kind = queue_order(&findings->iterator->devices.objects.queues[operation->queue]);
	defaults->any |= kind == QUEUE_DEFAULT;
	if (!defaults->any || kind == QUEUE_APART)
		return 0;
	if (rooms_keep(rooms, operation, room))
		return -ENOMEM;
	return map_set(&defaults->kinds,
		       (uint64_t)operation->process << 32 | operation->queue_number, kind);
}

/* An event that is recorded in such a queue. */
int default_queue_call(struct default_queues *defaults, const struct findings *findings,
		       const struct trace_event *event)
{
	const struct trace_objects *objects = &findings->iterator->devices.objects;
	const struct tandem_field *queue = trace_field_role(event->layout, TANDEM_ROLE_queue);
	const struct tandem_field *recorded = trace_field_role(event->layout, TANDEM_ROLE_event);
	const struct tandem_event *api = event->layout->event;
	uint32_t process = event->stream->process->index, row;
	struct default_marks *marks;

	if (!queue || !recorded || recorded->kind != TANDEM_FIELD_OBJECT ||
	    api->class != TANDEM_CLASS_CALL || api->traits.wait == TANDEM_WAIT_in_queue)
		return 0;
	row = trace_objects_queue(objects, process, (uint32_t)trace_field_unsigned(event, queue));
	if (row == TRACE_NONE || objects->queues[row].in_order != TANDEM_IN_ORDER_all)
		return 0;
	if (!defaults->marks)
		defaults->marks =
			calloc(findings->session->process_count, sizeof(*defaults->marks));
	if (!defaults->marks)
		return -ENOMEM;
	defaults->any = true;
	marks = &defaults->marks[process];
	if (marks->count && event->ns < marks->ns[(marks->count - 1) % DEFAULT_MARKS])
		return 0; /* of another thread, between two of this one's */
	marks->queue = objects->queues[row].number;
	marks->stream = event->stream->index;
	marks->name = api->name;
	marks->ns[marks->count++ % DEFAULT_MARKS] = event->ns;
	return 0;
}

int default_queue_start(struct default_queues *defaults, struct rooms *rooms,
			const struct sequence_event *event)
{
	struct default_command command = {.queue = event->queue,
					  .stream = event->stream,
					  .start_ns = event->ns,
					  .end_ns = event->ns + (int64_t)event->duration_ns,
					  .given_ns = event->other_ns,
					  .kind = event->operation_kind};
	uint64_t kind, queue_ns;
	struct default_row *row;
	int64_t from_ns;

	if (!defaults->any)
		return 0;
	kind = map_get(&defaults->kinds, (uint64_t)event->process << 32 | event->queue);
	if (kind == MAP_NONE)
		return 0;
	command.room = rooms_take(rooms, event->process, event->op);
	row = row_find(defaults, event, event->queue);
	if (!row)
		return -ENOMEM;
	row->busy_ns += event->duration_ns;
	queue_ns = row->busy_ns;
	row = row_find(defaults, event, 0);
	if (!row)
		return -ENOMEM;
	if (queue_ns > row->longest_ns)
		row->longest_ns = queue_ns;
	from_ns = command.start_ns > row->until_ns ? command.start_ns : row->until_ns;
	if (command.end_ns > from_ns) {
		row->busy_ns += (uint64_t)(command.end_ns - from_ns);
		row->until_ns = command.end_ns;
	}
	count_engines(row, event->operation_kind, event->duration_ns, command.room);
	if (kind == QUEUE_DEFAULT)
		note_default(row, event, &command);
	else
		note_other(defaults, row, event, &command);
	return 0;
}

/* What remains where nothing waits for the default queue: the busiest queue, or the busiest engine. */
static uint64_t saved_ns(const struct default_row *row)
{
	uint64_t remains_ns = row->longest_ns;

	for (unsigned i = 0; i < sizeof(row->engine_ns) / sizeof(*row->engine_ns); i++) {
		if (row->engine_ns[i] > remains_ns)
			remains_ns = row->engine_ns[i];
	}
	return remains_ns < row->busy_ns ? row->busy_ns - remains_ns + row->gap_ns : 0;
}

static int add_row(struct findings *findings, const struct default_row *row)
{
	uint64_t ns = saved_ns(row);
	char count[UNITS_BYTES];
	struct finding *finding;
	const char *queue, *name;

	if (!ns || !findings_is_habit(findings, row->count, ns))
		return 0;
	finding = findings_add(findings, "ordering", "default-queue");
	if (!finding)
		return -ENOMEM;
	queue = findings_domain(findings, row->device)->queue;
	finding->count = row->count;
	finding->cost_ns = ns;
	finding->queue = row->first.queue;
	name = 2 * row->marked > row->count ? row->mark_name : row->name;
	finding->object = name ? name : "";
	finding_device(findings, finding, row->device);
	finding->what = findings_text(findings,
				      "the default %s (%s and others) serialises the other %ss: %s "
				      "commands waited for it, and with it for another %s",
				      queue, name ? name : "a command", queue,
				      units_count(count, row->count), queue);
	finding->confidence = CONFIDENCE_MEDIUM;
	finding->why =
		findings_text(findings,
			      "each %s that was not created non-blocking waits for the default "
			      "one, which waits for all of them; that their commands are "
			      "independent is assumed",
			      queue);
	finding->suggestion = findings_text(
		findings,
		"enqueue the default %s's commands, and record its events, in the %s that needs "
		"them, or create the others non-blocking",
		queue, queue);
	finding_place(findings, finding, row->first.stream);
	finding_time(findings, finding, row->first.start_ns, row->first.end_ns);
	return 0;
}

int default_queue_add(const struct default_queues *defaults, struct findings *findings)
{
	int status = 0;

	for (size_t i = 0; !status && i < defaults->count; i++)
		status = add_row(findings, &defaults->rows[i]);
	return status;
}

void default_queue_free(struct default_queues *defaults)
{
	map_free(&defaults->kinds);
	map_free(&defaults->row_of);
	free(defaults->rows);
	free(defaults->marks);
}
