/* SPDX-License-Identifier: MIT */
/* The shape of launches: work-groups that do not fill the device's lanes, too few
 * of them to fill the device, and, where the device's limits are known, too few at
 * once on a multiprocessor (occupancy.h). A CUDA block is a work-group here. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/findings/launch/counted.h"
#include "analysis/findings/launch/launch_row.h"
#include "analysis/findings/launch/short.h"
#include "analysis/operations/kernel_source.h"
#include "trace/field.h"
#include "util/array.h"

/* Of a core: as many floats as the widest vectors hold (AVX-512). */
#define CPU_LANES 16u

struct launch_kernel { /* a kernel object, as it was described */
	uint64_t preferred, max_work_group;
	enum tandem_kernel_body body;
};

/* Of one item each: a task has few. */
#define MANY_GROUPS 64u

/* A multiprocessor's warp schedulers, each of which issues for warps of its own: in all from
 * compute capability 7.0 on (CUDA C++ Programming Guide, "Compute Capabilities"). */
#define SCHEDULERS 4u
#define SCHEDULERS_SINCE 7u

/* Kernels of a device that one more may have run beside. */
#define RECENT 64u

struct launch_run {
	size_t row; /* of launch rows */
	int64_t start_ns, end_ns;
};

struct launch_device {
	uint64_t kernels_ns, busy_ns; /* of all its kernels; in which one of them ran, or more */
	int64_t until_ns;
	/* The latest, in the order of their ends nearly: of such as fill it, and of others. */
	struct launch_run *full, *small; /* RECENT each */
	size_t full_count, small_count;	 /* so far */
};

struct launch {
	const struct devices *known;   /* the iterator's */
	struct launch_device *devices; /* by row */
	size_t device_count;
	struct map bodies;  /* kernel_source_key() -> enum tandem_kernel_body */
	struct map kernels; /* process and number -> described */
	struct launch_kernel *described;
	size_t described_count, described_capacity;
	struct map units; /* row of devices -> compute units */
	struct launch_configs launch_configs;
	struct map limits_of; /* row of devices -> limits */
	struct occupancy_limits *limits;
	size_t limits_count, limits_capacity;
	struct launch_row *rows;
	size_t count, capacity;
	struct map row_of; /* hash of kernel, device and shape -> the latest such row */
	struct counted counted;
};

static int note_body(struct launch *launch, const struct trace_event *event)
{
	const struct tandem_rec_kernel_reads *record = (const void *)event->record;

	return map_set(&launch->bodies, kernel_source_key(event, record->program, "kernel"),
		       record->body);
}

static int note_object(struct findings *findings, struct launch *launch,
		       const struct trace_event *event)
{
	const struct tandem_rec_kernel *kernel = (const void *)event->record;
	const struct tandem_rec_device *device = (const void *)event->record;
	uint32_t process = event->stream->process->index, row;
	uint64_t body;

	if (event->record->id == TANDEM_EVENT_kernel_reads)
		return note_body(launch, event);
	if (event->record->id == TANDEM_EVENT_device) {
		if (devices_of_number(&findings->iterator->devices, event, device->device,
				      device->domain, &row))
			return -ENOMEM;
		return map_set(&launch->units, row, device->compute_units);
	}
	if (event->record->id != TANDEM_EVENT_kernel)
		return 0;
	if (array_reserve(&launch->described, &launch->described_capacity,
			  launch->described_count + 1, sizeof(*launch->described)))
		return -ENOMEM;
	body = map_get(&launch->bodies, kernel_source_key(event, kernel->program, "name"));
	launch->described[launch->described_count] = (struct launch_kernel){
		.body = body == MAP_NONE ? TANDEM_KERNEL_BODY_unknown : body,
		.preferred = kernel->preferred_multiple,
		.max_work_group = kernel->max_work_group,
	};
	return map_set(&launch->kernels, (uint64_t)process << 32 | kernel->kernel,
		       launch->described_count++);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	return (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
}

static bool same_shape(const struct launch_size *a, const struct launch_size *b)
{
	return a->dimensions == b->dimensions && a->local_dimensions == b->local_dimensions &&
	       !memcmp(a->global, b->global, sizeof(a->global)) &&
	       !memcmp(a->local, b->local, sizeof(a->local));
}

static int row_find(struct launch *launch, const struct launch_row *wanted, struct launch_row **row)
{
	uint64_t hash = mix(mix(0, (uint64_t)(uintptr_t)wanted->name), wanted->device), known;

	for (unsigned i = 0; i < 3; i++)
		hash = mix(mix(hash, wanted->shape.global[i]), wanted->shape.local[i]);
	known = map_get(&launch->row_of, hash);
	if (known != MAP_NONE) {
		*row = &launch->rows[known];
		if ((*row)->name == wanted->name && (*row)->device == wanted->device &&
		    same_shape(&(*row)->shape, &wanted->shape))
			return 0;
	}
	if (array_reserve(&launch->rows, &launch->capacity, launch->count + 1,
			  sizeof(*launch->rows)))
		return -ENOMEM;
	launch->rows[launch->count] = *wanted;
	*row = &launch->rows[launch->count];
	return map_set(&launch->row_of, hash, launch->count++);
}

static int note_limits(struct findings *findings, struct launch *launch,
		       const struct trace_event *event)
{
	struct occupancy_limits limits;
	uint32_t number = launch_configs_limits(event, &limits), row;

	if (devices_of_number(
		    &findings->iterator->devices, event, number,
		    (uint8_t)trace_session_domain_of(findings->session, event->record->id), &row) ||
	    array_reserve(&launch->limits, &launch->limits_capacity, launch->limits_count + 1,
			  sizeof(*launch->limits)) ||
	    map_set(&launch->limits_of, row, launch->limits_count))
		return -ENOMEM;
	launch->limits[launch->limits_count++] = limits;
	return 0;
}

/* A shape that is not in the call but was described. */
static void take_shape(const struct launch *launch, const struct operation *operation,
		       struct launch_row *row)
{
	const struct launch_config *config = launch_configs_find(
		&launch->launch_configs, operation->process, operation->record->launch_config);
	uint64_t limits = map_get(&launch->limits_of, operation->device);

	if (!config || !config->is_launch || !config->group_items)
		return;
	row->described = true;
	row->shape.dimensions = row->shape.local_dimensions = 1;
	row->shape.global[0] = config->groups * config->group_items;
	row->shape.local[0] = config->group_items;
	row->use = (struct occupancy_use){
		.items = (uint32_t)config->group_items,
		.registers = config->registers,
		.shared_bytes = config->static_bytes + config->dynamic_bytes,
	};
	if (limits == MAP_NONE)
		return;
	row->preferred = launch->limits[limits].warp_items;
	occupancy_compute(&launch->limits[limits], &row->use, &row->occupancy);
	if (!launch->limits[limits].gfx && launch->limits[limits].major >= SCHEDULERS_SINCE)
		row->schedulers = SCHEDULERS;
}

/* Since the kernel before; 0: longer than this one takes, which has another cause. */
static int64_t gap_before(const struct launch_device *device, const struct operation *operation)
{
	const struct operation_times *times = &operation->times;
	int64_t gap_ns = times->start_ns - device->until_ns;

	return device->until_ns && gap_ns > 0 && gap_ns <= times->end_ns - times->start_ns ? gap_ns
											   : 0;
}

/* In the order of their ends, nearly. */
static void note_busy(struct launch_device *device, const struct operation *operation)
{
	const struct operation_times *times = &operation->times;
	int64_t from_ns = times->start_ns > device->until_ns ? times->start_ns : device->until_ns;

	device->kernels_ns += (uint64_t)(times->end_ns - times->start_ns);
	if (times->end_ns <= from_ns)
		return;
	device->busy_ns += (uint64_t)(times->end_ns - from_ns);
	device->until_ns = times->end_ns;
}

/* Of `run`, beside `other`. */
static uint64_t beside_ns(const struct launch_run *run, const struct launch_run *other)
{
	int64_t from = run->start_ns > other->start_ns ? run->start_ns : other->start_ns;
	int64_t to = run->end_ns < other->end_ns ? run->end_ns : other->end_ns;

	return to > from ? (uint64_t)(to - from) : 0;
}

/* A kernel of few groups costs nothing while another one has the rest of the device. Each two are
 * looked at once: when the later of them has ended. */
static void note_beside(struct launch *launch, struct launch_device *device,
			const struct launch_run *run, uint64_t units)
{
	bool fills = launch_row_groups(&launch->rows[run->row]) >= units;
	const struct launch_run *others = fills ? device->small : device->full;
	size_t count = fills ? device->small_count : device->full_count;

	for (size_t i = 0; i < RECENT && i < count; i++) {
		const struct launch_run *other = &others[(count - 1 - i) % RECENT];

		if (other->end_ns <= run->start_ns)
			break;
		launch->rows[fills ? other->row : run->row].beside_ns += beside_ns(run, other);
	}
	if (fills)
		device->full[device->full_count++ % RECENT] = *run;
	else
		device->small[device->small_count++ % RECENT] = *run;
}

static int take_beside(struct launch *launch, const struct operation *operation,
		       const struct launch_row *row)
{
	uint64_t units = map_get(&launch->units, operation->device);
	struct launch_device *device = &launch->devices[operation->device];
	struct launch_run run = {.row = (size_t)(row - launch->rows),
				 .start_ns = operation->times.start_ns,
				 .end_ns = operation->times.end_ns};

	if (units == MAP_NONE)
		return 0;
	if (!device->full)
		device->full = calloc(RECENT, sizeof(*device->full));
	if (!device->small)
		device->small = calloc(RECENT, sizeof(*device->small));
	if (!device->full || !device->small)
		return -ENOMEM;
	note_beside(launch, device, &run, units);
	return 0;
}

/* Many of them. */
static bool groups_of_one(const struct launch_size *shape)
{
	uint64_t items = 1;

	for (unsigned i = 0; i < shape->dimensions && i < 3; i++) {
		if (!shape->local_dimensions || shape->local[i] > 1)
			return false;
		items *= shape->global[i];
	}
	return items >= MANY_GROUPS;
}

static int count_launch(struct launch *launch, const struct operation *operation)
{
	struct launch_row wanted = {
		.name = operation->name, .device = operation->device, .at_once = 1};
	const struct tandem_rec_operation *record = operation->record;
	struct launch_row *row;
	uint64_t known, ns;
	int64_t gap_ns = 0;

	if (!operation->timed)
		return 0;
	if (operation->placed && operation->device < launch->device_count)
		gap_ns = gap_before(&launch->devices[operation->device], operation);
	if (operation->placed && operation->device < launch->device_count)
		note_busy(&launch->devices[operation->device], operation);
	wanted.shape = operation->size;
	take_shape(launch, operation, &wanted);
	if (!wanted.shape.dimensions)
		return 0;
	if (row_find(launch, &wanted, &row))
		return -ENOMEM;
	known = map_get(&launch->kernels, (uint64_t)operation->process << 32 | record->kernel);
	if (known != MAP_NONE && !row->described) {
		row->preferred = row->wished = launch->described[known].preferred;
		row->most_items = launch->described[known].max_work_group;
		row->body = launch->described[known].body;
	}
	/* A CPU has its driver's wish there, and no lanes that idle. */
	row->is_cpu = devices_taken_part(&launch->known->rows[operation->device]) > 0;
	if (row->preferred > CPU_LANES && row->is_cpu)
		row->preferred = CPU_LANES;
	/* A kernel that must have groups of one item prefers none, for all its driver says. */
	if (row->preferred <= 1 && groups_of_one(&wanted.shape) && row->is_cpu)
		row->preferred = CPU_LANES;
	ns = record->end - record->start;
	row->count++;
	row->ns += ns;
	row->gaps_ns += (uint64_t)gap_ns;
	if (ns >= row->longest_ns && operation->placed) {
		row->longest_ns = ns;
		row->stream = operation->stream;
		row->begin_ns = operation->times.start_ns;
		row->end_ns = operation->times.end_ns;
	}
	return operation->placed && operation->device < launch->device_count
		       ? take_beside(launch, operation, row)
		       : 0;
}

static int launch_begin(struct findings *findings, void *state)
{
	struct launch *launch = state;

	launch->known = &findings->iterator->devices;
	launch->device_count = launch->known->count;
	launch->devices = calloc(launch->device_count + 1, sizeof(*launch->devices));
	return launch->devices ? 0 : -ENOMEM;
}

static int launch_item(struct findings *findings, void *state, const struct event_item *item)
{
	struct launch *launch = state;

	if (counted_item(&launch->counted, item))
		return -ENOMEM;
	if (item->kind == ITEM_OBJECT)
		return note_object(findings, state, item->event);
	if (item->kind == ITEM_OTHER &&
	    item->event->layout->event->traits.record == TANDEM_RECORD_device_limits)
		return note_limits(findings, launch, item->event);
	if (item->kind == ITEM_OTHER && item->event->record->id == TANDEM_EVENT_kernel_reads)
		return note_body(launch, item->event);
	if (item->kind == ITEM_OTHER)
		return launch_configs_learn(&launch->launch_configs, item->event);
	if (item->kind == ITEM_OPERATION && item->operation.kind == TANDEM_OPERATION_KIND_kernel)
		return count_launch(state, &item->operation);
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct launch_row *left = a, *right = b;

	return left->ns < right->ns ? 1 : left->ns > right->ns ? -1 : 0;
}

#define SHAPES_MOST 1024u

static int launch_end(struct findings *findings, void *state)
{
	struct launch *launch = state;
	struct map said = {0};
	size_t shapes;
	int status = 0;

	if (launch->count)
		qsort(launch->rows, launch->count, sizeof(*launch->rows), by_time);

	for (size_t i = 0; !status && i < launch->count; i++) {
		struct launch_row *row = &launch->rows[i];
		const struct launch_device *device =
			&launch->devices[row->device < launch->device_count ? row->device
									    : launch->device_count];
		uint64_t known = map_get(&launch->units, row->device);
		uint64_t units = known == MAP_NONE ? 0 : known;

		if (device->busy_ns && device->kernels_ns > device->busy_ns)
			row->at_once = (double)device->kernels_ns / (double)device->busy_ns;
		status = launch_row_report(row, findings, units, &said);
	}
	if (!status)
		status = counted_series_report(&launch->counted.rows, findings, &launch->units);
	/* Of many shapes those that took the longest. */
	shapes = launch->count < SHAPES_MOST ? launch->count : SHAPES_MOST;
	for (size_t i = 0; !status && i < shapes; i++)
		status = launch_short_report(launch->rows, shapes, i, findings);
	map_free(&said);
	return status;
}

static void launch_release(struct findings *findings, void *state)
{
	struct launch *launch = state;

	(void)findings;
	for (size_t i = 0; i < launch->device_count; i++) {
		free(launch->devices[i].full);
		free(launch->devices[i].small);
	}
	free(launch->devices);
	map_free(&launch->bodies);
	map_free(&launch->kernels);
	free(launch->described);
	map_free(&launch->units);
	map_free(&launch->limits_of);
	free(launch->limits);
	launch_configs_free(&launch->launch_configs);
	free(launch->rows);
	map_free(&launch->row_of);
	counted_free(&launch->counted);
}

const struct finding_ops finding_launch = {
	.name = "launch",
	.words = "launch configurations that do not fill the device",
	.state_bytes = sizeof(struct launch),
	.begin = launch_begin,
	.item = launch_item,
	.items = 1u << ITEM_CALL | 1u << ITEM_OBJECT | 1u << ITEM_OTHER | 1u << ITEM_OPERATION,
	.end = launch_end,
	.release = launch_release,
};
