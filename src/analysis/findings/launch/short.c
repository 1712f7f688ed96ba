/* SPDX-License-Identifier: MIT */
#include "analysis/findings/launch/short.h"

#include <errno.h>
#include <string.h>

#include "util/units.h"

/* So many launches, of so few items, that take no longer in the mean. */
#define SHORT_COUNT 1000u
#define SHORT_ITEMS 1024u
#define SHORT_NS 25000u
#define SHORT_OWN_NS 50000u /* same, on a device of its own */

/* Of what such a kernel takes, to start it on a core and to gather what its threads did: 6 of 18 us
 * with PoCL's threads, 5 of 9.5 with Intel's driver, 2 of 7 for larger ones (two cores of an EPYC). */
#define START_PART 3u

/* A device of its own has lanes for several times as many items: half of the time, and more. */
#define OWN_PART 2u

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

static bool is_short(const struct launch_row *row, uint64_t units)
{
	uint64_t most_ns = row->is_cpu ? SHORT_NS : SHORT_OWN_NS;

	return !row->described && row->count >= SHORT_COUNT && row->shape.dimensions &&
	       item_count(row) <= SHORT_ITEMS && row->ns <= row->count * most_ns &&
	       (row->is_cpu || launch_row_groups(row) >= units);
}

int launch_short_report(const struct launch_row *row, struct findings *findings, uint64_t units)
{
	uint64_t pid = findings_pid(findings, row->stream);
	uint64_t cost_ns = row->ns / (row->is_cpu ? START_PART : OWN_PART);
	char count[UNITS_BYTES], items[UNITS_BYTES], each[UNITS_BYTES];
	struct finding *finding;

	if (!is_short(row, units) || cost_ns * LEAST_PART < findings->duration_ns ||
	    is_said(findings, pid))
		return 0;
	finding = findings_add(findings, "idle-device", "launch");
	if (!finding)
		return -ENOMEM;
	finding->count = row->count;
	finding->cost_ns = cost_ns;
	finding->object = row->name;
	finding_device(findings, finding, row->device);
	finding->what = findings_text(
		findings,
		"kernel %s was launched %s times for %s work-items each, which took %s: %s",
		row->name, units_count(count, row->count), units_count(items, item_count(row)),
		units_ns(each, (double)row->ns / (double)row->count),
		row->is_cpu ? "to start it on the CPU's cores is a good part of that"
			    : "the device has lanes for several times as many");
	finding->confidence = CONFIDENCE_LOW;
	finding->why =
		row->is_cpu ? "a third of such a kernel's time, as measured with two drivers; the "
			      "host's part of each launch comes on top"
			    : "half of such a kernel's time, as if the device took twice as many "
			      "items in the same time";
	finding->suggestion = "give each launch more work: one kernel over all of these items";
	finding_place(findings, finding, row->stream);
	finding_time(findings, finding, row->begin_ns, row->end_ns);
	return 0;
}
