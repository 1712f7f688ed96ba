/* SPDX-License-Identifier: MIT */
/* Commands that use no memory of each other and are kept apart all the same: by a barrier in a
 * queue that need not keep their order, by an event that one of them waits for, or, of kernels that
 * leave room for each other, by the one queue that they are in.
 *
 * What a command uses is known with all arguments only (used_memory.h). Memory grows with
 * kernels, memory objects and queues; of each process the latest commands are remembered.
 */
#include <errno.h>
#include <stdlib.h>

#include "analysis/findings/finding.h"
#include "analysis/findings/ordering/default_queue.h"
#include "analysis/findings/ordering/gates.h"
#include "analysis/findings/ordering/relaxed_schedule.h"
#include "analysis/findings/ordering/turns.h"
#include "analysis/operations/room.h"
#include "analysis/operations/used_memory.h"
#include "trace/field.h"
#include "util/array.h"
#include "util/units.h"

/* Fewer are no habit. */
#define HABIT_COUNT 8u

#define REMEMBERED 4096u /* commands of a process */
#define SEGMENT_MOST 32u

enum cause { BARRIERS, EVENTS, QUEUE, CAUSES };

struct order_command {
	uint64_t op;
	uint32_t queue;
	struct used_memory_list memory;
	uint64_t previous; /* of the queue: its place, + 1 */
	uint64_t waits[4]; /* operations */
	unsigned wait_count;
	bool ended, hidden; /* hidden: it could run next to another one, which is counted */
	bool fills;	    /* the device has no room for another one next to it */
	bool transfer;
	uint8_t kind;
	uint64_t ns;
	int64_t queued_ns, end_ns;
	uint32_t device;
	double room; /* room.h */
};

struct order_sum {
	uint64_t count, ns, longest_ns;
	uint32_t stream, queue, device;
	int64_t begin_ns, end_ns; /* of the longest */
};

struct order_process {
	struct order_command *commands; /* a ring, made at the first */
	uint64_t count;
	struct order_sum sums[CAUSES];
	struct relaxed_schedule relaxed;
	struct relaxed_schedule divided; /* same, with a queue for each command */
	uint64_t relaxed_count;		 /* commands that both have, or will not have */
};

struct ordering {
	struct used_memory used;
	struct launch_configs configs;
	struct map out_of_order; /* process and number of a queue -> 1 */
	struct map latest;	 /* the same -> place of its latest command, + 1 */
	struct map place_of;	 /* operation_key() -> place, + 1 */
	struct order_process *processes;
	struct turns turns;
	struct default_queues defaults;
	struct gates gates;
};

static uint64_t key_of(uint32_t process, uint64_t number)
{
	return (uint64_t)process << 32 | (uint32_t)number;
}

static int ordering_begin(struct findings *findings, void *state)
{
	struct ordering *ordering = state;

	ordering->processes =
		calloc(findings->session->process_count + 1, sizeof(*ordering->processes));
	if (!ordering->processes)
		return -ENOMEM;
	return gates_begin(&ordering->gates, findings->session);
}

static int note_queue(struct ordering *ordering, const struct trace_event *event)
{
	const struct tandem_rec_queue *queue = (const void *)event->record;

	if (event->record->id != TANDEM_EVENT_queue || queue->in_order)
		return 0;
	return map_set(&ordering->out_of_order, key_of(event->stream->process->index, queue->queue),
		       1);
}

static void find_waits(const struct trace_event *event, struct order_command *command)
{
	const struct tandem_field *list = trace_field_role(event->layout, TANDEM_ROLE_events);
	const uint8_t *elements;
	size_t count;

	if (!list || list->kind != TANDEM_FIELD_OP || !list->variable)
		return;
	elements = trace_field_elements(event, list, &count);
	if (count > sizeof(command->waits) / sizeof(*command->waits)) {
		command->memory.unknown = true;
		return;
	}
	for (size_t i = 0; i < count; i++)
		command->waits[command->wait_count++] =
			trace_element_unsigned(list, elements + i * list->bytes);
}

static int note_enqueue(struct ordering *ordering, const struct trace_event *event)
{
	uint32_t process = event->stream->process->index;
	struct order_process *of = &ordering->processes[process];
	const struct tandem_field *queue = trace_field_role(event->layout, TANDEM_ROLE_queue);
	struct order_command *command;
	uint64_t key;

	if (!of->commands) {
		of->commands = calloc(REMEMBERED, sizeof(*of->commands));
		if (!of->commands)
			return -ENOMEM;
	}
	command = &of->commands[of->count % REMEMBERED];
	if (command->op)
		map_remove(&ordering->place_of, operation_key(process, command->op));
	*command = (struct order_command){.op = trace_event_op(event)};
	command->queue = queue ? (uint32_t)trace_field_unsigned(event, queue) : 0;
	used_memory_find(&ordering->used, event, &command->memory);
	find_waits(event, command);
	key = key_of(process, command->queue);
	command->previous = map_get(&ordering->latest, key) % MAP_NONE;
	of->count++;
	if (map_set(&ordering->latest, key, of->count) ||
	    gates_enqueue(&ordering->gates, event, command->queue,
			  map_get(&ordering->out_of_order, key) == MAP_NONE))
		return -ENOMEM;
	return map_set(&ordering->place_of, operation_key(process, command->op), of->count);
}

/* By its place, + 1; NULL: none, or it was too long ago. */
static struct order_command *command_at(const struct order_process *process, uint64_t place)
{
	if (!place || place + REMEMBERED <= process->count)
		return NULL;
	return &process->commands[(place - 1) % REMEMBERED];
}

static bool are_independent(const struct order_command *a, const struct order_command *b)
{
	return a->ended && used_memory_is_apart(&a->memory, &b->memory);
}

/* Whether a device can run them at the same time: transfers of both directions, and kernels next to
 * them; and kernels that leave room for each other. */
static bool fit_together(const struct order_command *a, const struct order_command *b)
{
	if (a->transfer && b->transfer)
		return a->kind != b->kind;
	return a->transfer != b->transfer || !a->fills || !b->fills;
}

/* The shorter one could have run next to the longer. */
static void count_apart(struct order_sum *sum, struct order_command *before,
			struct order_command *command, const struct operation *operation)
{
	struct order_command *shorter = before->ns < command->ns ? before : command;

	sum->count++;
	if (shorter->hidden)
		return;
	shorter->hidden = true;
	sum->ns += shorter->ns;
	if (shorter->ns < sum->longest_ns)
		return;
	sum->longest_ns = shorter->ns;
	sum->stream = operation->stream;
	sum->queue = command->queue;
	sum->device = operation->device;
	sum->begin_ns = operation->times.start_ns;
	sum->end_ns = operation->times.end_ns;
}

/* One whose end is not known yet uses nothing. */
static bool is_marker(const struct order_command *command)
{
	if (!command->ended)
		return !command->memory.count && !command->memory.unknown;
	return command->kind == TANDEM_OPERATION_KIND_barrier ||
	       command->kind == TANDEM_OPERATION_KIND_marker;
}

/* `longest`: what a command waits for that has nothing to do with it. False: it needs `before`. */
static bool add_awaited(struct order_command **longest, struct order_command *before,
			const struct order_command *command)
{
	if (!are_independent(before, command))
		return false;
	if (fit_together(before, command) && (!*longest || before->ns > (*longest)->ns))
		*longest = before;
	return true;
}

/* What a barrier or marker without a list waits for: the commands from the one before it on. False:
 * the command needs one of them. */
static bool add_before(const struct order_process *process, const struct order_command *marker,
		       const struct order_command *command, struct order_command **longest)
{
	struct order_command *before = command_at(process, marker->previous);

	for (unsigned i = 0; before && !is_marker(before) && i < SEGMENT_MOST; i++) {
		if (!add_awaited(longest, before, command))
			return false;
		before = command_at(process, before->previous);
	}
	return true;
}

static void look_at_barrier(const struct order_process *process, struct order_command *command,
			    const struct operation *operation, struct order_sum *sum)
{
	const struct order_command *barrier = command_at(process, command->previous);
	struct order_command *longest = NULL;

	if (!barrier || barrier->kind != TANDEM_OPERATION_KIND_barrier || barrier->wait_count)
		return;
	if (add_before(process, barrier, command, &longest) && longest)
		count_apart(sum, longest, command, operation);
}

/* A kernel right behind another one, in a queue that keeps their order. */
static void look_at_queue(const struct order_process *process, struct order_command *command,
			  const struct operation *operation, struct order_sum *sum)
{
	struct order_command *before = command_at(process, command->previous);

	if (!before || before->fills || command->fills || command->wait_count ||
	    before->kind != TANDEM_OPERATION_KIND_kernel ||
	    command->kind != TANDEM_OPERATION_KIND_kernel || !are_independent(before, command) ||
	    before->end_ns <= command->queued_ns)
		return;
	count_apart(sum, before, command, operation);
}

static bool keeps_order(const struct ordering *ordering, const struct operation *operation,
			const struct order_command *waited, const struct order_command *command)
{
	return waited->queue == command->queue &&
	       map_get(&ordering->out_of_order, key_of(operation->process, command->queue)) ==
		       MAP_NONE;
}

static void look_at_waits(const struct ordering *ordering, const struct order_process *process,
			  struct order_command *command, const struct operation *operation,
			  struct order_sum *sum)
{
	struct order_command *longest = NULL;

	for (unsigned i = 0; i < command->wait_count; i++) {
		uint64_t place = map_get(&ordering->place_of,
					 operation_key(operation->process, command->waits[i]));
		struct order_command *waited =
			place == MAP_NONE ? NULL : command_at(process, place);

		/* Such a queue keeps their order anyway. */
		if (!waited || keeps_order(ordering, operation, waited, command))
			return;
		if (is_marker(waited) && !waited->wait_count
			    ? !add_before(process, waited, command, &longest)
			    : !add_awaited(&longest, waited, command))
			return;
	}
	if (longest)
		count_apart(sum, longest, command, operation);
}

/* A driver that runs commands in their calls runs nothing next to them. */
static bool is_in_call(const struct operation *operation)
{
	return operation->times.start_ns >= operation->call_begin_ns && operation->call_end_ns &&
	       operation->times.end_ns <= operation->call_end_ns;
}

/* Where the device is the CPU, a core moves what is transferred. */
static int command_relaxed(const struct ordering *ordering, const struct findings *findings,
			   struct order_process *process, const struct order_command *command,
			   uint32_t index)
{
	const struct device_row *device = &findings->iterator->devices.rows[command->device];
	bool is_cpu = devices_taken_part(device) > 0;
	struct relaxed_command relaxed = {
		.queued_ns = command->queued_ns,
		.start_ns = command->end_ns - (int64_t)command->ns,
		.end_ns = command->end_ns,
		.memory = &command->memory,
		.queue = command->queue,
		.in_order =
			map_get(&ordering->out_of_order, key_of(index, command->queue)) == MAP_NONE,
		.engine = !command->transfer || is_cpu
				  ? -1
				  : command->kind == TANDEM_OPERATION_KIND_copy_d2h,
	};

	if (is_marker(command))
		return 0;
	if (!process->relaxed.slot_count)
		process->relaxed.slot_count = process->divided.slot_count =
			relaxed_slots(device->compute_units);
	relaxed.slots = is_cpu && command->transfer
				? 1
				: relaxed_slots_taken(&process->relaxed, command->room);
	if (relaxed_command(&process->relaxed, &relaxed))
		return -ENOMEM;
	relaxed.in_order = false;
	return relaxed_command(&process->divided, &relaxed);
}

/* As far as all that were enqueued have ended; one that was forgotten is passed by. */
static int note_relaxed(const struct ordering *ordering, const struct findings *findings,
			uint32_t index)
{
	struct order_process *process = &ordering->processes[index];
	const struct order_command *command;
	int status = 0;

	while (!status && process->relaxed_count < process->count) {
		command = command_at(process, process->relaxed_count + 1);
		if (command && !command->ended)
			break;
		process->relaxed_count++;
		if (command)
			status = command_relaxed(ordering, findings, process, command, index);
	}
	return status;
}

static int note_end(struct ordering *ordering, const struct findings *findings,
		    const struct operation *operation, double room)
{
	struct order_process *process = &ordering->processes[operation->process];
	uint64_t place =
		map_get(&ordering->place_of, operation_key(operation->process, operation->op));
	struct order_command *command = place == MAP_NONE ? NULL : command_at(process, place);

	if (!command || !operation->record || !operation->placed)
		return 0;
	command->kind = operation->kind;
	command->ns = (uint64_t)(operation->times.end_ns - operation->times.start_ns);
	command->transfer = operation->kind == TANDEM_OPERATION_KIND_copy_h2d ||
			    operation->kind == TANDEM_OPERATION_KIND_copy_d2h;
	command->fills = 2 * room > 1;
	command->queued_ns = operation->times.queued_ns;
	command->end_ns = operation->times.end_ns;
	command->device = operation->device;
	command->room = room;
	command->ended = true;
	if (note_relaxed(ordering, findings, operation->process))
		return -ENOMEM;
	if (is_in_call(operation))
		return 0;
	if (map_get(&ordering->out_of_order, key_of(operation->process, command->queue)) !=
	    MAP_NONE)
		look_at_barrier(process, command, operation, &process->sums[BARRIERS]);
	else
		look_at_queue(process, command, operation, &process->sums[QUEUE]);
	if (command->wait_count)
		look_at_waits(ordering, process, command, operation, &process->sums[EVENTS]);
	return 0;
}

static int ordering_item(struct findings *findings, void *state, const struct event_item *item)
{
	struct ordering *ordering = state;
	int status = used_memory_item(&ordering->used, item);
	struct order_process *process;
	double room;

	if (status)
		return status;
	if (item->kind == ITEM_OBJECT)
		return note_queue(ordering, item->event);
	if (item->kind == ITEM_OTHER)
		return launch_configs_learn(&ordering->configs, item->event);
	if (item->kind == ITEM_OPERATION) {
		room = room_taken(&ordering->configs, &findings->iterator->devices,
				  &item->operation);
		gates_operation(&ordering->gates, &item->operation);
		status = note_end(ordering, findings, &item->operation, room);
		if (!status)
			status = default_queue_operation(&ordering->defaults, findings,
							 &item->operation, room);
		return status ? status : turns_operation(&ordering->turns, &item->operation);
	}
	if (item->kind != ITEM_CALL)
		return 0;
	if (item->event->layout->event->class == TANDEM_CLASS_WAIT ||
	    trace_event_blocks(item->event)) {
		process = &ordering->processes[item->event->stream->process->index];
		relaxed_waited(&process->relaxed, item->end_ns);
		relaxed_waited(&process->divided, item->end_ns);
	}
	gates_call(&ordering->gates, item->event);
	status = turns_call(&ordering->turns, item->event);
	if (!status && trace_event_op(item->event) && !trace_event_failed(item->event))
		status = note_enqueue(ordering, item->event);
	return status;
}

/* Of what is saved without barriers and events, one's part; and what is saved with further queues
 * then. */
static uint64_t relaxed_cost(const struct order_process *process, enum cause cause)
{
	uint64_t relaxed_ns = relaxed_saved_ns(&process->relaxed);
	uint64_t divided_ns = relaxed_saved_ns(&process->divided);
	const struct order_sum *sum = &process->sums[cause];
	uint64_t all = process->sums[BARRIERS].ns + process->sums[EVENTS].ns;

	if (cause == QUEUE)
		return divided_ns > relaxed_ns ? divided_ns - relaxed_ns : 0;
	return all ? (uint64_t)((double)relaxed_ns * (double)sum->ns / (double)all) : 0;
}

static const struct cause_text {
	const char *name, *cause, *what, *suggestion;
} texts[] = {
	[BARRIERS] = {"ordering", "barriers",
		      "%s commands waited behind a barrier for commands that use none of their "
		      "memory",
		      "leave the barriers out, and let each command wait for the events of those "
		      "that it needs"},
	[EVENTS] = {"ordering", "events",
		    "%s commands waited for events of commands that use none of their memory",
		    "let each command wait for the events of those only that it needs"},
	[QUEUE] = {"overlap", "one-queue",
		   "%s kernels waited in their queue for one that uses none of their memory, and "
		   "each leaves room for another on the device",
		   "give commands that do not need each other queues of their own, or one that "
		   "need not keep their order"},
};

static int add_sum(struct findings *findings, const struct order_process *process, enum cause cause)
{
	const struct order_sum *sum = &process->sums[cause];
	const struct cause_text *text = &texts[cause];
	uint64_t cost_ns = relaxed_cost(process, cause);
	char count[UNITS_BYTES];
	struct finding *finding;

	if (sum->count < HABIT_COUNT || !cost_ns)
		return 0;
	finding = findings_add(findings, text->name, text->cause);
	if (!finding)
		return -ENOMEM;
	finding->count = sum->count;
	finding->cost_ns = cost_ns;
	finding->queue = sum->queue;
	finding_device(findings, finding, sum->device);
	finding->what = findings_text(findings, text->what, units_count(count, sum->count));
	finding->confidence = CONFIDENCE_MEDIUM;
	finding->why = "by the memory objects that each command was given; that the device can run "
		       "the two at the same time is assumed";
	finding->suggestion = text->suggestion;
	finding_place(findings, finding, sum->stream);
	finding_time(findings, finding, sum->begin_ns, sum->end_ns);
	return 0;
}

static int ordering_end(struct findings *findings, void *state)
{
	const struct ordering *ordering = state;
	int status = 0;

	for (size_t i = 0; i < findings->session->process_count; i++) {
		for (unsigned cause = 0; !status && cause < CAUSES; cause++)
			status = add_sum(findings, &ordering->processes[i], cause);
	}
	if (!status)
		status = gates_add(&ordering->gates, findings);
	if (!status)
		status = turns_add(&ordering->turns, findings);
	return status ? status : default_queue_add(&ordering->defaults, findings);
}

static void ordering_release(struct findings *findings, void *state)
{
	struct ordering *ordering = state;

	for (size_t i = 0; ordering->processes && i < findings->session->process_count; i++) {
		free(ordering->processes[i].commands);
		relaxed_free(&ordering->processes[i].relaxed);
		relaxed_free(&ordering->processes[i].divided);
	}
	free(ordering->processes);
	used_memory_free(&ordering->used);
	map_free(&ordering->out_of_order);
	map_free(&ordering->latest);
	map_free(&ordering->place_of);
	launch_configs_free(&ordering->configs);
	turns_free(&ordering->turns);
	default_queue_free(&ordering->defaults);
	gates_free(&ordering->gates);
}

const struct finding_ops finding_ordering = {
	.name = "ordering",
	.words = "barriers and events that keep independent commands apart",
	.state_bytes = sizeof(struct ordering),
	.begin = ordering_begin,
	.item = ordering_item,
	.whole = true,
	.end = ordering_end,
	.release = ordering_release,
};
