/* SPDX-License-Identifier: MIT */
#include "cli/diff/diff_tables.h"

#define AT(field) offsetof(struct diff_row, field)
#define BOTH(key, heading, kind, field)                                                 \
	{"a_" key, heading[0] ? "A " heading : "A", kind, AT(side[DIFF_A].field)},      \
	{                                                                               \
		"b_" key, heading[0] ? "B " heading : "B", kind, AT(side[DIFF_B].field) \
	}
#define BOTH_HIDDEN(key, kind, field)                        \
	{"a_" key, NULL, kind, AT(side[DIFF_A].field)},      \
	{                                                    \
		"b_" key, NULL, kind, AT(side[DIFF_B].field) \
	}

#define DIFFERENCE                                                           \
	{"difference_ns", "difference", TABLE_NS_CHANGE, AT(difference_ns)}, \
	{                                                                    \
		"change_percent", "change", TABLE_CHANGE, AT(change_percent) \
	}
#define JUDGED(of)                                                                     \
	{"p", of, TABLE_P, AT(p)}, {"significant", NULL, TABLE_BOOL, AT(significant)}, \
	{                                                                              \
		"verdict", "verdict", TABLE_STRING, AT(verdict)                        \
	}

static const struct table_column total_columns[] = {
	DIFFERENCE,
	BOTH("total_ns", "", TABLE_NS_FLOAT, total_ns),
	BOTH_HIDDEN("count", TABLE_AMOUNT, count),
	JUDGED("p"),
	{"name", "of", TABLE_STRING, AT(name)},
};

#define OF_OPERATIONS(heading)                                          \
	DIFFERENCE, BOTH("total_ns", "", TABLE_NS_FLOAT, total_ns),     \
		BOTH("count", heading, TABLE_AMOUNT, count),            \
		BOTH("each_ns", "each", TABLE_NS_FLOAT, each_ns),       \
		BOTH_HIDDEN("mean_ns", TABLE_NS_FLOAT, mean_ns),        \
		BOTH_HIDDEN("p50_ns", TABLE_NS_FLOAT, p50_ns),          \
		{"each_percent", NULL, TABLE_CHANGE, AT(each_percent)}, \
		{"count_p", NULL, TABLE_P, AT(count_p)},                \
		BOTH("errors", "errors", TABLE_AMOUNT, errors), JUDGED("p of each")

static const struct table_column api_columns[] = {
	OF_OPERATIONS("calls"),
	{"domain", NULL, TABLE_STRING, AT(domain)},
	{"name", "function", TABLE_STRING, AT(name)},
};

static const struct table_column device_columns[] = {
	OF_OPERATIONS("count"),
	BOTH_HIDDEN("bytes", TABLE_REAL, bytes),
	{"kind", "kind", TABLE_STRING, AT(kind)},
	{"name", "name", TABLE_STRING, AT(name)},
	{"domain", NULL, TABLE_STRING, AT(domain)},
	{"device", "device", TABLE_STRING, AT(device)},
};

static const struct table_column findings_columns[] = {
	DIFFERENCE,
	BOTH("cost_ns", "", TABLE_NS_FLOAT, total_ns),
	BOTH("count", "count", TABLE_AMOUNT, count),
	{"count_p", NULL, TABLE_P, AT(count_p)},
	JUDGED("p of cost"),
	{"kind", "finding", TABLE_STRING, AT(kind)},
	{"cause", "cause", TABLE_STRING, AT(name)},
	{"object", "of", TABLE_STRING, AT(device)},
	{"what", NULL, TABLE_STRING, AT(words)},
};

const struct table diff_tables[DIFF_TABLE_COUNT] = {
	[DIFF_TOTAL] = TABLE("total", total_columns, struct diff_row),
	[DIFF_API] = TABLE("api", api_columns, struct diff_row),
	[DIFF_DEVICE] = TABLE("device", device_columns, struct diff_row),
	[DIFF_FINDINGS] = TABLE("findings", findings_columns, struct diff_row),
};

static void json_runs(struct json *json, const struct diff *diff, int side, const char *key)
{
	json_begin_array(json, key);
	for (size_t i = 0; i < diff->run_count[side]; i++) {
		const struct diff_run *run = &diff->runs[side][i];

		json_begin_object(json, NULL);
		json_string(json, "directory", run->path);
		json_string(json, "command", run->command);
		json_string(json, "host", run->host);
		json_string(json, "start", run->start);
		json_float(json, "duration_ns", run->duration_ns, 0);
		json_unsigned(json, "from_ns", run->from_ns);
		json_unsigned(json, "to_ns", run->to_ns);
		if (diff->options.ranges[side])
			json_string(json, "range", diff->options.ranges[side]);
		else
			json_null(json, "range");
		json_unsigned(json, "events", run->events);
		json_unsigned(json, "lost", run->lost);
		json_unsigned(json, "damaged_places", run->damaged_places);
		json_bool(json, "ended", run->ended);
		json_end_object(json);
	}
	json_end_array(json);
}

static void json_notes(struct json *json, const struct diff *diff)
{
	json_begin_array(json, "notes");
	for (const char *at = diff->notes.data; at && *at;) {
		size_t length = strcspn(at, "\n");

		json_bytes(json, NULL, at, length);
		at += length + (at[length] == '\n');
	}
	json_end_array(json);
}

void diff_json(struct text *out, const struct diff *diff, int table)
{
	struct json json;

	json_init(&json, out, true);
	json_begin_object(&json, NULL);
	json_runs(&json, diff, DIFF_A, "a");
	json_runs(&json, diff, DIFF_B, "b");
	json_begin_object(&json, "test");
	json_string(&json, "statistic", diff->statistic);
	json_string(&json, "each", diff->each_statistic);
	json_string(&json, "adjustment", "Benjamini-Hochberg");
	json_float(&json, "most_p", diff->options.most_p, 6);
	json_float(&json, "least_percent", diff->options.least_percent, 3);
	json_float(&json, "least_run_percent", diff->options.least_run_percent, 3);
	json_end_object(&json);
	json_notes(&json, diff);
	for (int i = 0; i < DIFF_TABLE_COUNT; i++)
		if (table < 0 || table == i)
			table_json(&json, &diff_tables[i], diff->tables[i].rows,
				   diff->tables[i].count);
	json_end_object(&json);
	text_add_char(out, '\n');
}

void diff_csv(struct text *out, const struct diff *diff, int table)
{
	for (int i = 0; i < DIFF_TABLE_COUNT; i++) {
		if (table >= 0 && table != i)
			continue;
		if (table < 0 && i)
			text_add_char(out, '\n');
		table_csv(out, &diff_tables[i], diff->tables[i].rows, diff->tables[i].count);
	}
}
