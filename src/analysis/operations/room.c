/* SPDX-License-Identifier: MIT */
#include "analysis/operations/room.h"

/* 0: not known. */
static uint64_t group_count(const struct launch_configs *configs, const struct operation *operation)
{
	const struct launch_config *config =
		operation->record ? launch_configs_find(configs, operation->process,
							operation->record->launch_config)
				  : NULL;
	const struct launch_size *size = &operation->size;
	uint64_t groups = 1;

	if (config && config->is_launch)
		return config->groups;
	if (!size->local_dimensions)
		return 0;
	for (unsigned i = 0; i < size->dimensions; i++) {
		uint64_t local = i < size->local_dimensions ? size->local[i] : 1;

		groups *= local ? size->global[i] / local : 1;
	}
	return groups;
}

double room_taken(const struct launch_configs *configs, const struct devices *devices,
		  const struct operation *operation)
{
	uint32_t units = devices->rows[operation->device].compute_units;
	uint64_t groups;

	if (operation->kind != TANDEM_OPERATION_KIND_kernel || !units)
		return 1;
	groups = group_count(configs, operation);
	return groups && groups < units ? (double)groups / units : 1;
}
