/* SPDX-License-Identifier: MIT */
#include "analysis/report/device/metrics_kernels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schema/gen/core_records.h"
#include "util/array.h"
#include "util/keyed_row.h"
#include "util/order/compare.h"

static uint64_t key_of(uint32_t high, uint32_t low)
{
	return (uint64_t)high << 32 | low;
}

int metrics_kernels_limits(struct metrics_kernels *kernels, const struct trace_event *event)
{
	struct occupancy_limits limits;
	uint32_t device = launch_configs_limits(event, &limits);

	if (array_reserve(&kernels->limits, &kernels->limits_capacity, kernels->limits_count + 1,
			  sizeof(limits)) ||
	    map_set(&kernels->limits_of, key_of(event->stream->process->index, device),
		    kernels->limits_count))
		return -ENOMEM;
	kernels->limits[kernels->limits_count++] = limits;
	return 0;
}

/* The number of the device of the operation's queue; 0: not known. */
static uint32_t device_of(const struct metrics_kernels *kernels, const struct operation *operation)
{
	return operation->queue == TRACE_NONE ? 0
					      : kernels->objects->queues[operation->queue].device;
}

static int row_find(struct metrics_kernels *kernels, const struct operation *operation,
		    struct metrics_kernel **row)
{
	const struct tandem_rec_operation *record = operation->record;
	uint32_t process = operation->process;
	struct trace_objects *objects = kernels->objects;
	uint32_t name = trace_objects_kernel(objects, process, record->kernel);
	uint32_t device = trace_objects_device(objects, process, device_of(kernels, operation));
	struct metrics_kernel fresh = {.device = ""};
	uint64_t key;

	if (name == TRACE_NONE)
		name = 0; /* the empty string */
	/* Devices of several processes are one if they are called the same. */
	key = key_of(device == TRACE_NONE ? 0
					  : objects->devices[device].name << 4 ^
						    objects->devices[device].ordinal,
		     name);
	fresh.name = intern_text(&objects->names, name);
	if (device != TRACE_NONE)
		fresh.device = intern_text(&objects->names, objects->devices[device].name);
	*row = keyed_row(&kernels->row_of, key, &kernels->rows, &kernels->capacity, &kernels->count,
			 &fresh, sizeof(fresh));
	return *row ? 0 : -ENOMEM;
}

int metrics_kernels_add(struct metrics_kernels *kernels, const struct operation *operation,
			const struct launch_config *config, double seconds)
{
	static const struct occupancy_limits none;
	uint64_t limits = map_get(&kernels->limits_of,
				  key_of(operation->process, device_of(kernels, operation)));
	struct occupancy_use use = {
		.items = (uint32_t)config->group_items,
		.registers = config->registers,
		.shared_bytes = config->static_bytes + config->dynamic_bytes,
	};
	struct occupancy occupancy;
	struct metrics_kernel *row;

	if (row_find(kernels, operation, &row))
		return -ENOMEM;
	occupancy_compute(limits == MAP_NONE ? &none : &kernels->limits[limits], &use, &occupancy);
	row->count++;
	row->seconds += seconds;
	row->static_bytes += config->static_bytes;
	row->dynamic_bytes += config->dynamic_bytes;
	row->private_bytes += config->private_bytes;
	row->warps += occupancy.warps;
	row->warps_most += occupancy.warps_most;
	row->registers += config->registers;
	row->group_items += (double)config->group_items;
	row->groups += (double)config->groups;
	row->group_bytes += use.shared_bytes;
	row->occupancy_percent += 100 * occupancy.ratio;
	row->by_limiter[occupancy.limiter]++;
	return 0;
}

static int row_compare(const void *a, const void *b)
{
	const struct metrics_kernel *left = a, *right = b;

	return COMPARE(right->seconds, left->seconds) ?: strcmp(left->name, right->name);
}

/* From sums to means; the strings are copied, as the objects go. */
static int row_finish(struct metrics_kernel *row, struct arena *arena)
{
	double *const sums[] = {
		&row->static_bytes, &row->dynamic_bytes,    &row->private_bytes, &row->warps,
		&row->warps_most,   &row->registers,	    &row->group_items,	 &row->groups,
		&row->group_bytes,  &row->occupancy_percent};
	int limiter = 0;

	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		*sums[i] /= (double)row->count;
	for (int i = 1; i <= OCCUPANCY_UNKNOWN; i++)
		if (row->by_limiter[i] > row->by_limiter[limiter])
			limiter = i;
	row->limiter = occupancy_limiter_name((enum occupancy_limiter)limiter);
	row->name = arena_copy(arena, row->name, strlen(row->name));
	row->device = arena_copy(arena, row->device, strlen(row->device));
	return row->name && row->device ? 0 : -ENOMEM;
}

int metrics_kernels_finish(struct metrics_kernels *kernels, struct arena *arena,
			   struct metrics_kernel **rows, size_t *count)
{
	*rows = arena_alloc(arena, kernels->count * sizeof(**rows));
	if (!*rows)
		return -ENOMEM;
	if (kernels->count)
		memcpy(*rows, kernels->rows, kernels->count * sizeof(**rows));
	*count = kernels->count;
	for (size_t i = 0; i < *count; i++)
		if (row_finish(&(*rows)[i], arena))
			return -ENOMEM;
	qsort(*rows, *count, sizeof(**rows), row_compare);
	return 0;
}

void metrics_kernels_free(struct metrics_kernels *kernels)
{
	free(kernels->rows);
	free(kernels->limits);
	map_free(&kernels->row_of);
	map_free(&kernels->limits_of);
	memset(kernels, 0, sizeof(*kernels));
}
