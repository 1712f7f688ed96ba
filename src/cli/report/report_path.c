/* SPDX-License-Identifier: MIT */
#include "cli/report/report_path.h"

#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/table.h"
#include "util/units.h"

#define ROW(field) offsetof(struct critical_row, field)

static const struct table_column columns[] = {
	{"ns", "time", TABLE_NS, ROW(ns)},
	{"percent", "of the run", TABLE_PERCENT, ROW(percent)},
	{"count", "pieces", TABLE_COUNT, ROW(count)},
	{"kind", NULL, TABLE_STRING, ROW(kind)},
	{"words", "part of the path", TABLE_STRING, ROW(words)},
	{"name", "call, kernel, transfer", TABLE_STRING, ROW(name)},
};

static const struct table table = TABLE("critical_path", columns, struct critical_row);

void report_path_text(struct text *out, const struct critical_path *path, size_t top, bool colour)
{
	struct table_style style = {.colour = colour,
				    .indent = "  ",
				    .most_rows = top,
				    .most_width = 60,
				    .width = cli_width(STDOUT_FILENO)};
	char length[UNITS_BYTES], run[UNITS_BYTES];

	if (!path->count) {
		text_add_string(out, "No path: no API calls were recorded.\n");
		return;
	}
	text_format(out, "Critical path: %s of the run's %s\n",
		    units_ns(length, (double)path->length_ns),
		    units_ns(run, (double)path->duration_ns));
	table_text(out, &table, path->rows, path->count, &style);
	if (!path->any_command)
		text_add_string(out, "\nNo device times are known: the path leads through the "
				     "host only.\n");
}

void report_path_json(struct text *out, const struct critical_path *path)
{
	struct json json;

	json_init(&json, out, true);
	json_begin_object(&json, NULL);
	json_unsigned(&json, "duration_ns", path->duration_ns);
	json_unsigned(&json, "length_ns", path->length_ns);
	json_bool(&json, "device_times", path->any_command);
	table_json(&json, &table, path->rows, path->count);
	json_end_object(&json);
	text_add_char(out, '\n');
}

void report_path_csv(struct text *out, const struct critical_path *path)
{
	table_csv(out, &table, path->rows, path->count);
}
