/* SPDX-License-Identifier: MIT */
#include "analysis/findings/waiting/awaited.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/operations/operation.h"
#include "schema/gen/core_records.h"
#include "trace/field.h"
#include "trace/session/session.h"

/* In a map's value, of a queue: how many commands it was given; as far as they are known to have ended;
 * and whether it need not keep their order. */
#define NUMBER_BITS 31

struct awaited_queue {
	uint32_t given, ended; /* numbers of its commands */
	bool any_order;
};

struct awaited_command {
	uint64_t op; /* 0: none */
	uint32_t queue, number;
	bool ended;
};

struct awaited_process {
	struct awaited_command *commands; /* a ring, made at the first */
	uint64_t count;
};

static uint64_t queue_key(uint32_t process, uint32_t queue)
{
	return (uint64_t)process << 32 | queue;
}

static struct awaited_queue queue_get(const struct awaited *awaited, uint64_t key)
{
	uint64_t value = map_get(&awaited->queue_of, key);
	uint64_t mask = (UINT64_C(1) << NUMBER_BITS) - 1;

	if (value == MAP_NONE)
		return (struct awaited_queue){0};
	return (struct awaited_queue){.given = (uint32_t)(value & mask),
				      .ended = (uint32_t)(value >> NUMBER_BITS & mask),
				      .any_order = value >> (2 * NUMBER_BITS) & 1};
}

static int queue_set(struct awaited *awaited, uint64_t key, const struct awaited_queue *queue)
{
	return map_set(&awaited->queue_of, key,
		       (uint64_t)queue->any_order << (2 * NUMBER_BITS) |
			       (uint64_t)queue->ended << NUMBER_BITS | queue->given);
}

int awaited_begin(struct awaited *awaited, const struct trace_session *session)
{
	awaited->count = session->process_count;
	awaited->processes = calloc(awaited->count + 1, sizeof(*awaited->processes));
	return awaited->processes ? 0 : -ENOMEM;
}

int awaited_object(struct awaited *awaited, const struct trace_event *event)
{
	const struct tandem_rec_queue *record = (const void *)event->record;
	struct awaited_queue queue = {.any_order = true};

	if (event->record->id != TANDEM_EVENT_queue || record->in_order)
		return 0;
	return queue_set(awaited, queue_key(event->stream->process->index, record->queue), &queue);
}

static uint32_t queue_of(const struct trace_event *event)
{
	const struct tandem_field *field = trace_field_role(event->layout, TANDEM_ROLE_queue);

	return field ? (uint32_t)trace_field_unsigned(event, field) : 0;
}

static int note_enqueue(struct awaited *awaited, const struct trace_event *event)
{
	uint32_t index = event->stream->process->index;
	struct awaited_process *process = &awaited->processes[index];
	uint64_t key = queue_key(index, queue_of(event));
	struct awaited_queue queue = queue_get(awaited, key);
	struct awaited_command *command;

	if (!process->commands) {
		process->commands = calloc(AWAITED, sizeof(*process->commands));
		if (!process->commands)
			return -ENOMEM;
	}
	command = &process->commands[process->count++ % AWAITED];
	if (command->op)
		map_remove(&awaited->command_of, operation_key(index, command->op));
	queue.given++;
	*command = (struct awaited_command){.op = trace_event_op(event),
					    .queue = queue_of(event),
					    .number = queue.given,
					    .ended = trace_event_blocks(event)};
	if (command->ended && !queue.any_order)
		queue.ended = queue.given;
	if (queue_set(awaited, key, &queue))
		return -ENOMEM;
	return map_set(&awaited->command_of, operation_key(index, command->op), process->count);
}

/* NULL: it is no command, or was too long ago. */
static struct awaited_command *command_find(const struct awaited *awaited, uint32_t process,
					    uint64_t op)
{
	uint64_t place = map_get(&awaited->command_of, operation_key(process, op));

	return place == MAP_NONE ? NULL
				 : &awaited->processes[process].commands[(place - 1) % AWAITED];
}

static bool is_ended(const struct awaited *awaited, uint32_t process,
		     const struct awaited_command *command)
{
	struct awaited_queue queue = queue_get(awaited, queue_key(process, command->queue));

	return command->ended || (!queue.any_order && command->number <= queue.ended);
}

/* Clears `again` if the command is not known to have ended; from now on it is. */
static int wait_for(struct awaited *awaited, uint32_t process, uint64_t op, bool *again)
{
	struct awaited_command *command = command_find(awaited, process, op);
	struct awaited_queue queue;
	uint64_t key;

	if (!command || !is_ended(awaited, process, command))
		*again = false;
	if (!command)
		return 0;
	command->ended = true;
	key = queue_key(process, command->queue);
	queue = queue_get(awaited, key);
	if (queue.any_order || queue.ended >= command->number)
		return 0;
	queue.ended = command->number;
	return queue_set(awaited, key, &queue);
}

static int wait_for_events(struct awaited *awaited, const struct trace_event *event, bool *again)
{
	const struct tandem_field *one = trace_field_role(event->layout, TANDEM_ROLE_event);
	const struct tandem_field *list = trace_field_role(event->layout, TANDEM_ROLE_events);
	uint32_t process = event->stream->process->index;
	const uint8_t *elements;
	int status = 0;
	size_t count;

	if (one && one->kind == TANDEM_FIELD_OP) {
		*again = true;
		return wait_for(awaited, process, trace_field_unsigned(event, one), again);
	}
	if (!list || list->kind != TANDEM_FIELD_OP || !list->variable)
		return 0;
	elements = trace_field_elements(event, list, &count);
	*again = count > 0;
	for (size_t i = 0; !status && i < count; i++)
		status = wait_for(awaited, process,
				  trace_element_unsigned(list, elements + i * list->bytes), again);
	return status;
}

int awaited_call(struct awaited *awaited, const struct trace_event *event, bool *again)
{
	const struct tandem_event *call = event->layout->event;
	struct awaited_queue queue;
	uint64_t key;

	*again = false;
	if (trace_event_failed(event))
		return 0;
	if (trace_event_op(event))
		return note_enqueue(awaited, event);
	if (call->class != TANDEM_CLASS_WAIT)
		return 0;
	if (call->traits.wait == TANDEM_WAIT_event)
		return wait_for_events(awaited, event, again);
	if (call->traits.wait != TANDEM_WAIT_queue)
		return 0;
	key = queue_key(event->stream->process->index, queue_of(event));
	queue = queue_get(awaited, key);
	if (queue.any_order)
		return 0;
	queue.ended = queue.given;
	return queue_set(awaited, key, &queue);
}

void awaited_free(struct awaited *awaited)
{
	for (size_t i = 0; awaited->processes && i < awaited->count; i++)
		free(awaited->processes[i].commands);
	free(awaited->processes);
	map_free(&awaited->queue_of);
	map_free(&awaited->command_of);
}
