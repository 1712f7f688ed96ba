/* SPDX-License-Identifier: MIT */
#include "analysis/report/device/untimed.h"

#include "trace/field.h"

static uint64_t queue_key(uint32_t process, uint32_t queue)
{
	return (uint64_t)process << 32 | queue;
}

int untimed_call(struct untimed *untimed, const struct trace_event *event)
{
	const struct tandem_field *field = trace_field_role(event->layout, TANDEM_ROLE_queue);
	uint64_t key, known;

	untimed->operations++;
	if (!field || field->variable)
		return 0;
	key = queue_key(event->stream->process->index,
			(uint32_t)trace_field_unsigned(event, field));
	known = map_get(&untimed->queues, key);
	return map_set(&untimed->queues, key, known == MAP_NONE ? 1 : known + 1);
}

uint64_t untimed_of_queue(const struct untimed *untimed, uint32_t process, uint32_t queue)
{
	uint64_t known = map_get(&untimed->queues, queue_key(process, queue));

	return known == MAP_NONE ? 0 : known;
}

void untimed_free(struct untimed *untimed)
{
	map_free(&untimed->queues);
}
