/* SPDX-License-Identifier: MIT */
#include "analysis/findings/launch/launch_row.h"

#include <errno.h>

#include "analysis/findings/launch/cpu_groups.h"
#include "util/text.h"
#include "util/units.h"

/* With more of a multiprocessor's warps in flight than this, the time that memory
 * takes is hidden in most kernels, and more bring little (V. Volkov, "Better
 * performance at lower occupancy", 2010). */
#define OCCUPANCY_ENOUGH 0.5

/* Of the device, that kernels which run at the same time have. */
#define NEARLY_ALL 0.75

/* A launch of fewer groups than this does not need a good size of them. */
#define MANY_GROUPS 16u

/* A warp's next instruction that needs the one before it issues so many cycles later (Z. Jia et
 * al., "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", 2018): so many warps
 * keep a scheduler busy. */
#define ISSUE_CYCLES 4u

/* So many warps of each scheduler hide what memory takes in most kernels, where each group has but
 * one. */
#define THIN_ENOUGH 4u

/* Of an item: a kernel that works on several results at a time has more. */
#define FEW_REGISTERS 32u

struct fill { /* how a launch fills the device */
	uint64_t group_items, groups;
	uint64_t units;	     /* as launch_row_report() has it */
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
 * the launch's, of a CPU those of its first dimension; 0: not known. */
static uint64_t largest_group(const struct launch_row *row)
{
	uint64_t items = 1, all = 1, first = 1;

	if (row->shape.local_dimensions || row->described || !row->most_items || !row->preferred)
		return 0;
	for (unsigned i = 0; i < row->shape.dimensions; i++) {
		if (!row->shape.global[i])
			return 0;
		items *= largest_divisor(row->shape.global[i], row->most_items / items);
		all *= row->shape.global[i];
		first = i ? first : items;
	}
	if (all < MANY_GROUPS * row->preferred)
		return 0;
	return row->is_cpu ? first : items;
}

static struct fill fill_of(const struct launch_row *row, uint64_t units)
{
	struct fill fill = {.group_items = 1, .groups = 1, .lanes = 1, .whole = 1};

	for (unsigned i = 0; i < row->shape.dimensions; i++) {
		uint64_t local = i < row->shape.local_dimensions ? row->shape.local[i] : 1;

		fill.group_items *= local;
		fill.groups *= local ? (row->shape.global[i] + local - 1) / local : 0;
	}
	fill.units = units;
	if (row->shape.local_dimensions && row->preferred)
		fill.lanes = part(fill.group_items, row->preferred);
	/* What the runtime makes of a launch without a local size is not known, but that a unit
	 * works on so many items at a time. */
	if (!row->shape.local_dimensions && row->preferred)
		fill.groups = (fill.groups + row->preferred - 1) / row->preferred;
	if ((row->shape.local_dimensions || row->preferred) && fill.units && fill.groups)
		fill.whole = part((uint64_t)((double)fill.groups * row->at_once), fill.units);
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

/* What it costs that only such a part of the units works, where no other kernel has the rest. */
static uint64_t units_cost(const struct launch_row *row, double filled)
{
	uint64_t alone_ns = row->ns > row->beside_ns ? row->ns - row->beside_ns : 0;

	return (uint64_t)((double)alone_ns / row->at_once * (1 - filled));
}

/* What it costs that only such a part of the device works. */
static uint64_t cost_of(const struct launch_row *row, double filled)
{
	return (uint64_t)((double)row->ns / row->at_once * (1 - filled));
}

/* Adds a finding, or the cost to what was found of another shape of the kernel. Returns 1 with a new
 * one in `finding`, 0 or -ENOMEM. */
static int add_row(struct findings *findings, struct map *said, const struct launch_row *row,
		   const struct fill *fill, const char *cause, uint64_t cost_ns,
		   struct finding **finding)
{
	uint64_t key = ((uint64_t)(uintptr_t)row->name * UINT64_C(0x9E3779B97F4A7C15) ^
			(uint64_t)(uintptr_t)cause) +
		       row->device;
	uint64_t known = map_get(said, key);
	struct finding *fresh;

	if (known != MAP_NONE) {
		findings->items[known].count += row->count;
		findings->items[known].cost_ns += cost_ns;
		return 0;
	}
	if (map_set(said, key, findings->count))
		return -ENOMEM;
	fresh = findings_add(findings, "launch", cause);
	if (!fresh)
		return -ENOMEM;
	fresh->count = row->count;
	fresh->cost_ns = cost_ns;
	fresh->object = row->name;
	finding_device(findings, fresh, row->device);
	fresh->confidence = CONFIDENCE_LOW;
	fresh->why = findings_text(
		findings,
		"estimated occupancy %.0f %% from the launch configuration alone: lanes "
		"%.0f %%, compute units %.0f %%",
		100 * fill->lanes * fill->whole, 100 * fill->lanes, 100 * fill->whole);
	finding_place(findings, fresh, row->stream);
	finding_time(findings, fresh, row->begin_ns, row->end_ns);
	*finding = fresh;
	return 1;
}

static const char group_size[] = "group-size", few_groups[] = "few-groups",
		  occupancy[] = "occupancy";

/* What remains of a kernel's time in groups of a good size. */
static double lanes_left(const struct launch_row *row, const struct fill *fill,
			 uint64_t group_items)
{
	double items = (double)row->count, units = (double)fill->groups;

	if (!row->is_cpu)
		return fill->lanes;
	for (unsigned i = 0; i < row->shape.dimensions; i++)
		items *= (double)row->shape.global[i];
	if (fill->units && units > (double)fill->units)
		units = (double)fill->units;
	return cpu_groups_left(&(struct cpu_groups){
		.items = group_items,
		.wished = row->wished,
		.body = row->body,
		.item_ns = items > 0 ? (double)row->ns * units / items : 0,
		.units = units,
	});
}

/* By what is known of the kernel. */
static const char *cpu_evidence(struct findings *findings, const struct launch_row *row,
				double left)
{
	static const char *const bodies[] = {
		[TANDEM_KERNEL_BODY_unknown] =
			"whether it has a loop is taken from what an item takes",
		[TANDEM_KERNEL_BODY_plain] = "its source has no loop",
		[TANDEM_KERNEL_BODY_loops] = "its source has a loop or the like",
		[TANDEM_KERNEL_BODY_barriers] = "its items wait for each other",
	};
	const char *body = row->body < sizeof(bodies) / sizeof(*bodies) ? bodies[row->body] : "";

	return findings_text(
		findings,
		"estimated by such groups of other kernels on this kind of device, %.0f %% "
		"of the kernel's time; %s",
		100 * (1 - left), body);
}

static int add_lanes(struct findings *findings, struct map *said, const struct launch_row *row,
		     const struct fill *fill)
{
	const struct tandem_domain_row *domain = findings_domain(findings, row->device);
	double left = lanes_left(row, fill, fill->group_items);
	struct finding *finding;
	int status = add_row(findings, said, row, fill, group_size, cost_of(row, left), &finding);

	if (status <= 0)
		return status;
	if (row->is_cpu)
		finding->why = cpu_evidence(findings, row, left);
	finding->what = findings_text(
		findings,
		"kernel %s (%s): the %s size of %llu %s%s is not a multiple of the SIMD width "
		"%llu; %s",
		finding->object, shape_text(findings, row, domain), domain->group,
		(unsigned long long)fill->group_items, domain->item,
		fill->group_items == 1 ? "" : "s", (unsigned long long)row->preferred,
		row->is_cpu ? "items run one by one, and each group has its start" : "lanes idle");
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
static int add_indivisible(struct findings *findings, struct map *said,
			   const struct launch_row *row, uint64_t group_items, uint64_t units)
{
	const struct tandem_domain_row *domain = findings_domain(findings, row->device);
	struct fill fill = {.lanes = part(group_items, row->preferred),
			    .whole = 1,
			    .groups = units ? units : 1,
			    .units = units};
	struct finding *finding;
	int status = add_row(findings, said, row, &fill, group_size,
			     cost_of(row, lanes_left(row, &fill, group_items)), &finding);

	if (status <= 0)
		return status;
	finding->what = findings_text(
		findings,
		"kernel %s (%s %ss) leaves the %s size to the runtime, and its size has no "
		"divisor: equal %ss hold %llu %s%s at most%s, and the device works on %llu at a time",
		finding->object, shape_text(findings, row, domain), domain->item, domain->group,
		domain->group, (unsigned long long)group_items, domain->item,
		group_items == 1 ? "" : "s",
		row->is_cpu && row->shape.dimensions > 1 ? " in the first dimension" : "",
		(unsigned long long)row->preferred);
	finding->why = "from the shape alone; a runtime that makes unequal ones does better";
	if (row->is_cpu)
		finding->why = findings_text(
			findings, "%s; a runtime that makes unequal ones does better",
			cpu_evidence(findings, row, lanes_left(row, &fill, group_items)));
	finding->suggestion = findings_text(
		findings,
		"round the global size up to a multiple of %llu, and let the kernel return at "
		"once for the %ss beyond the end",
		(unsigned long long)row->preferred, domain->item);
	return 0;
}

static int add_units(struct findings *findings, struct map *said, const struct launch_row *row,
		     const struct fill *fill)
{
	const struct tandem_domain_row *domain = findings_domain(findings, row->device);
	struct finding *finding;
	int status = add_row(findings, said, row, fill, few_groups, units_cost(row, fill->whole),
			     &finding);
	const char *by_groups = row->shape.local_dimensions ? domain->group : "";

	if (status <= 0)
		return status;
	if (row->shape.local_dimensions)
		finding->what = findings_text(
			findings,
			"kernel %s (%s) has %llu %s%s for the device's %llu %ss: the others are "
			"idle",
			finding->object, shape_text(findings, row, domain),
			(unsigned long long)fill->groups, domain->group,
			fill->groups == 1 ? "" : "s", (unsigned long long)fill->units,
			domain->multiprocessor);
	else
		finding->what = findings_text(
			findings,
			"kernel %s (%s %ss) is too small for the device's %llu %ss, which work on "
			"%llu %ss each at a time",
			finding->object, shape_text(findings, row, domain), domain->item,
			(unsigned long long)fill->units, domain->multiprocessor,
			(unsigned long long)row->preferred, domain->item);
	finding->suggestion = findings_text(
		findings,
		"%s%s%sgive a launch more work; several small kernels can also run at the same time "
		"on several %ss",
		*by_groups ? "make smaller " : "", by_groups, *by_groups ? "s, or " : "",
		domain->queue);
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

/* Groups of one warp that have much shared memory each, or of items that have few registers: no
 * kernel that is tuned to have much in a multiprocessor is made so. More warps would share the memory,
 * and without registers no item has more than one result on its way. */
static bool has_thin_groups(const struct launch_row *row)
{
	return row->occupancy.limiter == OCCUPANCY_SHARED && row->preferred &&
	       (row->use.items <= row->preferred ||
		(row->use.registers && row->use.registers <= FEW_REGISTERS)) &&
	       row->occupancy.warps < THIN_ENOUGH * row->schedulers;
}

static bool is_by_design(const struct launch_row *row)
{
	return row->occupancy.limiter == OCCUPANCY_REGISTERS ||
	       (row->occupancy.limiter == OCCUPANCY_SHARED && !has_thin_groups(row));
}

static uint64_t occupancy_cost(const struct launch_row *row)
{
	if (row->occupancy.warps < row->schedulers)
		return cost_of(row,
			       (double)row->occupancy.warps / (row->schedulers * ISSUE_CYCLES));
	if (has_thin_groups(row))
		return cost_of(row, (double)row->occupancy.warps /
					    (double)(THIN_ENOUGH * row->schedulers));
	return is_by_design(row) ? 0 : cost_of(row, row->occupancy.ratio / OCCUPANCY_ENOUGH);
}

static int add_occupancy(struct findings *findings, struct map *said, const struct launch_row *row,
			 const struct fill *fill)
{
	const struct tandem_domain_row *domain = findings_domain(findings, row->device);
	const struct occupancy *occupied = &row->occupancy;
	struct finding *finding;
	int status = add_row(findings, said, row, fill, occupancy, occupancy_cost(row), &finding);

	if (status <= 0)
		return status;
	finding->what =
		findings_text(findings,
			      "kernel %s (%s) keeps at most %u of %u warps on a %s, limited by %s: "
			      "too few warps to hide memory latency",
			      finding->object, shape_text(findings, row, domain), occupied->warps,
			      occupied->warps_most, domain->multiprocessor,
			      occupancy_limiter_name(occupied->limiter));
	finding->why = findings_text(findings,
				     "occupancy %.0f %%, exact by the limits of the device: %u "
				     "registers a %s, %u bytes of shared memory a %s; "
				     "that it costs time is assumed",
				     100 * occupied->ratio, row->use.registers, domain->item,
				     row->use.shared_bytes, domain->group);
	finding->suggestion = limiter_advice(findings, occupied->limiter, domain);
	/* What a kernel uses is its design, as of those of libraries that are tuned to have much
	 * in registers: fewer warps are no loss by themselves. How it is launched is the
	 * program's. */
	if (occupied->warps < row->schedulers) {
		finding->confidence = CONFIDENCE_MEDIUM;
		finding->why = findings_text(
			findings,
			"a %s has %u warp schedulers, of which %u get no warp, and each takes about "
			"four to be busy; %u registers a %s, %u bytes of shared memory a %s",
			domain->multiprocessor, row->schedulers, row->schedulers - occupied->warps,
			row->use.registers, domain->item, row->use.shared_bytes, domain->group);
	} else if (is_by_design(row)) {
		finding->why = findings_text(
			findings, "%s where the kernel waits for memory, and many are made so",
			finding->why);
	}
	return 0;
}

uint64_t launch_row_groups(const struct launch_row *row)
{
	return fill_of(row, 0).groups;
}

/* Those that run at the same time, on average, fill the device together nearly. */
static bool leaves_units(const struct launch_row *row, const struct fill *fill)
{
	double units = (double)fill->units * (row->at_once > 1 ? NEARLY_ALL : 1);

	return (double)fill->groups * row->at_once < units;
}

int launch_row_report(const struct launch_row *row, struct findings *findings, uint64_t units,
		      struct map *said)
{
	struct fill fill = fill_of(row, units);
	uint64_t group_items = largest_group(row);
	int status = 0;

	if (group_items && 2 * group_items <= row->preferred)
		status = add_indivisible(findings, said, row, group_items, units);
	if (!status && fill.lanes < 1)
		status = add_lanes(findings, said, row, &fill);
	if (!status && leaves_units(row, &fill) && fill.whole < 1)
		status = add_units(findings, said, row, &fill);
	if (!status && row->occupancy.warps_most && row->occupancy.warps &&
	    row->occupancy.ratio < OCCUPANCY_ENOUGH && fill.groups >= fill.units)
		status = add_occupancy(findings, said, row, &fill);
	return status;
}
