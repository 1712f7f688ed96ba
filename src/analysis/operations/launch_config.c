#include "analysis/operations/launch_config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schema/gen/core_records.h"
#include "schema/gen/cuda_records.h"
#include "util/array.h"

static uint64_t key_of(uint32_t process, uint32_t number)
{
	return (uint64_t)process << 32 | number;
}

static struct shape launch_read(const struct tandem_rec_launch_shape *record)
{
	return (struct shape){
		.is_launch = true,
		.groups = (uint64_t)record->groups_x * record->groups_y * record->groups_z,
		.group_items = (uint64_t)record->items_x * record->items_y * record->items_z,
		.registers = record->registers,
		.static_bytes = record->static_local_bytes,
		.dynamic_bytes = record->dynamic_local_bytes,
		.private_bytes = record->private_bytes,
		.graph = record->graph,
	};
}

static struct shape transfer_read(const struct tandem_rec_transfer_shape *record)
{
	return (struct shape){
		.source = record->source,
		.destination = record->destination,
		.from = record->from,
		.to = record->to,
		.graph = record->graph,
	};
}

int shapes_learn(struct shapes *shapes, const struct trace_event *event)
{
	struct shape shape;
	uint32_t number;

	if (event->record->id == TANDEM_EVENT_launch_shape) {
		shape = launch_read((const void *)event->record);
		number = ((const struct tandem_rec_launch_shape *)event->record)->shape;
	} else if (event->record->id == TANDEM_EVENT_transfer_shape) {
		shape = transfer_read((const void *)event->record);
		number = ((const struct tandem_rec_transfer_shape *)event->record)->shape;
	} else {
		return 0;
	}
	if (array_reserve(&shapes->items, &shapes->capacity, shapes->count + 1,
			  sizeof(*shapes->items)) ||
	    map_set(&shapes->index, key_of(event->stream->process->index, number), shapes->count))
		return -ENOMEM;
	shapes->items[shapes->count++] = shape;
	return 0;
}

struct occupancy_limits shapes_limits(const struct trace_event *event)
{
	const struct tandem_cuda_multiprocessor *record = (const void *)event->record;

	return (struct occupancy_limits){
		.major = record->major,
		.minor = record->minor,
		.warp_items = record->warp_items,
		.items = record->items,
		.groups = record->groups,
		.registers = record->registers,
		.group_registers = record->group_registers,
		.shared_bytes = record->shared_bytes,
		.group_reserved_bytes = record->group_reserved_bytes,
	};
}

const struct shape *shapes_find(const struct shapes *shapes, uint32_t process, uint32_t number)
{
	uint64_t index = number ? map_get(&shapes->index, key_of(process, number)) : MAP_NONE;

	return index == MAP_NONE ? NULL : &shapes->items[index];
}

void shapes_free(struct shapes *shapes)
{
	free(shapes->items);
	map_free(&shapes->index);
	memset(shapes, 0, sizeof(*shapes));
}
