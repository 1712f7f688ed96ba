/* SPDX-License-Identifier: MIT */
#include "analysis/findings/ordering/turns.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/operations/transfer_ends.h"
#include "trace/field.h"
#include "util/keyed_row.h"
#include "util/units.h"

/* Fewer are no habit. */
#define HABIT_COUNT 8u

static uint64_t key_of(const struct trace_event *event, uint64_t number)
{
	return (uint64_t)event->stream->process->index << 32 | (uint32_t)number;
}

static struct turns_queue *queue_find(struct turns *turns, const struct trace_event *event,
				      uint64_t number)
{
	const struct turns_queue fresh = {.latest.queue = (uint32_t)number};

	return keyed_row(&turns->queue_of, key_of(event, number), &turns->queues,
			 &turns->queue_capacity, &turns->queue_count, &fresh, sizeof(fresh));
}

static struct turns_command *event_find(struct turns *turns, const struct trace_event *event,
					uint64_t number)
{
	const struct turns_command fresh = {.op = 0};

	return keyed_row(&turns->event_of, key_of(event, number), &turns->events,
			 &turns->event_capacity, &turns->event_count, &fresh, sizeof(fresh));
}

static int note_enqueue(struct turns *turns, struct turns_queue *queue,
			const struct trace_event *event)
{
	uint32_t process = event->stream->process->index;
	const struct turns_command awaited = queue->awaited;
	struct transfer_ends ends;
	bool is_one;

	queue->awaited.op = 0;
	queue->latest.op = trace_event_op(event);
	if (!transfer_ends_find(event, &ends))
		return 0;
	queue->latest.buffer = ends.buffer;
	if (!awaited.op || awaited.queue == queue->latest.queue)
		return 0;
	/* A queue that has no transfers works on what this one brings: in one place each time? */
	is_one = !awaited.buffer && queue->filled == ends.buffer;
	queue->filled = ends.buffer;
	if (!is_one && (!awaited.buffer || awaited.buffer == ends.buffer))
		return 0;
	if (is_one &&
	    map_set(&turns->one_place, operation_key(process, queue->latest.op), awaited.queue))
		return -ENOMEM;
	if (map_get(&turns->awaited, operation_key(process, awaited.op)) == MAP_NONE &&
	    map_set(&turns->awaited, operation_key(process, awaited.op), 0))
		return -ENOMEM;
	return map_set(&turns->waits, operation_key(process, queue->latest.op), awaited.op);
}

int turns_call(struct turns *turns, const struct trace_event *event)
{
	const struct tandem_field *queue_field = trace_field_role(event->layout, TANDEM_ROLE_queue);
	const struct tandem_field *event_field = trace_field_role(event->layout, TANDEM_ROLE_event);
	const struct tandem_event *api = event->layout->event;
	struct turns_command *command;
	struct turns_queue *queue;

	if (!queue_field || trace_event_failed(event) ||
	    (api->class != TANDEM_CLASS_ENQUEUE &&
	     (api->class != TANDEM_CLASS_CALL || !event_field ||
	      event_field->kind != TANDEM_FIELD_OBJECT)))
		return 0;
	queue = queue_find(turns, event, trace_field_unsigned(event, queue_field));
	if (!queue)
		return -ENOMEM;
	if (api->class == TANDEM_CLASS_ENQUEUE)
		return note_enqueue(turns, queue, event);
	command = event_find(turns, event, trace_field_unsigned(event, event_field));
	if (!command)
		return -ENOMEM;
	/* The queue waits for the event, or is what the event waits for from now on. */
	if (api->traits.wait == TANDEM_WAIT_in_queue)
		queue->awaited = *command;
	else
		*command = queue->latest;
	return 0;
}

/* Of one that is known. */
static struct turns_queue *queue_known(struct turns *turns, uint32_t process, uint32_t number)
{
	uint64_t at = map_get(&turns->queue_of, (uint64_t)process << 32 | number);

	return at == MAP_NONE ? NULL : &turns->queues[at];
}

/* What a queue's kernels took since it was waited for the last time: of a transfer that waits for it
 * to be done with what one brought before. */
static uint64_t worked_ns(struct turns *turns, const struct operation *operation, uint32_t worker)
{
	struct turns_queue *queue = queue_known(turns, operation->process, worker);
	uint64_t ns = queue ? queue->kernel_ns : 0;

	if (queue)
		queue->kernel_ns = 0;
	return ns;
}

static int count_turn(struct turns *turns, const struct operation *operation, uint64_t waited_ns)
{
	const struct turns_sum fresh = {.count = 0};
	uint64_t worker =
		map_remove(&turns->one_place, operation_key(operation->process, operation->op));
	bool is_one = worker != MAP_NONE;
	uint64_t ns = (uint64_t)(operation->times.end_ns - operation->times.start_ns);
	struct turns_sum *sum =
		keyed_row(&turns->sum_of, operation->process, &turns->sums, &turns->sum_capacity,
			  &turns->sum_count, &fresh, sizeof(fresh));

	if (!sum)
		return -ENOMEM;
	if (is_one)
		waited_ns = worked_ns(turns, operation, (uint32_t)worker);
	sum->count++;
	sum->one_place += is_one;
	sum->ns += ns < waited_ns ? ns : waited_ns;
	if (sum->count > 1 && ns <= sum->longest_ns)
		return 0;
	sum->longest_ns = ns;
	sum->stream = operation->stream;
	sum->device = operation->device;
	sum->queue = operation->queue_number;
	sum->begin_ns = operation->times.start_ns;
	sum->end_ns = operation->times.end_ns;
	return 0;
}

int turns_operation(struct turns *turns, const struct operation *operation)
{
	uint64_t key = operation_key(operation->process, operation->op), waited, ns;
	struct turns_queue *queue;

	if (!operation->placed)
		return 0;
	if (operation->kind == TANDEM_OPERATION_KIND_kernel) {
		ns = (uint64_t)(operation->times.end_ns - operation->times.start_ns);
		queue = turns->waits.count
				? queue_known(turns, operation->process, operation->queue_number)
				: NULL;
		if (queue)
			queue->kernel_ns += ns;
		return map_get(&turns->awaited, key) == MAP_NONE
			       ? 0
			       : map_set(&turns->awaited, key, ns + 1);
	}
	waited = map_remove(&turns->waits, key);
	if (waited == MAP_NONE)
		return 0;
	/* It ended before, and so was recorded before; a second transfer finds nothing left. */
	ns = map_remove(&turns->awaited, operation_key(operation->process, waited));
	if (operation->kind != TANDEM_OPERATION_KIND_copy_h2d || ns == MAP_NONE || !ns)
		return 0;
	return count_turn(turns, operation, ns - 1);
}

static int add_sum(struct findings *findings, const struct turns_sum *sum)
{
	const char *queue = findings_domain(findings, sum->device)->queue;
	double taken = devices_taken_part(&findings->iterator->devices.rows[sum->device]);
	struct finding *finding = findings_add(findings, "ordering", "turns");
	bool is_one = 2 * sum->one_place > sum->count;
	char count[UNITS_BYTES];

	if (!finding)
		return -ENOMEM;
	finding->count = sum->count;
	finding->cost_ns = (uint64_t)((1 - taken) * (double)sum->ns);
	finding->queue = sum->queue;
	finding_device(findings, finding, sum->device);
	finding->what = findings_text(findings,
				      "%ss take turns: %s transfers to the device waited for a "
				      "kernel of another %s, which %s",
				      queue, units_count(count, sum->count), queue,
				      is_one ? "works on what they brought before, in one place"
					     : "has data of its own");
	finding->confidence = CONFIDENCE_LOW;
	finding->why = findings_text(findings,
				     "by the destinations of each %s's transfers; what its kernels "
				     "use is not recorded",
				     queue);
	finding->suggestion = findings_text(
		findings,
		is_one ? "have two places for what is transferred, so that one is filled while the "
			 "%s that works uses the other"
		       : "let a transfer wait only for kernels that use its destination, so that it overlaps "
			 "those of other %ss",
		queue);
	finding_place(findings, finding, sum->stream);
	finding_time(findings, finding, sum->begin_ns, sum->end_ns);
	return 0;
}

int turns_add(const struct turns *turns, struct findings *findings)
{
	int status = 0;

	for (size_t i = 0; !status && i < turns->sum_count; i++) {
		if (turns->sums[i].count >= HABIT_COUNT)
			status = add_sum(findings, &turns->sums[i]);
	}
	return status;
}

void turns_free(struct turns *turns)
{
	free(turns->queues);
	free(turns->events);
	free(turns->sums);
	map_free(&turns->queue_of);
	map_free(&turns->event_of);
	map_free(&turns->awaited);
	map_free(&turns->waits);
	map_free(&turns->one_place);
	map_free(&turns->sum_of);
}
