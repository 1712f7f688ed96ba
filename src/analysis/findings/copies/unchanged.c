/* SPDX-License-Identifier: MIT */
#include "analysis/findings/copies/unchanged.h"

#include <errno.h>

#include "util/units.h"

int unchanged_remove(struct unchanged *unchanged, struct graph *graph,
		     const struct event_item *item)
{
	unchanged->removed++;
	return graph_remove(graph, item->call, GRAPH_UNCHANGED);
}

void unchanged_begin(struct unchanged *unchanged, const struct event_item *item, bool sampled)
{
	unchanged->sampled |= sampled;
	if (unchanged->ns)
		return;
	unchanged->stream = item->event->stream->index;
	unchanged->ns = item->event->ns;
}

void unchanged_read_count(struct unchanged *unchanged, struct read_content *read, uint16_t api,
			  uint64_t bytes, uint64_t ns)
{
	copy_time_add(&unchanged->time, api, bytes, ns);
	if (!read)
		return;
	read->unchanged = true;
	read->ns = ns;
}

void unchanged_read_take_back(struct unchanged *unchanged, struct read_content *read)
{
	struct copy_time *time = &unchanged->time;

	if (!read->unchanged)
		return;
	read->unchanged = false;
	time->count--;
	time->bytes -= read->bytes;
	time->ns -= read->ns;
}

static int unchanged_add(const struct unchanged *unchanged, struct findings *findings,
			 const char *end, const char *suggestion)
{
	const struct copy_time *time = &unchanged->time;
	char count[UNITS_BYTES], bytes[UNITS_BYTES];
	struct finding *finding;

	if (time->count < COPY_HABIT_COUNT)
		return 0;
	finding = findings_add(findings, "copies", "unchanged");
	if (!finding)
		return -ENOMEM;
	finding->count = time->count;
	finding->object = copy_time_api(time, findings);
	finding->cost_ns = time->ns;
	if (2 * unchanged->removed > time->count) {
		finding->removes = GRAPH_UNCHANGED;
		finding->at_least = true;
	}
	finding->what =
		findings_text(findings,
			      "%s transfers%s brought the %s data that it had been given "
			      "before, unchanged: %s in all",
			      units_count(count, time->count), copy_time_words(time, findings), end,
			      units_bytes(bytes, (double)time->bytes));
	finding->confidence = unchanged->sampled ? CONFIDENCE_MEDIUM : CONFIDENCE_HIGH;
	finding->why = unchanged->sampled
			       ? "by a hash of samples, 64 KiB of each transfer, at the same "
				 "places each time"
			       : "by a hash of all bytes";
	finding->suggestion = suggestion;
	finding_place(findings, finding, unchanged->stream);
	finding_time(findings, finding, unchanged->ns, unchanged->ns);
	return 0;
}

int unchanged_writes_add(const struct unchanged *unchanged, struct findings *findings)
{
	return unchanged_add(
		unchanged, findings, "device",
		"transfer it once, to memory that stays; where a kernel changes it, keep an "
		"unchanged copy on the device and copy from that, or fill it there");
}

int unchanged_reads_add(const struct unchanged *unchanged, struct findings *findings)
{
	return unchanged_add(unchanged, findings, "host",
			     "read it once, or only the part that a kernel changed; a flag that a "
			     "kernel sets shows whether there is something to read");
}
