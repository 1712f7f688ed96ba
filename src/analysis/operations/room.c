/* SPDX-License-Identifier: MIT */
#include "analysis/operations/room.h"

/* A fill, or a copy on the device, of less has one unit busy: 4 MB take all of an H100's 132. */
#define UNIT_BYTES 32768u

/* Of `small`: parts of a device. */
#define PARTS 65536.0

/* So many work-items keep a multiprocessor busy that each do one thing after the other: it starts four
 * warps of 32 a cycle, and what they wait for (a multiplication and addition) takes four. */
#define UNIT_ITEMS 512u

/* Where the runtime chose them, at the most: a work-item each. 0: not known. */
static uint64_t group_count(const struct operation *operation)
{
	const struct launch_size *size = &operation->size;
	uint64_t groups = 1;

	if (!size->dimensions)
		return 0;
	for (unsigned i = 0; i < size->dimensions; i++) {
		uint64_t local = i < size->local_dimensions ? size->local[i] : 1;

		groups *= local ? size->global[i] / local : 1;
	}
	return groups;
}

/* Of a launch of which the runtime says how large its groups are: where they are small, several
 * share a unit. */
static double launch_part(const struct launch_config *config, uint32_t units)
{
	double part = (double)config->groups / units;

	if (config->group_items && config->group_items < UNIT_ITEMS)
		part *= (double)config->group_items / UNIT_ITEMS;
	return part > 0 && part < 1 ? part : 1;
}

double room_taken(const struct launch_configs *configs, const struct devices *devices,
		  const struct operation *operation)
{
	uint32_t units = devices->rows[operation->device].compute_units;
	const struct launch_config *config =
		operation->record ? launch_configs_find(configs, operation->process,
							operation->record->launch_config)
				  : NULL;
	uint64_t groups;

	if (!units)
		return 1;
	switch (operation->kind) {
	case TANDEM_OPERATION_KIND_kernel:
		if (config && config->is_launch)
			return launch_part(config, units);
		groups = group_count(operation);
		break;
	case TANDEM_OPERATION_KIND_fill:
	case TANDEM_OPERATION_KIND_copy_d2d:
		groups = operation->record ? 1 + operation->record->bytes / UNIT_BYTES : 0;
		break;
	default:
		return 1;
	}
	return groups && groups < units ? (double)groups / units : 1;
}

static bool is_transfer(unsigned kind)
{
	return kind == TANDEM_OPERATION_KIND_copy_h2d || kind == TANDEM_OPERATION_KIND_copy_d2h;
}

bool room_for_both(unsigned kind, double room, unsigned other_kind, double other_room)
{
	if (is_transfer(kind) || is_transfer(other_kind))
		return kind != other_kind;
	return 2 * room <= 1 || 2 * other_room <= 1;
}

int rooms_keep(struct rooms *rooms, const struct operation *operation, double room)
{
	return room < 1 ? map_set(&rooms->small, operation_key(operation->process, operation->op),
				  (uint64_t)(room * PARTS))
			: 0;
}

static double of_parts(uint64_t parts)
{
	return parts == MAP_NONE ? 1 : (double)parts / PARTS;
}

double rooms_of(const struct rooms *rooms, uint32_t process, uint64_t op)
{
	return of_parts(map_get(&rooms->small, operation_key(process, op)));
}

double rooms_take(struct rooms *rooms, uint32_t process, uint64_t op)
{
	return of_parts(map_remove(&rooms->small, operation_key(process, op)));
}

void rooms_free(struct rooms *rooms)
{
	launch_configs_free(&rooms->configs);
	map_free(&rooms->small);
}
