/* SPDX-License-Identifier: MIT */
#include "analysis/report/host/samples_report.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/report/table.h"
#include "util/order/compare.h"

struct count {
	uint64_t self, total;
	uint32_t latest; /* node + 1 that was counted in `total` */
};

/* A function that calls itself counts once for each stack. */
static void count_nodes(const struct samples *samples, struct count *counts)
{
	for (uint32_t i = 1; i < samples->node_count; i++) {
		const struct samples_node *node = &samples->nodes[i];

		if (!node->self)
			continue;
		counts[node->frame].self += node->self;
		for (uint32_t at = i; at; at = samples->nodes[at].parent) {
			struct count *count = &counts[samples->nodes[at].frame];

			if (count->latest == i + 1)
				continue;
			count->latest = i + 1;
			count->total += node->self;
		}
	}
}

static int function_compare(const void *a, const void *b)
{
	const struct report_function *left = a, *right = b;

	return COMPARE(right->self_samples, left->self_samples)
	       ?: COMPARE(right->total_samples, left->total_samples)
	       ?: strcmp(left->name, right->name);
}

int samples_report_finish(const struct samples *samples, struct report *report)
{
	struct count *counts = calloc(samples->frame_count + 1, sizeof(*counts));

	report->functions = arena_alloc(&report->arena,
					(samples->frame_count + 1) * sizeof(*report->functions));
	if (!counts || !report->functions) {
		free(counts);
		return -ENOMEM;
	}
	count_nodes(samples, counts);
	report->samples = samples->count;
	report->samples_in_kernel = samples->in_kernel;
	report->sample_period_ns = samples->period_ns;
	for (size_t i = 0; i < samples->frame_count; i++) {
		const struct count *count = &counts[i];

		if (!count->total)
			continue;
		report->functions[report->function_count++] = (struct report_function){
			.name = table_string(report, samples_name(samples, (uint32_t)i)),
			.file = table_string(report, samples_file(samples, (uint32_t)i)),
			.self_samples = count->self,
			.self_ns = count->self * samples->period_ns,
			.self_percent = table_percent(count->self, samples->count),
			.total_samples = count->total,
			.total_ns = count->total * samples->period_ns,
			.total_percent = table_percent(count->total, samples->count),
		};
	}
	free(counts);
	table_sort(report->functions, report->function_count, sizeof(*report->functions),
		   function_compare);
	return 0;
}
