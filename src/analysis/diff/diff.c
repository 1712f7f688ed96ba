/* SPDX-License-Identifier: MIT */
#include "analysis/diff/diff.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

int diff_init(struct diff *diff, const size_t runs[DIFF_SIDES], const struct diff_options *options)
{
	memset(diff, 0, sizeof(*diff));
	diff->options = *options;
	for (int side = 0; side < DIFF_SIDES; side++) {
		diff->runs_wanted[side] = runs[side];
		diff->runs[side] =
			arena_alloc(&diff->arena, (runs[side] + 1) * sizeof(*diff->runs[side]));
		if (!diff->runs[side]) {
			diff_free(diff);
			return -ENOMEM;
		}
	}
	return 0;
}

static const char *copy(struct diff *diff, const char *text)
{
	const char *copied = arena_copy(&diff->arena, text, strlen(text));

	return copied ? copied : "";
}

/* --- rows */

static struct diff_row *row_make(struct diff *diff, struct diff_table *table,
				 const struct diff_row *named)
{
	struct diff_row *row;

	if (array_reserve(&table->rows, &table->capacity, table->count + 1, sizeof(*table->rows)))
		return NULL;
	row = &table->rows[table->count];
	*row = (struct diff_row){
		.domain = copy(diff, named->domain),
		.kind = copy(diff, named->kind),
		.name = copy(diff, named->name),
		.device = copy(diff, named->device),
		.words = "",
		.verdict = "",
		.p = NAN,
		.count_p = NAN,
		.each_percent = NAN,
	};
	for (int side = 0; side < DIFF_SIDES; side++) {
		row->samples[side] = arena_alloc(&diff->arena, (diff->runs_wanted[side] + 1) *
								       sizeof(*row->samples[side]));
		if (!row->samples[side])
			return NULL;
	}
	table->count++;
	return row;
}

/* The row of this name, made when it is new; NULL without memory. */
static struct diff_row *row_find(struct diff *diff, enum diff_kind kind,
				 const struct diff_row *named)
{
	struct diff_table *table = &diff->tables[kind];
	struct text key = TEXT_INIT;
	struct diff_row *row = NULL;
	uint32_t number;
	uint64_t known;

	/* Names may hold anything but this. */
	text_format(&key, "%d\001%s\001%s\001%s\001%s", kind, named->domain, named->kind,
		    named->name, named->device);
	if (!key.failed && !intern_add(&diff->names, key.data, key.length, &number)) {
		known = map_get(&diff->keys, number);
		if (known != MAP_NONE)
			row = &table->rows[known];
		else if (!map_set(&diff->keys, number, table->count))
			row = row_make(diff, table, named);
	}
	text_free(&key);
	return row;
}

static int add_totals(struct diff *diff, enum diff_side side, size_t run,
		      const struct report *report)
{
	double busy_ns = 0;
	struct diff_sample samples[] = {
		{.total_ns = (double)(report->to_ns - report->from_ns), .count = 1},
		{.total_ns = (double)report->api_ns, .count = (double)report->calls},
		{.total_ns = (double)report->device_ns, .count = (double)report->operations},
		{.count = (double)report->busy_count},
	};
	const char *const names[] = {diff_has_parts(diff) ? "part" : "run", "API calls",
				     "device operations", "devices busy"};

	for (size_t i = 0; i < report->busy_count; i++)
		busy_ns += (double)report->devices[i].busy_ns;
	samples[3].total_ns = busy_ns;
	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++) {
		struct diff_row named = {.domain = "", .kind = "", .name = names[i], .device = ""};
		struct diff_row *row = row_find(diff, DIFF_TOTAL, &named);

		if (!row)
			return -ENOMEM;
		row->samples[side][run] = samples[i];
	}
	return 0;
}

static int add_calls(struct diff *diff, enum diff_side side, size_t run,
		     const struct report *report)
{
	for (size_t i = 0; i < report->api_count; i++) {
		const struct report_api *api = &report->api[i];
		struct diff_row named = {
			.domain = api->domain, .kind = "", .name = api->name, .device = ""};
		struct diff_row *row = row_find(diff, DIFF_API, &named);

		if (!row)
			return -ENOMEM;
		row->samples[side][run] = (struct diff_sample){
			.total_ns = (double)api->times.total_ns,
			.count = (double)api->calls,
			.timed = (double)(api->calls - api->open),
			.p50_ns = (double)api->times.p50_ns,
			.errors = (double)api->errors,
		};
		if (!run)
			row->batches[side] = api->batches;
	}
	return 0;
}

static int add_operations(struct diff *diff, enum diff_side side, size_t run,
			  const struct report *report)
{
	for (size_t i = 0; i < report->device_count; i++) {
		const struct report_device *device = &report->device[i];
		struct diff_row named = {.domain = device->domain,
					 .kind = device->kind,
					 .name = device->name,
					 .device = device->device ? device->device : ""};
		struct diff_row *row = row_find(diff, DIFF_DEVICE, &named);

		if (!row)
			return -ENOMEM;
		row->samples[side][run] = (struct diff_sample){
			.total_ns = (double)device->times.total_ns,
			.count = (double)device->count,
			.timed = (double)(device->count - device->untimed),
			.p50_ns = (double)device->times.p50_ns,
			.bytes = (double)device->bytes,
			.errors = (double)device->failed,
		};
		if (!run)
			row->batches[side] = device->batches;
	}
	return 0;
}

/* Findings of one kind, cause and object, at whatever places, are one. */
static int add_findings(struct diff *diff, enum diff_side side, size_t run,
			const struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];
		struct diff_row named = {.domain = "",
					 .kind = finding->name,
					 .name = finding->cause,
					 .device = finding->object};
		struct diff_row *row = row_find(diff, DIFF_FINDINGS, &named);
		struct diff_sample *sample;

		if (!row)
			return -ENOMEM;
		sample = &row->samples[side][run];
		sample->total_ns += (double)finding->cost_ns;
		sample->count += (double)finding->count;
		row->certain |= finding->always_report;
		/* side[] is made at the end; until then it knows the most expensive one. */
		if (!*row->words || (double)finding->cost_ns > row->side[0].total_ns) {
			row->words = copy(diff, finding->what);
			row->side[0].total_ns = (double)finding->cost_ns;
		}
	}
	return 0;
}

static const char *args_word(enum tandem_args_level level)
{
	static const char *const words[] = {[TANDEM_ARGS_NONE] = "none",
					    [TANDEM_ARGS_BASIC] = "basic",
					    [TANDEM_ARGS_FULL] = "full"};

	return (unsigned)level < sizeof(words) / sizeof(*words) ? words[level] : "unknown";
}

int diff_add(struct diff *diff, enum diff_side side, const struct trace_session *session,
	     const struct report *report, const struct findings *findings)
{
	size_t run = diff->run_count[side]++;
	int status = add_totals(diff, side, run, report);

	diff->runs[side][run] = (struct diff_run){
		.path = copy(diff, session->path),
		.command = copy(diff, session->run.command),
		.host = copy(diff, session->run.host),
		.start = copy(diff, session->run.start),
		.args = args_word(session->args_level),
		.duration_ns = (double)report->duration_ns,
		.from_ns = report->from_ns,
		.to_ns = report->to_ns,
		.events = report->events,
		.lost = report->lost_total,
		.damaged_places = report->damaged_places,
		.ended = session->run.has_end,
		.kernel = report->kernel_events > 0,
	};
	if (!status)
		status = add_calls(diff, side, run, report);
	if (!status)
		status = add_operations(diff, side, run, report);
	if (!status && findings)
		status = add_findings(diff, side, run, findings);
	return status;
}

/* --- devices that only one side has */

static bool has_device(const struct diff *diff, enum diff_side side, const char *device)
{
	const struct diff_table *table = &diff->tables[DIFF_DEVICE];

	for (size_t i = 0; i < table->count; i++) {
		for (size_t run = 0; run < diff->run_count[side]; run++)
			if (!strcmp(table->rows[i].device, device) &&
			    table->rows[i].samples[side][run].count > 0)
				return true;
	}
	return false;
}

static bool devices_differ(const struct diff *diff)
{
	const struct diff_table *table = &diff->tables[DIFF_DEVICE];
	bool any[DIFF_SIDES] = {false, false}, differ = false;

	for (size_t i = 0; i < table->count; i++) {
		bool a = has_device(diff, DIFF_A, table->rows[i].device);
		bool b = has_device(diff, DIFF_B, table->rows[i].device);

		any[DIFF_A] |= a;
		any[DIFF_B] |= b;
		differ |= a != b;
	}
	/* Where one side used no device at all there is nothing to match. */
	return any[DIFF_A] && any[DIFF_B] && differ;
}

static void merge_row(struct diff *diff, struct diff_row *into, const struct diff_row *row)
{
	for (int side = 0; side < DIFF_SIDES; side++) {
		bool both = false;

		for (size_t run = 0; run < diff->run_count[side]; run++) {
			struct diff_sample *sum = &into->samples[side][run];
			const struct diff_sample *more = &row->samples[side][run];

			both |= sum->count > 0 && more->count > 0;
			/* Of two medians that of the more frequent one. */
			if (more->timed > sum->timed)
				sum->p50_ns = more->p50_ns;
			sum->total_ns += more->total_ns;
			sum->count += more->count;
			sum->timed += more->timed;
			sum->bytes += more->bytes;
			sum->errors += more->errors;
		}
		if (both)
			memset(&into->batches[side], 0, sizeof(into->batches[side]));
		else if (row->samples[side][0].count > 0)
			into->batches[side] = row->batches[side];
	}
	if (strcmp(into->device, row->device))
		into->device = "";
	if (strcmp(into->domain, row->domain))
		into->domain = "";
}

/* Runs on different devices: what has one kind and name is one operation. */
static void match_by_name(struct diff *diff)
{
	struct diff_table *table = &diff->tables[DIFF_DEVICE];
	size_t kept = 0;

	diff->by_name = true;
	for (size_t i = 0; i < table->count; i++) {
		size_t same = 0;

		while (same < kept && (strcmp(table->rows[same].name, table->rows[i].name) ||
				       strcmp(table->rows[same].kind, table->rows[i].kind)))
			same++;
		if (same < kept)
			merge_row(diff, &table->rows[same], &table->rows[i]);
		else
			table->rows[kept++] = table->rows[i];
	}
	table->count = kept;
}

/* --- what both sides come to */

static struct diff_value side_value(const struct diff *diff, const struct diff_row *row, int side)
{
	struct diff_value value = {.runs = 0};
	double runs = (double)diff->run_count[side], timed = 0;

	for (size_t run = 0; run < diff->run_count[side]; run++) {
		const struct diff_sample *sample = &row->samples[side][run];

		value.runs += sample->count > 0;
		value.total_ns += sample->total_ns / runs;
		value.count += sample->count / runs;
		value.bytes += sample->bytes / runs;
		value.errors += sample->errors / runs;
		value.p50_ns += sample->p50_ns * sample->timed;
		timed += sample->timed;
	}
	if (timed > 0) {
		value.p50_ns /= timed;
		value.mean_ns = value.total_ns * runs / timed;
	}
	return value;
}

static int row_compare(const void *a, const void *b)
{
	const struct diff_row *left = a, *right = b;
	double left_ns = fabs(left->difference_ns), right_ns = fabs(right->difference_ns);

	if (left_ns < right_ns || left_ns > right_ns)
		return left_ns < right_ns ? 1 : -1;
	return strcmp(left->name, right->name);
}

static void finish_table(struct diff *diff, struct diff_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		struct diff_row *row = &table->rows[i];
		const struct diff_value *a = &row->side[DIFF_A];
		const struct diff_value *b = &row->side[DIFF_B];

		for (int side = 0; side < DIFF_SIDES; side++)
			row->side[side] = side_value(diff, row, side);
		row->difference_ns = b->total_ns - a->total_ns;
		if (a->total_ns > 0)
			row->change_percent = 100 * row->difference_ns / a->total_ns;
		else
			row->change_percent = b->total_ns > 0 ? INFINITY : 0;
	}
}

int diff_finish(struct diff *diff)
{
	int status;

	if (devices_differ(diff))
		match_by_name(diff);
	for (int i = 0; i < DIFF_TABLE_COUNT; i++)
		finish_table(diff, &diff->tables[i]);
	status = diff_judge(diff);
	for (int i = 0; i < DIFF_TABLE_COUNT; i++) {
		struct diff_table *table = &diff->tables[i];

		/* Totals stay as they are. */
		if (i != DIFF_TOTAL && table->count > 1)
			qsort(table->rows, table->count, sizeof(*table->rows), row_compare);
	}
	diff_note(diff);
	return status || diff->notes.failed ? -ENOMEM : 0;
}

void diff_free(struct diff *diff)
{
	for (int i = 0; i < DIFF_TABLE_COUNT; i++)
		free(diff->tables[i].rows);
	text_free(&diff->notes);
	intern_free(&diff->names);
	map_free(&diff->keys);
	arena_free(&diff->arena);
	memset(diff, 0, sizeof(*diff));
}
