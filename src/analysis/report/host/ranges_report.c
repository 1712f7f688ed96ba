/* SPDX-License-Identifier: MIT */
#include "analysis/report/host/ranges_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/table.h"
#include "util/keyed_row.h"
#include "util/order/compare.h"

struct ranges_row {
	uint32_t name, scope; /* in `names` */
	enum tandem_annotation_kind kind;
	uint64_t open;
	struct histogram times;
	uint64_t count, projected_ns, executing_ns, operations, kernels;
};

static int row_find(struct ranges_report *report, const struct range_instance *range,
		    struct ranges_row **row)
{
	struct ranges_row made = {.kind = range->kind};
	uint64_t key;

	if (intern_add(&report->names, range->name, range->name_length, &made.name) ||
	    intern_add(&report->names, range->scope_name, strlen(range->scope_name), &made.scope))
		return -ENOMEM;
	key = (uint64_t)made.name << 32 ^ (uint64_t)made.scope << 2 ^ made.kind;
	*row = keyed_row(&report->row_of, key, &report->rows, &report->row_capacity,
			 &report->row_count, &made, sizeof(made));
	return *row ? 0 : -ENOMEM;
}

static int take_range(void *user, const struct range_instance *range)
{
	struct ranges_report *report = user;
	struct ranges_row *row;

	if (!range_holds(&report->counted, range->begin_ns))
		return 0;
	if (row_find(report, range, &row))
		return -ENOMEM;
	row->count++;
	row->operations += range->operations;
	row->kernels += range->kernels;
	for (size_t i = 0; i < range->projection_count; i++) {
		const struct range_projection *projection = &range->projections[i];

		row->executing_ns += projection->executing_ns;
		if (projection->end_ns > projection->begin_ns)
			row->projected_ns += (uint64_t)(projection->end_ns - projection->begin_ns);
	}
	if (range->kind == TANDEM_ANNOTATION_KIND_marker)
		return 0;
	if (range->end_ns == INT64_MIN) {
		row->open++;
		return 0;
	}
	return histogram_add(&row->times, (uint64_t)(range->end_ns - range->begin_ns));
}

int ranges_report_init(struct ranges_report *report, struct trace_session *session,
		       const struct range *counted)
{
	memset(report, 0, sizeof(*report));
	report->counted = *counted;
	return ranges_init(&report->ranges, session, take_range, report);
}

static int row_compare(const void *a, const void *b)
{
	const struct report_range *left = a, *right = b;

	return COMPARE(right->times.total_ns, left->times.total_ns)
	       ?: COMPARE(right->count, left->count)
	       ?: strcmp(left->name, right->name);
}

int ranges_report_finish(struct ranges_report *rows, struct report *report)
{
	int status = ranges_finish(&rows->ranges);

	if (status)
		return status;
	report->ranges = arena_alloc(&report->arena, rows->row_count * sizeof(*report->ranges));
	if (!report->ranges)
		return -ENOMEM;
	for (size_t i = 0; i < rows->row_count; i++) {
		const struct ranges_row *row = &rows->rows[i];

		report->ranges[report->range_count++] = (struct report_range){
			.name = table_string(report, intern_text(&rows->names, row->name)),
			.scope = table_string(report, intern_text(&rows->names, row->scope)),
			.kind = range_kind_name(row->kind),
			.count = row->count,
			.open = row->open,
			.times = table_times(&row->times),
			.projected_ns = row->projected_ns,
			.executing_ns = row->executing_ns,
			.operations = row->operations,
			.kernels = row->kernels,
		};
	}
	table_sort(report->ranges, report->range_count, sizeof(*report->ranges), row_compare);
	return 0;
}

void ranges_report_free(struct ranges_report *report)
{
	for (size_t i = 0; i < report->row_count; i++)
		histogram_free(&report->rows[i].times);
	free(report->rows);
	map_free(&report->row_of);
	intern_free(&report->names);
	ranges_free(&report->ranges);
	memset(report, 0, sizeof(*report));
}
