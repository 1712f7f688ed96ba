/* SPDX-License-Identifier: MIT */
/* The same program built again: the same source, options and device. */
#include <errno.h>
#include <stdlib.h>

#include "analysis/findings/builds/builds.h"
#include "util/keyed_row.h"
#include "util/units.h"

/* What was linked of what nobody has seen may be anything. */
static bool is_repeated(const struct build_row *row)
{
	return row->count > 1 && row->source.hash;
}

struct build_sum { /* of programs that were built again: of a process, and from source or not */
	struct build_row row;
	uint64_t programs;
	const struct tandem_event *link; /* that built some of them otherwise; NULL: none */
};

static const char *describe(struct findings *findings, const struct build_sum *sum,
			    const char *options)
{
	const struct build_row *row = &sum->row;
	char count[UNITS_BYTES], bytes[UNITS_BYTES];
	uint64_t programs = sum->programs;
	const char *by =
		row->api ? findings_text(findings, " (%s%s%s)", row->api->name,
					 sum->link ? ", " : "", sum->link ? sum->link->name : "")
			 : "";

	units_count(count, row->count);
	if (programs > 1)
		return findings_text(findings,
				     "%llu programs, always the same, were built %s times in all%s",
				     (unsigned long long)programs, count, by);
	return findings_text(findings, "the same program (source of %s%s%s) was built %s times%s",
			     units_bytes(bytes, (double)row->source.bytes),
			     *options ? ", options " : "", options, count, by);
}

static int add_row(struct findings *findings, const struct build_state *builds,
		   const struct build_sum *sum)
{
	const struct build_row *row = &sum->row;
	uint64_t programs = sum->programs;
	const char *options = intern_text(&builds->texts, row->options);
	struct finding *finding = findings_add(findings, "builds", "repeated");
	const char *binary = trace_session_domain(findings->session, row->domain)->program_binary;

	if (!finding)
		return -ENOMEM;
	finding->count = row->count;
	finding->cost_ns = row->total_ns - row->first_ns;
	if (!row->source.from_binary)
		finding->removes = GRAPH_BUILD_AGAIN;
	finding->object = programs > 1 ? "" : options;
	finding->what = describe(findings, sum, options);
	finding->confidence = CONFIDENCE_HIGH;
	finding->why = "the sources are identical";
	finding->suggestion = findings_text(findings,
					    "build %s once and keep the program, or keep its "
					    "binary%s%s%s for the next run",
					    programs > 1 ? "each" : "it", *binary ? " (" : "",
					    binary, *binary ? ")" : "");
	if (row->device != TRACE_NONE)
		finding->device =
			findings_text(findings, "%s",
				      event_iterator_device_name(findings->iterator, row->device));
	finding_place(findings, finding, row->stream);
	finding_time(findings, finding, row->begin_ns, row->end_ns);
	return 0;
}

int builds_add_repeated(struct findings *findings, const struct build_state *builds)
{
	struct build_sum *sums = NULL, *sum;
	size_t count = 0, capacity = 0;
	struct map sum_of = {0};
	int status = 0;

	for (size_t i = 0; !status && i < builds->count; i++) {
		const struct build_row *row = &builds->rows[i];
		const struct build_sum fresh = {.row = *row};
		uint64_t key = (uint64_t)row->process << 32 | (uint32_t)row->domain << 8 |
			       row->source.from_binary;

		if (!is_repeated(row))
			continue;
		sum = keyed_row(&sum_of, key, &sums, &capacity, &count, &fresh, sizeof(fresh));
		status = sum ? 0 : -ENOMEM;
		if (!sum || !sum->programs++)
			continue;
		if (row->step != sum->row.step && row->api)
			sum->link = row->api;
		sum->row.count += row->count;
		sum->row.total_ns += row->total_ns;
		sum->row.first_ns += row->first_ns;
	}
	for (size_t i = 0; !status && i < count; i++)
		status = add_row(findings, builds, &sums[i]);
	map_free(&sum_of);
	free(sums);
	return status;
}
