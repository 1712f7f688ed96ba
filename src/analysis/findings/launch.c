/* SPDX-License-Identifier: MIT */
/* The shape of launches: work-groups that do not fill the device's lanes, too few
 * of them to fill the device, and, where the device's limits are known, too few at
 * once on a multiprocessor (occupancy.h). A CUDA block is a work-group here. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/findings/finding.h"
#include "analysis/operations/launch_config.h"
#include "analysis/operations/occupancy.h"
#include "trace/field.h"
#include "util/array.h"
#include "util/text.h"
#include "util/units.h"

/* With more of a multiprocessor's warps in flight than this, the time that memory
 * takes is hidden in most kernels, and more bring little (V. Volkov, "Better
 * performance at lower occupancy", 2010). */
#define OCCUPANCY_ENOUGH 0.5

/* A launch of fewer groups than this does not need a good size of them. */
#define MANY_GROUPS 16u

struct launch_kernel { /* a kernel object, as it was described */
	uint64_t preferred, max_work_group;
};

/* A multiprocessor's warp schedulers, each of which issues for warps of its own: in all from compute
 * capability 7.0 on (CUDA C++ Programming Guide, "Compute Capabilities"). */
#define SCHEDULERS 4u
#define SCHEDULERS_SINCE 7u

/* A warp's next instruction that needs the one before it issues so many cycles later (Z. Jia et
 * al., "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", 2018): so many warps
 * keep a scheduler busy. */
#define ISSUE_CYCLES 4u

struct launch_row { /* one kernel, device and shape */
	const char *name;
	uint32_t device;
	struct launch_size shape;
	uint64_t preferred;
	uint64_t most_items;	    /* of a group; 0: not known */
	bool described;		    /* as a shape, in groups and items of a group only */
	struct occupancy occupancy; /* warps_most is 0: not known */
	unsigned schedulers;	    /* of warps, in a multiprocessor; 0: not known */
	struct occupancy_use use;
	uint64_t count, ns, longest_ns;
	uint32_t stream;
	int64_t begin_ns, end_ns; /* of the longest */
};

struct launch {
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
};

static int note_object(struct findings *findings, struct launch *launch,
		       const struct trace_event *event)
{
	const struct tandem_rec_kernel *kernel = (const void *)event->record;
	const struct tandem_rec_device *device = (const void *)event->record;
	uint32_t process = event->stream->process->index, row;

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
	launch->described[launch->described_count] = (struct launch_kernel){
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

static int count_launch(struct launch *launch, const struct operation *operation)
{
	struct launch_row wanted = {.name = operation->name, .device = operation->device};
	const struct tandem_rec_operation *record = operation->record;
	struct launch_row *row;
	uint64_t known, ns;

	if (!operation->timed)
		return 0;
	wanted.shape = operation->size;
	take_shape(launch, operation, &wanted);
	if (!wanted.shape.dimensions)
		return 0;
	if (row_find(launch, &wanted, &row))
		return -ENOMEM;
	known = map_get(&launch->kernels, (uint64_t)operation->process << 32 | record->kernel);
	if (known != MAP_NONE && !row->described) {
		row->preferred = launch->described[known].preferred;
		row->most_items = launch->described[known].max_work_group;
	}
	ns = record->end - record->start;
	row->count++;
	row->ns += ns;
	if (ns >= row->longest_ns && operation->placed) {
		row->longest_ns = ns;
		row->stream = operation->stream;
		row->begin_ns = operation->times.start_ns;
		row->end_ns = operation->times.end_ns;
	}
	return 0;
}

static int launch_item(struct findings *findings, void *state, const struct event_item *item)
{
	struct launch *launch = state;

	if (item->kind == ITEM_OBJECT)
		return note_object(findings, state, item->event);
	if (item->kind == ITEM_OTHER &&
	    item->event->layout->event->traits.record == TANDEM_RECORD_device_limits)
		return note_limits(findings, launch, item->event);
	if (item->kind == ITEM_OTHER)
		return launch_configs_learn(&launch->launch_configs, item->event);
	if (item->kind == ITEM_OPERATION && item->operation.kind == TANDEM_OPERATION_KIND_kernel)
		return count_launch(state, &item->operation);
	return 0;
}

struct fill { /* how a launch fills the device */
	uint64_t group_items, groups;
	uint64_t units;	     /* that the device has; 0: not known */
	double lanes, whole; /* parts of the lanes, of the units that have work: 0 to 1 */
};

static double part(uint64_t used, uint64_t step)
{
	uint64_t steps = (used + step - 1) / step;

	return steps ? (double)used / (double)(steps * step) : 1;
}

static uint64_t largest_divisor(uint64_t number, uint64_t most)
{
	uint64_t largest = 1;

	for (uint64_t i = 1; i <= most && i * i <= number; i++) {
		if (number % i)
			continue;
		largest = i > largest ? i : largest;
		if (number / i <= most && number / i > largest)
			largest = number / i;
	}
	return largest;
}

/* Of a launch that leaves it to the runtime: items of the largest group whose size divides
 * the launch's; 0: not known. */
static uint64_t largest_group(const struct launch_row *row)
{
	uint64_t items = 1, all = 1;

	if (row->shape.local_dimensions || row->described || !row->most_items || !row->preferred)
		return 0;
	for (unsigned i = 0; i < row->shape.dimensions; i++) {
		if (!row->shape.global[i])
			return 0;
		items *= largest_divisor(row->shape.global[i], row->most_items / items);
		all *= row->shape.global[i];
	}
	return all >= MANY_GROUPS * row->preferred ? items : 0;
}

static struct fill fill_of(const struct launch *launch, const struct launch_row *row)
{
	struct fill fill = {.group_items = 1, .groups = 1, .lanes = 1, .whole = 1};
	uint64_t units = map_get(&launch->units, row->device);

	for (unsigned i = 0; i < row->shape.dimensions; i++) {
		uint64_t local = i < row->shape.local_dimensions ? row->shape.local[i] : 1;

		fill.group_items *= local;
		fill.groups *= local ? (row->shape.global[i] + local - 1) / local : 0;
	}
	fill.units = units == MAP_NONE ? 0 : units;
	if (row->shape.local_dimensions && row->preferred)
		fill.lanes = part(fill.group_items, row->preferred);
	/* What the runtime makes of a launch without a local size is not known. */
	if (row->shape.local_dimensions && fill.units && fill.groups)
		fill.whole = part(fill.groups, fill.units);
	return fill;
}

static const char *shape_text(struct findings *findings, const struct launch_row *row,
			      const struct tandem_domain_row *domain)
{
	const struct launch_size *shape = &row->shape;
	struct text text = TEXT_INIT;
	const char *copy;

	if (!row->described && shape->local_dimensions)
		text_add_string(&text, "global ");
	for (unsigned i = 0; i < shape->dimensions; i++)
		text_format(&text, "%s%llu", i ? "x" : "", (unsigned long long)shape->global[i]);
	if (row->described)
		text_format(&text, " %ss in %ss of ", domain->item, domain->group);
	else if (shape->local_dimensions)
		text_add_string(&text, ", local ");
	for (unsigned i = 0; i < shape->local_dimensions; i++)
		text_format(&text, "%s%llu", i ? "x" : "", (unsigned long long)shape->local[i]);
	copy = findings_text(findings, "%s", text.data ? text.data : "");
	text_free(&text);
	return copy;
}

static struct finding *add_row(struct findings *findings, const struct launch_row *row,
			       const struct fill *fill, const char *cause, double filled)
{
	struct finding *finding = findings_add(findings, "launch", cause);

	if (!finding)
		return NULL;
	finding->count = row->count;
	finding->cost_ns = (uint64_t)((double)row->ns * (1 - filled));
	finding->object = findings_text(findings, "%s", row->name);
	finding->device = findings_text(
		findings, "%s", event_iterator_device_name(findings->iterator, row->device));
	finding->confidence = CONFIDENCE_LOW;
	finding->why = findings_text(
		findings,
		"estimated occupancy %.0f %% from the launch configuration alone: lanes "
		"%.0f %%, compute units %.0f %%",
		100 * fill->lanes * fill->whole, 100 * fill->lanes, 100 * fill->whole);
	finding_place(findings, finding, row->stream);
	finding_time(findings, finding, row->begin_ns, row->end_ns);
	return finding;
}

static int add_lanes(struct findings *findings, const struct launch_row *row,
		     const struct fill *fill)
{
	const struct tandem_domain_row *domain = findings_domain(findings, row->device);
	struct finding *finding = add_row(findings, row, fill, "group-size", fill->lanes);

	if (!finding)
		return -ENOMEM;
	finding->what = findings_text(
		findings,
		"kernel %s (%s): the %s size of %llu %s%s is not a multiple of the SIMD width "
		"%llu; lanes idle",
		finding->object, shape_text(findings, row, domain), domain->group,
		(unsigned long long)fill->group_items, domain->item,
		fill->group_items == 1 ? "" : "s", (unsigned long long)row->preferred);
	finding->suggestion = row->described
				      ? findings_text(findings,
						      "make the number of %ss of a %s a multiple "
						      "of %llu, a warp",
						      domain->item, domain->group,
						      (unsigned long long)row->preferred)
				      : findings_text(findings,
						      "make the local size a multiple of %llu, or "
						      "leave it to the runtime (NULL)",
						      (unsigned long long)row->preferred);
	return 0;
}

/* The runtime could choose nothing good. */
static int add_indivisible(struct findings *findings, const struct launch_row *row,
			   uint64_t group_items)
{
	const struct tandem_domain_row *domain = findings_domain(findings, row->device);
	struct fill fill = {.lanes = part(group_items, row->preferred), .whole = 1};
	struct finding *finding = add_row(findings, row, &fill, "group-size", fill.lanes);

	if (!finding)
		return -ENOMEM;
	finding->what = findings_text(
		findings,
		"kernel %s (%s %ss) leaves the %s size to the runtime, and its size has no "
		"divisor: equal %ss hold %llu %s%s at most, and the device works on %llu at a time",
		finding->object, shape_text(findings, row, domain), domain->item, domain->group,
		domain->group, (unsigned long long)group_items, domain->item,
		group_items == 1 ? "" : "s", (unsigned long long)row->preferred);
	finding->why = "from the shape alone; a runtime that makes unequal ones does better";
	finding->suggestion = findings_text(
		findings,
		"round the global size up to a multiple of %llu, and let the kernel return at "
		"once for the %ss beyond the end",
		(unsigned long long)row->preferred, domain->item);
	return 0;
}

static int add_units(struct findings *findings, const struct launch_row *row,
		     const struct fill *fill)
{
	const struct tandem_domain_row *domain = findings_domain(findings, row->device);
	struct finding *finding = add_row(findings, row, fill, "few-groups", fill->whole);

	if (!finding)
		return -ENOMEM;
	finding->what = findings_text(
		findings,
		"kernel %s (%s) has %llu %s%s for the device's %llu %ss: the others are "
		"idle",
		finding->object, shape_text(findings, row, domain),
		(unsigned long long)fill->groups, domain->group, fill->groups == 1 ? "" : "s",
		(unsigned long long)fill->units, domain->multiprocessor);
	finding->suggestion = findings_text(
		findings,
		"make smaller %ss, or give a launch more work; several small kernels can "
		"also run at the same time on several %ss",
		domain->group, domain->queue);
	return 0;
}

static const char *limiter_advice(struct findings *findings, enum occupancy_limiter limiter,
				  const struct tandem_domain_row *domain)
{
	const char *group = domain->group, *item = domain->item, *whole = domain->multiprocessor;
	const char *by = domain->fewer_registers;

	switch (limiter) {
	case OCCUPANCY_ITEMS:
		return findings_text(findings,
				     "choose a %s size that divides the %ss that a %s holds", group,
				     item, whole);
	case OCCUPANCY_GROUPS:
		return findings_text(findings,
				     "make the %ss larger: a %s holds a fixed number of them, "
				     "however small they are",
				     group, whole);
	case OCCUPANCY_REGISTERS:
		return findings_text(findings,
				     "let the kernel use fewer registers%s%s%s, or make the "
				     "%ss smaller",
				     *by ? " (" : "", by, *by ? ")" : "", group);
	case OCCUPANCY_SHARED:
		return findings_text(findings,
				     "use less shared memory in a %s, or share it among more "
				     "%ss",
				     group, item);
	default:
		return "";
	}
}

static int add_occupancy(struct findings *findings, const struct launch_row *row,
			 const struct fill *fill)
{
	const struct tandem_domain_row *domain = findings_domain(findings, row->device);
	const struct occupancy *occupancy = &row->occupancy;
	struct finding *finding =
		add_row(findings, row, fill, "occupancy", occupancy->ratio / OCCUPANCY_ENOUGH);

	if (!finding)
		return -ENOMEM;
	finding->what =
		findings_text(findings,
			      "kernel %s (%s) keeps at most %u of %u warps on a %s, limited by %s: "
			      "too few warps to hide memory latency",
			      finding->object, shape_text(findings, row, domain), occupancy->warps,
			      occupancy->warps_most, domain->multiprocessor,
			      occupancy_limiter_name(occupancy->limiter));
	finding->why = findings_text(findings,
				     "occupancy %.0f %%, exact by the limits of the device: %u "
				     "registers a %s, %u bytes of shared memory a %s; "
				     "that it costs time is assumed",
				     100 * occupancy->ratio, row->use.registers, domain->item,
				     row->use.shared_bytes, domain->group);
	finding->suggestion = limiter_advice(findings, occupancy->limiter, domain);
	/* What a kernel uses is its design, as of those of libraries that are tuned to have much
	 * in registers: fewer warps are no loss by themselves. How it is launched is the
	 * program's. */
	if (occupancy->warps < row->schedulers) {
		finding->cost_ns =
			row->ns - row->ns * occupancy->warps / (row->schedulers * ISSUE_CYCLES);
		finding->confidence = CONFIDENCE_MEDIUM;
		finding->why = findings_text(
			findings,
			"a %s has %u warp schedulers, of which %u get no warp, and each takes about four to be busy; %u registers a "
			"%s, %u bytes of shared memory a %s",
			domain->multiprocessor, row->schedulers, row->schedulers - occupancy->warps,
			row->use.registers, domain->item, row->use.shared_bytes, domain->group);
	} else if (occupancy->limiter == OCCUPANCY_REGISTERS ||
		   occupancy->limiter == OCCUPANCY_SHARED) {
		finding->cost_ns = 0;
		finding->why = findings_text(
			findings, "%s where the kernel waits for memory, and many are made so",
			finding->why);
	}
	return 0;
}

static int launch_end(struct findings *findings, void *state)
{
	struct launch *launch = state;
	int status = 0;

	for (size_t i = 0; !status && i < launch->count; i++) {
		const struct launch_row *row = &launch->rows[i];
		struct fill fill = fill_of(launch, row);

		if (largest_group(row) && 2 * largest_group(row) <= row->preferred)
			status = add_indivisible(findings, row, largest_group(row));
		if (!status && fill.lanes < 1)
			status = add_lanes(findings, row, &fill);
		if (!status && fill.groups < fill.units && fill.whole < 1)
			status = add_units(findings, row, &fill);
		if (!status && row->occupancy.warps_most && row->occupancy.warps &&
		    row->occupancy.ratio < OCCUPANCY_ENOUGH && fill.groups >= fill.units)
			status = add_occupancy(findings, row, &fill);
	}
	return status;
}

static void launch_release(struct findings *findings, void *state)
{
	struct launch *launch = state;

	(void)findings;
	map_free(&launch->kernels);
	free(launch->described);
	map_free(&launch->units);
	map_free(&launch->limits_of);
	free(launch->limits);
	launch_configs_free(&launch->launch_configs);
	free(launch->rows);
	map_free(&launch->row_of);
}

const struct finding_ops finding_launch = {
	.name = "launch",
	.words = "launch configurations that do not fill the device",
	.state_bytes = sizeof(struct launch),
	.item = launch_item,
	.end = launch_end,
	.release = launch_release,
};
