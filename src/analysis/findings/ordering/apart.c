/* SPDX-License-Identifier: MIT */
#include "analysis/findings/ordering/apart.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/events/event_iterator.h"
#include "analysis/operations/room.h"
#include "analysis/operations/transfer_ends.h"
#include "trace/field.h"
#include "trace/session/session.h"
#include "util/hash.h"

#define SEGMENT_MOST 32u
#define CHAIN_MOST 8u
#define WAITS (sizeof(((struct apart_command *)0)->waits) / sizeof(uint64_t))

_Static_assert(WAITS == QUEUE_WAITS_MOST, "waits");

static uint64_t key_of(uint32_t process, uint64_t number)
{
	return (uint64_t)process << 32 | (uint32_t)number;
}

int apart_begin(struct apart *apart, const struct trace_session *session)
{
	apart->remembers = session->args_level == TANDEM_ARGS_FULL;
	apart->process_count = session->process_count;
	apart->processes = calloc(apart->process_count + 1, sizeof(*apart->processes));
	return apart->processes ? 0 : -ENOMEM;
}

static int note_queue(struct apart *apart, const struct trace_event *event)
{
	const struct tandem_rec_queue *queue = (const void *)event->record;

	if (event->record->id != TANDEM_EVENT_queue || queue->in_order)
		return 0;
	return map_set(&apart->out_of_order, key_of(event->stream->process->index, queue->queue),
		       1);
}

bool apart_keeps_order(const struct apart *apart, uint32_t process, uint32_t queue)
{
	return map_get(&apart->out_of_order, key_of(process, queue)) == MAP_NONE;
}

static void find_waits(const struct trace_event *event, const struct queue_waits_taken *taken,
		       struct apart_command *command)
{
	const struct tandem_field *list = trace_field_role(event->layout, TANDEM_ROLE_events);
	const uint8_t *elements;
	size_t count;

	for (uint32_t i = 0; i < taken->count; i++)
		command->waits[command->wait_count++] = taken->marks[i].op;
	command->waits_by = taken->api;
	command->waits_more = taken->more;
	if (!list || list->kind != TANDEM_FIELD_OP || !list->variable)
		return;
	elements = trace_field_elements(event, list, &count);
	if (count > WAITS - command->wait_count) {
		command->waits_more = true;
		return;
	}
	for (size_t i = 0; i < count; i++)
		command->waits[command->wait_count++] =
			trace_element_unsigned(list, elements + i * list->bytes);
}

static bool names_events(const struct trace_event *event)
{
	const struct tandem_field *list = trace_field_role(event->layout, TANDEM_ROLE_events);
	size_t count = 0;

	if (list && list->kind == TANDEM_FIELD_OP && list->variable)
		trace_field_elements(event, list, &count);
	return count > 0;
}

static void find_ends(const struct trace_event *event, struct apart_command *command)
{
	static const enum tandem_role roles[] = {TANDEM_ROLE_bytes, TANDEM_ROLE_origin};
	struct transfer_ends ends;

	if (!transfer_ends_find(event, &ends))
		return;
	command->place = HASH_START;
	hash_number(&command->place, ends.buffer);
	for (unsigned i = 0; i < sizeof(roles) / sizeof(*roles); i++) {
		const struct tandem_field *field = trace_field_role(event->layout, roles[i]);

		hash_number(&command->place,
			    field && !field->variable ? trace_field_unsigned(event, field) : 0);
	}
	command->transfer_key = command->place;
	hash_number(&command->transfer_key, ends.host);
}

/* Room for one more: twice as much where many have not been looked at. */
static int ring_reserve(struct apart_process *process)
{
	uint64_t capacity = process->capacity ? 2 * process->capacity : APART_COMMANDS;
	struct apart_command *commands;

	if (process->capacity && (process->count < process->capacity ||
				  2 * (process->count - process->looked_at) < process->capacity ||
				  process->capacity == APART_COMMANDS_MOST))
		return 0;
	commands = calloc(capacity, sizeof(*commands));
	if (!commands)
		return -ENOMEM;
	for (uint64_t i = process->count - process->capacity;
	     process->capacity && i < process->count; i++)
		commands[i & (capacity - 1)] = process->commands[i & (process->capacity - 1)];
	free(process->commands);
	process->commands = commands;
	process->capacity = capacity;
	return 0;
}

static int note_enqueue(struct apart *apart, const struct trace_event *event,
			const struct queue_waits_taken *taken)
{
	uint32_t process = event->stream->process->index;
	struct apart_process *of = &apart->processes[process];
	const struct tandem_field *queue = trace_field_role(event->layout, TANDEM_ROLE_queue);
	const struct tandem_field *kernel = trace_field_role(event->layout, TANDEM_ROLE_kernel);
	struct apart_command *command;
	uint64_t key;

	if (ring_reserve(of))
		return -ENOMEM;
	command = &of->commands[of->count & (of->capacity - 1)];
	if (command->op)
		map_remove(&apart->place_of, operation_key(process, command->op));
	*command = (struct apart_command){.op = trace_event_op(event)};
	command->queue = queue ? (uint32_t)trace_field_unsigned(event, queue) : 0;
	command->kernel = kernel ? (uint32_t)trace_field_unsigned(event, kernel) : 0;
	command->blocks = trace_event_blocks(event);
	find_ends(event, command);
	used_memory_find(&apart->used, event, &command->memory);
	find_waits(event, taken, command);
	key = key_of(process, command->queue);
	command->previous = map_get(&apart->latest, key) % MAP_NONE;
	of->count++;
	if (map_set(&apart->latest, key, of->count))
		return -ENOMEM;
	return map_set(&apart->place_of, operation_key(process, command->op), of->count);
}

static struct apart_command *command_at(const struct apart_process *process, uint64_t place)
{
	if (!place || place + process->capacity <= process->count)
		return NULL;
	return &process->commands[(place - 1) & (process->capacity - 1)];
}

static struct apart_command *command_of(const struct apart *apart,
					const struct apart_process *process, uint32_t index,
					uint64_t op)
{
	uint64_t place = map_get(&apart->place_of, operation_key(index, op));

	return place == MAP_NONE ? NULL : command_at(process, place);
}

static int note_call(struct apart *apart, const struct trace_event *event,
		     const struct queue_waits_taken *taken)
{
	if (trace_event_failed(event) || !trace_event_op(event))
		return 0;
	apart->remembers |= taken->count || taken->more || names_events(event);
	return apart->remembers ? note_enqueue(apart, event, taken) : 0;
}

/* What a kernel is given is recorded behind its call. */
static int note_addresses(struct apart *apart, const struct trace_event *event)
{
	uint32_t index = event->stream->process->index;
	uint64_t op = used_memory_op(event);
	struct apart_command *command;

	if (!op)
		return 0;
	command = command_of(apart, &apart->processes[index], index, op);
	apart->processes[index].by_addresses = true;
	return command ? used_memory_addresses(&apart->used, event, command->kernel, command->queue,
					       &command->memory)
		       : 0;
}

int apart_item(struct apart *apart, const struct event_item *item,
	       const struct queue_waits_taken *taken)
{
	int status = used_memory_item(&apart->used, item);

	if (!status && item->kind == ITEM_OBJECT)
		return note_queue(apart, item->event);
	if (!status && item->kind == ITEM_OTHER && item->event)
		return note_addresses(apart, item->event);
	return !status && item->kind == ITEM_CALL ? note_call(apart, item->event, taken) : status;
}

static bool are_independent(const struct apart_command *a, const struct apart_command *b)
{
	return a->ended && !a->waits_more && !b->waits_more &&
	       used_memory_is_apart(&a->memory, &b->memory);
}

/* The shorter one could have run next to the longer. `by`: event id of the call
 * that kept them apart; 0: none. */
static void count_apart(struct apart_sum *sum, struct apart_command *before,
			struct apart_command *command, uint16_t by)
{
	struct apart_command *shorter = before->ns < command->ns ? before : command;

	sum->count++;
	if (shorter->hidden)
		return;
	shorter->hidden = true;
	sum->ns += shorter->ns;
	if (shorter->ns < sum->longest_ns)
		return;
	sum->longest_ns = shorter->ns;
	sum->stream = command->stream;
	sum->queue = command->queue;
	sum->device = command->device;
	sum->begin_ns = command->end_ns - (int64_t)command->ns;
	sum->end_ns = command->end_ns;
	sum->waiter = command->name;
	sum->awaited = before->name;
	sum->by = by;
}

/* One whose end is not known yet uses nothing. */
bool apart_is_marker(const struct apart_command *command)
{
	if (!command->ended)
		return !command->memory.count && !command->memory.unknown && !command->waits_more;
	return command->kind == TANDEM_OPERATION_KIND_barrier ||
	       command->kind == TANDEM_OPERATION_KIND_marker;
}

/* What a command waits for. */
struct apart_awaited {
	struct apart_command *longest; /* of such as have nothing to do with it */
	int64_t needed_ns;	       /* the latest end of the others; 0: there are none */
	bool unknown;
};

static void add_awaited(struct apart_awaited *awaited, struct apart_command *before,
			const struct apart_command *command)
{
	if (!before->ended) {
		awaited->unknown = true;
	} else if (!are_independent(before, command)) {
		if (before->end_ns > awaited->needed_ns)
			awaited->needed_ns = before->end_ns;
	} else if (room_for_both(before->kind, before->room, command->kind, command->room) &&
		   (!awaited->longest || before->ns > awaited->longest->ns)) {
		awaited->longest = before;
	}
}

/* What a barrier or marker without a list waits for: the commands from the one before it on. */
static void add_before(const struct apart_process *process, const struct apart_command *marker,
		       const struct apart_command *command, struct apart_awaited *awaited)
{
	struct apart_command *before = command_at(process, marker->previous);

	for (unsigned i = 0; before && !apart_is_marker(before) && i < SEGMENT_MOST; i++) {
		add_awaited(awaited, before, command);
		before = command_at(process, before->previous);
	}
}

/* Same, of any. */
static void add_marked(const struct apart *apart, uint32_t index,
		       const struct apart_command *command, const struct apart_command *marker,
		       struct apart_awaited *awaited)
{
	const struct apart_process *process = &apart->processes[index];

	if (!marker->wait_count)
		add_before(process, marker, command, awaited);
	for (unsigned i = 0; i < marker->wait_count; i++) {
		struct apart_command *waited = command_of(apart, process, index, marker->waits[i]);

		if (waited)
			add_awaited(awaited, waited, command);
		else
			awaited->unknown = true;
	}
}

/* It would have run as soon as what it needs had ended. */
static void count_awaited(struct apart_sum *sum, const struct apart_awaited *awaited,
			  struct apart_command *command, uint16_t by)
{
	int64_t there_ns =
		command->queued_ns > awaited->needed_ns ? command->queued_ns : awaited->needed_ns;
	int64_t start_ns = command->end_ns - (int64_t)command->ns;

	if (awaited->unknown || !awaited->longest || awaited->longest->end_ns <= awaited->needed_ns)
		return;
	count_apart(sum, awaited->longest, command, by);
	if (start_ns > there_ns)
		sum->waited_ns += (uint64_t)(start_ns - there_ns);
}

static void look_at_barrier(const struct apart_process *process, struct apart_command *command,
			    struct apart_sum *sum)
{
	const struct apart_command *barrier = command_at(process, command->previous);
	struct apart_awaited awaited = {.longest = NULL};

	if (!barrier || barrier->kind != TANDEM_OPERATION_KIND_barrier || barrier->wait_count)
		return;
	add_before(process, barrier, command, &awaited);
	count_awaited(sum, &awaited, command, barrier->api);
}

/* Of the commands right before it in the queue, the latest kernel; NULL: the command, or a transfer
 * that brings what it uses, needs it. */
static struct apart_command *kernel_before(const struct apart_process *process,
					   const struct apart_command *command)
{
	const struct apart_command *own[CHAIN_MOST];
	struct apart_command *before = command_at(process, command->previous);

	for (unsigned i = 0, count = 0; before && before->ended && i < CHAIN_MOST; i++) {
		bool apart = are_independent(before, command);

		for (unsigned j = 0; apart && j < count; j++)
			apart = are_independent(before, own[j]);
		if (before->kind == TANDEM_OPERATION_KIND_kernel)
			return apart ? before : NULL;
		if (!before->transfer || before->wait_count)
			return NULL;
		if (!apart)
			own[count++] = before;
		before = command_at(process, before->previous);
	}
	return NULL;
}

static bool leaves_room(const struct apart_command *command)
{
	return 2 * command->room <= 1;
}

/* A kernel behind another one, in a queue that keeps their order. */
static void look_at_queue(const struct apart_process *process, struct apart_command *command,
			  struct apart_sum *sum)
{
	struct apart_command *before;

	if (!leaves_room(command) || command->wait_count ||
	    command->kind != TANDEM_OPERATION_KIND_kernel)
		return;
	before = kernel_before(process, command);
	if (before && leaves_room(before) && before->end_ns > command->queued_ns)
		count_apart(sum, before, command, 0);
}

/* What those wait for that `waiter` names: it is the command, or a barrier before it. False: not all are
 * known, or one is of its own queue, which keeps their order anyway. */
static bool add_waits(const struct apart *apart, uint32_t index,
		      const struct apart_command *command, const struct apart_command *waiter,
		      struct apart_awaited *awaited)
{
	const struct apart_process *process = &apart->processes[index];

	for (unsigned i = 0; i < waiter->wait_count; i++) {
		struct apart_command *waited = command_of(apart, process, index, waiter->waits[i]);

		if (!waited)
			return false;
		if (waited->queue == command->queue &&
		    apart_keeps_order(apart, index, command->queue)) {
			/* A barrier names the ends of all queues. */
			if (waiter == command)
				return false;
			continue;
		}
		if (apart_is_marker(waited))
			add_marked(apart, index, command, waited, awaited);
		else
			add_awaited(awaited, waited, command);
	}
	return true;
}

/* A barrier or marker with a list, in a queue that keeps the order: what comes behind it waits for
 * those. */
static void look_at_list(const struct apart *apart, uint32_t index, struct apart_command *command,
			 struct apart_sum *sum)
{
	const struct apart_process *process = &apart->processes[index];
	const struct apart_command *barrier = command_at(process, command->previous), *before;
	struct apart_awaited awaited = {.longest = NULL};

	if (!barrier || !apart_is_marker(barrier) || !barrier->wait_count || barrier->waits_more ||
	    !add_waits(apart, index, command, barrier, &awaited))
		return;
	/* That of its own queue has to end in any case. */
	before = command_at(process, barrier->previous);
	while (before && apart_is_marker(before))
		before = command_at(process, before->previous);
	if (before && !before->ended)
		return;
	if (before && before->end_ns > awaited.needed_ns)
		awaited.needed_ns = before->end_ns;
	count_awaited(sum, &awaited, command, barrier->api);
}

#define NEIGHBOURS 2u

static void look_at_waits(const struct apart *apart, uint32_t index, struct apart_command *command,
			  struct apart_sum *sum)
{
	struct apart_awaited awaited = {.longest = NULL};
	uint64_t count;

	/* Who waits for its neighbours on both sides may look at what is theirs; who waits for more, has
	 * to wait for some of them only. */
	if ((command->memory.by_places && command->wait_count == NEIGHBOURS) ||
	    !add_waits(apart, index, command, command, &awaited))
		return;
	count = sum->count;
	count_awaited(sum, &awaited, command, command->waits_by ? command->waits_by : command->api);
	sum->by_places |= command->memory.by_places && sum->count > count;
}

/* A driver that runs commands in their calls runs nothing next to them. */
static bool is_in_call(const struct operation *operation)
{
	return operation->times.start_ns >= operation->call_begin_ns && operation->call_end_ns &&
	       operation->times.end_ns <= operation->call_end_ns;
}

void apart_end(struct apart *apart, const struct operation *operation, double room)
{
	struct apart_process *process = &apart->processes[operation->process];
	struct apart_command *command;

	apart->remembers |= operation->kind == TANDEM_OPERATION_KIND_barrier;
	if (!apart->remembers)
		return;
	command = command_of(apart, process, operation->process, operation->op);
	if (!command)
		return;
	command->untimed = !operation->record || !operation->placed;
	if (command->untimed)
		return;
	command->kind = operation->kind;
	command->bytes = operation->record->bytes;
	command->ns = (uint64_t)(operation->times.end_ns - operation->times.start_ns);
	command->transfer = operation->kind == TANDEM_OPERATION_KIND_copy_h2d ||
			    operation->kind == TANDEM_OPERATION_KIND_copy_d2h;
	command->queued_ns = operation->times.queued_ns;
	command->end_ns = operation->times.end_ns;
	command->call_begin_ns = operation->call_begin_ns;
	command->call_end_ns = operation->call_end_ns;
	command->device = operation->device;
	command->stream = operation->stream;
	command->in_call = is_in_call(operation);
	command->room = room;
	command->name = operation->name;
	command->api = operation->api;
	command->ended = true;
}

static void look_at(struct apart *apart, uint32_t index, struct apart_command *command)
{
	struct apart_process *process = &apart->processes[index];

	if (command->in_call)
		return;
	if (apart_keeps_order(apart, index, command->queue)) {
		look_at_queue(process, command, &process->sums[APART_QUEUE]);
		look_at_list(apart, index, command, &process->sums[APART_BARRIERS]);
	} else {
		look_at_barrier(process, command, &process->sums[APART_BARRIERS]);
	}
	if (command->wait_count)
		look_at_waits(apart, index, command, &process->sums[APART_EVENTS]);
}

const struct apart_command *apart_next(struct apart *apart, uint32_t index, bool all)
{
	struct apart_process *process = &apart->processes[index];

	while (process->looked_at < process->count) {
		struct apart_command *command = command_at(process, process->looked_at + 1);

		if (command && !command->ended && !command->untimed && !all)
			return NULL;
		process->looked_at++;
		if (command && command->ended) {
			used_memory_settle(&apart->used, &command->memory);
			look_at(apart, index, command);
			return command;
		}
	}
	return NULL;
}

void apart_free(struct apart *apart)
{
	for (size_t i = 0; apart->processes && i < apart->process_count; i++)
		free(apart->processes[i].commands);
	free(apart->processes);
	used_memory_free(&apart->used);
	map_free(&apart->out_of_order);
	map_free(&apart->latest);
	map_free(&apart->place_of);
}
