/* SPDX-License-Identifier: MIT */
#include "analysis/findings/ordering/turns.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/operations/transfer_ends.h"
#include "trace/field.h"
#include "util/keyed_row.h"
#include "util/units.h"

/* A queue that transferred nothing in so many commands has no transfers of its own, but for what it
 * began with. */
#define OTHERS 4u

static struct turns_queue *queue_find(struct turns *turns, uint32_t process, uint32_t number)
{
	const struct turns_queue fresh = {.filled = 0};

	return keyed_row(&turns->queue_of, (uint64_t)process << 32 | number, &turns->queues,
			 &turns->queue_capacity, &turns->queue_count, &fresh, sizeof(fresh));
}

/* Of one that is known. */
static struct turns_queue *queue_known(struct turns *turns, uint32_t process, uint32_t number)
{
	uint64_t at = map_get(&turns->queue_of, (uint64_t)process << 32 | number);

	return at == MAP_NONE ? NULL : &turns->queues[at];
}

static int note_transfer(struct turns *turns, const struct trace_event *event, uint64_t buffer,
			 const struct queue_mark *awaited)
{
	const struct tandem_field *field = trace_field_role(event->layout, TANDEM_ROLE_queue);
	uint32_t process = event->stream->process->index;
	uint64_t op = trace_event_op(event);
	struct turns_queue *queue =
		queue_find(turns, process, (uint32_t)trace_field_unsigned(event, field));
	bool is_one;

	if (!queue)
		return -ENOMEM;
	/* A queue that has no transfers works on what this one brings: in one place each time? */
	is_one = !awaited->tag && queue->filled == buffer;
	queue->filled = buffer;
	if (!is_one && (!awaited->tag || awaited->tag == buffer))
		return 0;
	if (is_one && map_set(&turns->one_place, operation_key(process, op), awaited->queue))
		return -ENOMEM;
	if (map_get(&turns->awaited, operation_key(process, awaited->op)) == MAP_NONE &&
	    map_set(&turns->awaited, operation_key(process, awaited->op), 0))
		return -ENOMEM;
	return map_set(&turns->waits, operation_key(process, op), awaited->op);
}

/* Of a call that names events of commands: the last of them is in another queue, which has no transfers of
 * its own. */
static int note_list(struct turns *turns, const struct trace_event *event, uint32_t queue,
		     uint64_t buffer)
{
	const struct tandem_field *list = trace_field_role(event->layout, TANDEM_ROLE_events);
	uint32_t process = event->stream->process->index;
	struct queue_mark awaited = {.tag = 0};
	const struct turns_queue *worker;
	const uint8_t *elements;
	uint64_t known;
	size_t count;

	if (!list || list->kind != TANDEM_FIELD_OP || !list->variable)
		return 0;
	elements = trace_field_elements(event, list, &count);
	if (!count)
		return 0;
	awaited.op = trace_element_unsigned(list, elements + (count - 1) * list->bytes);
	known = map_get(&turns->given, operation_key(process, awaited.op));
	if (known == MAP_NONE || (uint32_t)known == queue)
		return 0;
	awaited.queue = (uint32_t)known;
	worker = queue_known(turns, process, awaited.queue);
	return queue_waits_tag_of(turns->waits_of, process, awaited.queue) &&
			       !(worker && worker->others >= OTHERS)
		       ? 0
		       : note_transfer(turns, event, buffer, &awaited);
}

/* Whether a queue has transfers of its own. 0 or -ENOMEM. */
static int note_kind(struct turns *turns, uint32_t process, uint32_t number, bool transfer)
{
	struct turns_queue *queue = queue_find(turns, process, number);

	if (!queue)
		return -ENOMEM;
	queue->others = transfer ? 0 : queue->others + (queue->others < OTHERS);
	return 0;
}

int turns_call(struct turns *turns, const struct trace_event *event,
	       const struct queue_waits_taken *taken)
{
	const struct tandem_field *field = trace_field_role(event->layout, TANDEM_ROLE_queue);
	uint32_t process = event->stream->process->index, queue;
	struct transfer_ends ends;

	if (!field || trace_event_failed(event) ||
	    event->layout->event->class != TANDEM_CLASS_ENQUEUE)
		return 0;
	queue = (uint32_t)trace_field_unsigned(event, field);
	if (turns->given.count >= TURNS_GIVEN)
		map_clear(&turns->given);
	/* Another call of its kind can name it. */
	if (trace_event_op(event) && trace_field_role(event->layout, TANDEM_ROLE_events) &&
	    map_set(&turns->given, operation_key(process, trace_event_op(event)), queue))
		return -ENOMEM;
	if (!transfer_ends_find(event, &ends))
		return trace_event_op(event) ? note_kind(turns, process, queue, false) : 0;
	if (note_kind(turns, process, queue, true) ||
	    queue_waits_tag(turns->waits_of, process, queue, ends.buffer))
		return -ENOMEM;
	return taken->count
		       ? note_transfer(turns, event, ends.buffer, &taken->marks[taken->count - 1])
		       : note_list(turns, event, queue, ends.buffer);
}

/* What a queue's kernels took since it was waited for the last time: of a transfer that waits for it
 * to be done with what one brought before. */
static uint64_t worked_ns(struct turns *turns, const struct sequence_event *command,
			  uint32_t worker)
{
	struct turns_queue *queue = queue_known(turns, command->process, worker);
	uint64_t ns = queue ? queue->kernel_ns : 0;

	if (queue)
		queue->kernel_ns = 0;
	return ns;
}

static int count_turn(struct turns *turns, const struct sequence_event *command, uint64_t waited_ns)
{
	const struct turns_sum fresh = {.count = 0};
	uint64_t worker =
		map_remove(&turns->one_place, operation_key(command->process, command->op));
	bool is_one = worker != MAP_NONE;
	const struct turns_queue *queue =
		is_one ? queue_known(turns, command->process, (uint32_t)worker) : NULL;
	uint64_t ns = command->duration_ns;
	struct turns_sum *sum =
		keyed_row(&turns->sum_of, command->process, &turns->sums, &turns->sum_capacity,
			  &turns->sum_count, &fresh, sizeof(fresh));

	if (!sum)
		return -ENOMEM;
	if (is_one)
		waited_ns = worked_ns(turns, command, (uint32_t)worker);
	sum->count++;
	sum->one_place += is_one;
	sum->ns += ns < waited_ns ? ns : waited_ns;
	if (sum->count > 1 && ns <= sum->longest_ns)
		return 0;
	sum->longest_ns = ns;
	sum->stream = command->stream;
	sum->device = command->device;
	sum->queue = command->queue;
	sum->begin_ns = command->ns - (int64_t)ns;
	sum->end_ns = command->ns;
	sum->transfer = command->name;
	sum->kernel = queue ? queue->kernel : NULL;
	return 0;
}

int turns_end(struct turns *turns, const struct sequence_event *command)
{
	uint64_t key = operation_key(command->process, command->op), waited, ns;
	struct turns_queue *queue;

	if (turns->given.count)
		map_remove(&turns->given, key);
	if (command->operation_kind == TANDEM_OPERATION_KIND_kernel) {
		if (turns->waits.count) {
			queue = queue_find(turns, command->process, command->queue);
			if (!queue)
				return -ENOMEM;
			queue->kernel_ns += command->duration_ns;
			queue->kernel = command->name;
		}
		return map_get(&turns->awaited, key) == MAP_NONE
			       ? 0
			       : map_set(&turns->awaited, key, command->duration_ns + 1);
	}
	waited = map_remove(&turns->waits, key);
	if (waited == MAP_NONE)
		return 0;
	/* It ended before; a second transfer finds nothing left. */
	ns = map_remove(&turns->awaited, operation_key(command->process, waited));
	if (command->operation_kind != TANDEM_OPERATION_KIND_copy_h2d || ns == MAP_NONE || !ns)
		return 0;
	return count_turn(turns, command, ns - 1);
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
	finding->object = sum->transfer ? sum->transfer : "";
	finding->what = findings_text(
		findings,
		"%ss take turns: %s transfers to the device%s%s%s waited for a "
		"kernel%s%s%s of another %s, which %s",
		queue, units_count(count, sum->count), *finding->object ? " (" : "",
		finding->object, *finding->object ? ")" : "", sum->kernel ? " (" : "",
		sum->kernel ? sum->kernel : "", sum->kernel ? ")" : "", queue,
		is_one ? "works on what they brought before, in one place" : "has data of its own");
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
		if (findings_is_habit(findings, turns->sums[i].count, turns->sums[i].ns))
			status = add_sum(findings, &turns->sums[i]);
	}
	return status;
}

void turns_free(struct turns *turns)
{
	free(turns->queues);
	free(turns->sums);
	map_free(&turns->queue_of);
	map_free(&turns->given);
	map_free(&turns->awaited);
	map_free(&turns->waits);
	map_free(&turns->one_place);
	map_free(&turns->sum_of);
}
