/* SPDX-License-Identifier: MIT */
#include "analysis/operations/launch_config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schema/gen/core_records.h"
#include "trace/field.h"
#include "util/array.h"

static uint64_t key_of(uint32_t process, uint32_t number)
{
	return (uint64_t)process << 32 | number;
}

static struct launch_config launch_read(const struct tandem_rec_launch_config *record)
{
	return (struct launch_config){
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

static struct launch_config transfer_read(const struct tandem_rec_transfer_config *record)
{
	return (struct launch_config){
		.source = record->source,
		.destination = record->destination,
		.from = record->from,
		.to = record->to,
		.graph = record->graph,
	};
}

int launch_configs_learn(struct launch_configs *launch_configs, const struct trace_event *event)
{
	struct launch_config launch_config;
	uint32_t number;

	if (event->record->id == TANDEM_EVENT_launch_config) {
		launch_config = launch_read((const void *)event->record);
		number = ((const struct tandem_rec_launch_config *)event->record)->launch_config;
	} else if (event->record->id == TANDEM_EVENT_transfer_config) {
		launch_config = transfer_read((const void *)event->record);
		number = ((const struct tandem_rec_transfer_config *)event->record)->launch_config;
	} else {
		return 0;
	}
	if (array_reserve(&launch_configs->items, &launch_configs->capacity,
			  launch_configs->count + 1, sizeof(*launch_configs->items)) ||
	    map_set(&launch_configs->index, key_of(event->stream->process->index, number),
		    launch_configs->count))
		return -ENOMEM;
	launch_configs->items[launch_configs->count++] = launch_config;
	return 0;
}

static uint32_t field_u32(const struct trace_event *event, const char *name)
{
	const struct tandem_field *field = trace_field_find(event->layout, name);

	return field ? (uint32_t)trace_field_unsigned(event, field) : 0;
}

uint32_t launch_configs_limits(const struct trace_event *event, struct occupancy_limits *limits)
{
	*limits = (struct occupancy_limits){
		.major = field_u32(event, "major"),
		.minor = field_u32(event, "minor"),
		.warp_items = field_u32(event, "warp_items"),
		.items = field_u32(event, "items"),
		.groups = field_u32(event, "groups"),
		.registers = field_u32(event, "registers"),
		.group_registers = field_u32(event, "group_registers"),
		.shared_bytes = field_u32(event, "shared_bytes"),
		.group_reserved_bytes = field_u32(event, "group_reserved_bytes"),
		.gfx = field_u32(event, "gfx"),
	};
	return field_u32(event, "device");
}

const struct launch_config *launch_configs_find(const struct launch_configs *launch_configs,
						uint32_t process, uint32_t number)
{
	uint64_t index =
		number ? map_get(&launch_configs->index, key_of(process, number)) : MAP_NONE;

	return index == MAP_NONE ? NULL : &launch_configs->items[index];
}

void launch_configs_free(struct launch_configs *launch_configs)
{
	free(launch_configs->items);
	map_free(&launch_configs->index);
	memset(launch_configs, 0, sizeof(*launch_configs));
}
