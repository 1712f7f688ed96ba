/* SPDX-License-Identifier: MIT */
#include "analysis/findings/launch/counted_series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/findings/launch/short.h"
#include "util/keyed_row.h"
#include "util/units.h"

/* Fewer say nothing. */
#define LAUNCHES 16u

/* What a launch takes on cores that share it, to wake them and to gather what they did: 5.7 to 6.7 us with
 * PoCL's threads and Intel's driver (launches of 13 and 24 us, next to one of all their items); of short
 * ones two thirds. */
#define START_NS 6000u

/* Of the time that the launches take, what is worth it. */
#define SAVED_PART 8u

struct counted_row { /* a kernel on a device */
	const char *name;
	uint32_t device, stream;
	uint64_t series; /* the current one, and what is known of it */
	uint64_t count, ns, items;
	int64_t start_ns, end_ns;
	/* Of those before that had several launches. */
	uint64_t all_series, all_count, all_ns, all_items, all_span_ns;
	int64_t longest_ns, begin_ns, until_ns;
};

/* The series that is under way is over. */
static void row_close(struct counted_row *row)
{
	int64_t span_ns = row->end_ns - row->start_ns;

	if (row->count > 1 && span_ns > 0) {
		row->all_series++;
		row->all_count += row->count;
		row->all_ns += row->ns;
		row->all_items += row->items;
		row->all_span_ns += (uint64_t)span_ns;
		if (span_ns > row->longest_ns) {
			row->longest_ns = span_ns;
			row->begin_ns = row->start_ns;
			row->until_ns = row->end_ns;
		}
	}
	row->series = row->count = row->ns = row->items = 0;
}

int counted_series_add(struct counted_series *rows, uint64_t series,
		       const struct operation *operation)
{
	struct counted_row fresh = {.name = operation->name,
				    .device = operation->device,
				    .stream = operation->stream},
			   *row;
	uint64_t key = (uint64_t)(uintptr_t)operation->name, items = 1;

	key = (key ^ operation->device) * UINT64_C(0x9E3779B97F4A7C15);
	row = keyed_row(&rows->row_of, key, &rows->rows, &rows->capacity, &rows->count, &fresh,
			sizeof(fresh));
	if (!row)
		return -ENOMEM;
	if (row->series != series) {
		row_close(row);
		row->series = series;
		row->start_ns = operation->times.start_ns;
	}
	for (unsigned i = 0; i < operation->size.dimensions; i++)
		items *= operation->size.global[i];
	row->items += items;
	row->count++;
	row->ns += (uint64_t)(operation->times.end_ns - operation->times.start_ns);
	row->end_ns = operation->times.end_ns;
	return 0;
}

/* What the kernels would take, each series as one. */
static uint64_t as_one_ns(const struct counted_row *row, bool is_cpu, uint64_t units)
{
	uint64_t ns = row->all_ns, further = row->all_count - row->all_series, start_ns;

	if (!is_cpu)
		return row->all_items <= row->all_count * SHORT_ITEMS &&
				       ns <= row->all_count * SHORT_OWN_NS
			       ? ns / SHORT_OWN_AT_ONCE
			       : ns;
	if (units < 2)
		return ns;
	start_ns = 2 * ns / row->all_count / 3;
	return ns - further * (start_ns < START_NS ? start_ns : START_NS);
}

/* Its gaps may be said already; NULL: they are not. */
static struct finding *find_said(const struct findings *findings, const struct counted_row *row)
{
	uint64_t pid = findings_pid(findings, row->stream);

	for (size_t i = 0; i < findings->count; i++) {
		struct finding *finding = &findings->items[i];

		if (finding->pid == pid && !strcmp(finding->name, "idle-device") &&
		    !strcmp(finding->cause, "launch"))
			return finding;
	}
	return NULL;
}

static int add(struct findings *findings, const struct counted_row *row, uint64_t cost_ns)
{
	struct finding *said = find_said(findings, row), *finding = said;
	char launches[UNITS_BYTES], series[UNITS_BYTES], each[UNITS_BYTES], span[UNITS_BYTES];

	if (said && (said->cost_ns >= cost_ns || strcmp(said->object, row->name) != 0))
		return 0;
	if (!said)
		finding = findings_add(findings, "idle-device", "launch");
	if (!finding)
		return -ENOMEM;
	finding->count = row->all_count;
	finding->cost_ns = cost_ns;
	finding->object = row->name;
	finding_device(findings, finding, row->device);
	finding->what = findings_text(
		findings,
		"kernel %s was launched %s times in %s series, in which only one number of its "
		"arguments goes up: each series took %s, with %s for its kernels, and could be one "
		"launch",
		row->name, units_count(launches, row->all_count),
		units_count(series, row->all_series),
		units_ns(span, (double)row->all_span_ns / (double)row->all_series),
		units_ns(each, (double)row->all_ns / (double)row->all_series));
	finding->confidence = CONFIDENCE_MEDIUM;
	finding->why =
		"by the kernel's source no launch reads what another one wrote; what one of all "
		"items would take is estimated";
	finding->suggestion =
		"launch it once over the items of the whole series, and take that number "
		"from the work-item's place";
	finding_place(findings, finding, row->stream);
	finding_time(findings, finding, row->begin_ns, row->until_ns);
	launch_short_symptom(findings, row->name, finding->pid);
	return 0;
}

int counted_series_report(struct counted_series *rows, struct findings *findings,
			  const struct map *units)
{
	int status = 0;

	for (size_t i = 0; !status && i < rows->count; i++) {
		struct counted_row *row = &rows->rows[i];
		const struct device_row *device;
		uint64_t known, one_ns;

		row_close(row);
		if (row->all_count < LAUNCHES)
			continue;
		device = &findings->iterator->devices.rows[row->device];
		known = map_get(units, row->device);
		one_ns = as_one_ns(row, devices_taken_part(device) > 0,
				   known == MAP_NONE ? 0 : known);
		if (one_ns < row->all_span_ns &&
		    SAVED_PART * (row->all_span_ns - one_ns) >= row->all_span_ns)
			status = add(findings, row, row->all_span_ns - one_ns);
	}
	return status;
}

void counted_series_free(struct counted_series *rows)
{
	map_free(&rows->row_of);
	free(rows->rows);
}
