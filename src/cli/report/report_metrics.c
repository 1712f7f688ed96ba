/* SPDX-License-Identifier: MIT */
#include "cli/report/report_metrics.h"

#include <unistd.h>

#include "cli/cli.h"
#include "cli/table.h"

struct row {
	const char *name, *unit, *words;
	double value;
};

static const struct table_column metric_columns[] = {
	{"name", "metric", TABLE_STRING, offsetof(struct row, name)},
	{"value", "value", TABLE_REAL, offsetof(struct row, value)},
	{"unit", NULL, TABLE_STRING, offsetof(struct row, unit)},
	{"words", "of", TABLE_STRING, offsetof(struct row, words)},
};

#define KERNEL(field) offsetof(struct metrics_kernel, field)

static const struct table_column kernel_columns[] = {
	{"count", "COUNT", TABLE_COUNT, KERNEL(count)},
	{"seconds", "sec", TABLE_REAL, KERNEL(seconds)},
	{"stmem_bytes", "STMEM", TABLE_REAL, KERNEL(static_bytes)},
	{"dymem_bytes", "DYMEM", TABLE_REAL, KERNEL(dynamic_bytes)},
	{"lmem_bytes", "LMEM", TABLE_REAL, KERNEL(private_bytes)},
	{"fgp_act", "FGP_ACT", TABLE_REAL, KERNEL(warps)},
	{"fgp_max", "FGP_MAX", TABLE_REAL, KERNEL(warps_most)},
	{"thr_reg", "THR_REG", TABLE_REAL, KERNEL(registers)},
	{"blk_thr", "BLK_THR", TABLE_REAL, KERNEL(group_items)},
	{"blk", "BLK", TABLE_REAL, KERNEL(groups)},
	{"blk_sm_bytes", "BLK_SM", TABLE_REAL, KERNEL(group_bytes)},
	{"occ_thr_percent", "OCC_THR", TABLE_PERCENT, KERNEL(occupancy_percent)},
	{"limiter", "limited by", TABLE_STRING, KERNEL(limiter)},
	{"name", "kernel", TABLE_STRING, KERNEL(name)},
	{"device", "device", TABLE_STRING, KERNEL(device)},
};

static const struct table metric_table = TABLE("metrics", metric_columns, struct row);
static const struct table kernel_table = TABLE("kernels", kernel_columns, struct metrics_kernel);

static const struct row descriptions[] = {
#define X(symbol, metric_name, metric_unit, metric_words) \
	{.name = metric_name, .unit = metric_unit, .words = metric_words},
	METRICS(X)
#undef X
};

/* All of them, or those that are not 0. Returns how many. */
static size_t rows_make(struct row rows[METRIC_COUNT], const struct metrics *metrics, bool all)
{
	size_t count = 0;

	for (int i = 0; i < METRIC_COUNT; i++) {
		if (!all && metrics->value[i] == 0)
			continue;
		rows[count] = descriptions[i];
		rows[count++].value = metrics->value[i];
	}
	return count;
}

void report_metrics_text(struct text *out, const struct metrics *metrics, size_t top, bool colour)
{
	struct table_style style = {.colour = colour,
				    .indent = "  ",
				    .most_width = 72,
				    .width = cli_width(STDOUT_FILENO)};
	struct row rows[METRIC_COUNT];
	size_t count = rows_make(rows, metrics, false);

	if (!count) {
		text_add_string(out, "No operations of a device, no waits, no device memory.\n");
		return;
	}
	text_add_string(out, "GPU metrics\n");
	table_text(out, &metric_table, rows, count, &style);
	if (!metrics->kernel_count)
		return;
	text_add_string(out, "\nKernels (GKER): means over their launches\n");
	style.most_rows = top;
	table_text(out, &kernel_table, metrics->kernels, metrics->kernel_count, &style);
}

void report_metrics_json(struct text *out, const struct metrics *metrics)
{
	struct row rows[METRIC_COUNT];
	struct json json;

	json_init(&json, out, true);
	json_begin_object(&json, NULL);
	table_json(&json, &metric_table, rows, rows_make(rows, metrics, true));
	table_json(&json, &kernel_table, metrics->kernels, metrics->kernel_count);
	json_end_object(&json);
	text_add_char(out, '\n');
}

void report_metrics_csv(struct text *out, const struct metrics *metrics)
{
	struct row rows[METRIC_COUNT];

	table_csv(out, &metric_table, rows, rows_make(rows, metrics, true));
	text_add_char(out, '\n');
	table_csv(out, &kernel_table, metrics->kernels, metrics->kernel_count);
}
