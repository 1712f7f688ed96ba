/* SPDX-License-Identifier: MIT */
#include "analysis/findings/launch/short.h"

#include <errno.h>
#include <string.h>

#include "util/units.h"

/* So many launches, that take no longer in the mean where the device is the CPU. */
#define SHORT_COUNT 1000u
#define SHORT_NS 25000u

/* Of what such a kernel takes, to start it on a core and to gather what its threads did: 6 of 18 us
 * with PoCL's threads, 5 of 9.5 with Intel's driver, 2 of 7 for larger ones (two cores of an EPYC). */
#define START_PART 3u

/* Less of the run is not worth a word. */
#define LEAST_PART 50u

static uint64_t item_count(const struct launch_row *row)
{
	uint64_t items = 1;

	for (unsigned i = 0; i < row->shape.dimensions; i++)
		items *= row->shape.global[i];
	return items;
}

/* Gaps between them are said with what they cost. */
static bool is_said(const struct findings *findings, uint64_t pid)
{
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];

		if (finding->pid == pid && !strcmp(finding->name, "idle-device") &&
		    !strcmp(finding->cause, "launch") &&
		    finding->cost_ns * LEAST_PART >= findings->duration_ns)
			return true;
	}
	return false;
}

void launch_short_symptom(struct findings *findings, const char *kernel, uint64_t pid)
{
	for (size_t i = 0; i < findings->count; i++) {
		struct finding *finding = &findings->items[i];

		if (finding->pid == pid && !strcmp(finding->name, "launch") &&
		    !strcmp(finding->cause, "few-groups") && !strcmp(finding->object, kernel))
			finding->symptom_of = "idle-device: launch";
	}
}

static bool is_short(const struct launch_row *row)
{
	uint64_t most_ns = row->is_cpu ? SHORT_NS : SHORT_OWN_NS;

	return !row->described && row->shape.dimensions && item_count(row) <= SHORT_ITEMS &&
	       row->ns <= row->count * most_ns;
}

static bool is_same(const struct launch_row *one, const struct launch_row *other)
{
	return one->device == other->device && one->stream == other->stream &&
	       !strcmp(one->name, other->name);
}

struct short_sum { /* of the short shapes of a kernel */
	uint64_t count, ns, items;
	uint64_t gaps_ns; /* before them */
};

/* What goes if they are few: on a device of its own, with most of what passes before each. */
static uint64_t saved_ns(const struct short_sum *sum, bool is_cpu)
{
	uint64_t ns = sum->ns + sum->gaps_ns;

	return is_cpu ? sum->ns / START_PART : ns - ns / SHORT_OWN_AT_ONCE;
}

/* False: there are others before it. */
static bool sum_up(const struct launch_row *rows, size_t count, size_t at, struct short_sum *sum)
{
	for (size_t i = 0; i < count; i++) {
		if (!is_short(&rows[i]) || !is_same(&rows[i], &rows[at]))
			continue;
		if (i < at)
			return false;
		sum->count += rows[i].count;
		sum->ns += rows[i].ns;
		sum->gaps_ns += rows[i].gaps_ns;
		sum->items += rows[i].count * item_count(&rows[i]);
	}
	return sum->count >= SHORT_COUNT;
}

int launch_short_report(const struct launch_row *rows, size_t row_count, size_t at,
			struct findings *findings)
{
	const struct launch_row *row = &rows[at];
	uint64_t pid = findings_pid(findings, row->stream), cost_ns;
	char count[UNITS_BYTES], items[UNITS_BYTES], each[UNITS_BYTES];
	struct short_sum sum = {0};
	struct finding *finding;

	if (!is_short(row) || is_said(findings, pid) || !sum_up(rows, row_count, at, &sum))
		return 0;
	cost_ns = saved_ns(&sum, row->is_cpu);
	if (cost_ns * LEAST_PART < findings->duration_ns)
		return 0;
	finding = findings_add(findings, "idle-device", "launch");
	if (!finding)
		return -ENOMEM;
	finding->count = sum.count;
	finding->cost_ns = cost_ns;
	finding->object = row->name;
	finding_device(findings, finding, row->device);
	finding->what = findings_text(
		findings,
		"kernel %s was launched %s times for %s work-items each, which took %s: %s",
		row->name, units_count(count, sum.count), units_count(items, sum.items / sum.count),
		units_ns(each, (double)sum.ns / (double)sum.count),
		row->is_cpu ? "to start it on the CPU's cores is a good part of that"
			    : "the device has lanes for several times as many");
	finding->confidence = CONFIDENCE_LOW;
	finding->why =
		row->is_cpu ? "a third of such a kernel's time, as measured with two drivers; the "
			      "host's part of each launch comes on top"
			    : "as if the device took eight times as many items in the same time";
	finding->suggestion = "give each launch more work: one kernel over all of these items";
	finding_place(findings, finding, row->stream);
	finding_time(findings, finding, row->begin_ns, row->end_ns);
	if (!row->is_cpu)
		launch_short_symptom(findings, row->name, pid);
	return 0;
}
