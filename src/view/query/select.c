/* SPDX-License-Identifier: MIT */
#include "view/query/select.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/stats/histogram.h"
#include "util/json.h"
#include "util/keyed_row.h"
#include "util/map.h"
#include "util/order/compare.h"
#include "view/index/overlap.h"
#include "view/query/select_samples.h"

struct select_row { /* one label, of commands one device */
	uint32_t label, device;
	uint64_t count, failed, untimed, bytes, within_ns;
	uint64_t device_ns; /* of ranges: of what was enqueued inside */
	struct histogram times;
};

struct select {
	const struct view_index *index;
	const struct view_track *track; /* that is being looked at */
	uint32_t device;		/* its row's */
	int64_t from_ns, to_ns;
	struct select_row *rows;
	size_t count, capacity;
	struct map row_of; /* label and device -> row */
	uint64_t last_key;
	size_t last_row;
	struct select_samples samples;
};

static int find_row(struct select *select, uint32_t label, struct select_row **row)
{
	uint64_t key = (uint64_t)select->device << 32 | label;
	const struct select_row fresh = {.label = label, .device = select->device};

	/* The same things come again and again. */
	if (select->count && key == select->last_key) {
		*row = &select->rows[select->last_row];
		return 0;
	}
	*row = keyed_row(&select->row_of, key, &select->rows, &select->capacity, &select->count,
			 &fresh, sizeof(fresh));
	if (!*row)
		return -ENOMEM;
	select->last_key = key;
	select->last_row = (size_t)(*row - select->rows);
	return 0;
}

static int add_span(void *select_of, uint32_t item, const struct view_span *span, int64_t end_ns)
{
	struct select *select = select_of;
	const struct view_label *label = view_index_label(select->index, span->label);
	int64_t from = span->begin_ns > select->from_ns ? span->begin_ns : select->from_ns;
	int64_t to = end_ns < select->to_ns ? end_ns : select->to_ns;
	const struct view_command *command;
	struct select_row *row;

	if (select->track->type == VIEW_TRACK_samples)
		return select_samples_add(&select->samples, select->track, item);
	/* What never ended is not among what the device did. */
	if (select->track->refs == VIEW_REFS_command && label->flags & VIEW_FLAG_unfinished)
		return 0;
	if (find_row(select, label->flags ? label->plain : span->label, &row))
		return -ENOMEM;
	if (to > from)
		row->within_ns += (uint64_t)(to - from);
	if (span->begin_ns < select->from_ns)
		return 0;
	command = view_index_command(select->index, select->track, item);
	row->count++;
	row->failed += (label->flags & VIEW_FLAG_failed) != 0;
	row->bytes += command ? command->bytes : 0;
	if (select->track->refs == VIEW_REFS_range)
		row->device_ns += view_index_device_ns(select->index, select->track, item);
	if (label->flags & (VIEW_FLAG_untimed | VIEW_FLAG_unfinished)) {
		row->untimed++;
		return 0;
	}
	return histogram_add(&row->times, (uint64_t)(end_ns - span->begin_ns)) ? -ENOMEM : 0;
}

static int add_track(void *select_of, const struct view_row *row, uint32_t track)
{
	struct select *select = select_of;

	select->track = &select->index->tracks[track];
	select->device = select->track->refs == VIEW_REFS_command ? row->device : VIEW_NONE;
	return view_overlap(select->index, select->track, select->from_ns, select->to_ns, add_span,
			    select);
}

static int row_compare(const void *a, const void *b)
{
	const struct select_row *left = a, *right = b;

	return COMPARE(right->times.sum, left->times.sum)
	       ?: COMPARE(right->within_ns, left->within_ns)
	       ?: COMPARE(left->label, right->label);
}

static void add_times(struct json *json, const struct select_row *row)
{
	json_unsigned(json, "total_ns", row->times.sum);
	json_float(json, "mean_ns", histogram_mean(&row->times), 1);
	json_unsigned(json, "min_ns", row->times.min);
	json_unsigned(json, "p50_ns", histogram_percentile(&row->times, 0.50));
	json_unsigned(json, "p99_ns", histogram_percentile(&row->times, 0.99));
	json_unsigned(json, "max_ns", row->times.max);
	json_unsigned(json, "within_ns", row->within_ns);
}

static const struct view_label *row_label(const struct select *select, const struct select_row *row)
{
	return view_index_label(select->index, row->label);
}

static void add_calls(struct json *json, const struct select *select)
{
	json_begin_array(json, "calls");
	for (size_t i = 0; i < select->count; i++) {
		const struct select_row *row = &select->rows[i];
		const struct view_label *label = row_label(select, row);

		if (view_span_group(label->kind) != VIEW_GROUP_call)
			continue;
		json_begin_object(json, NULL);
		json_unsigned(json, "label", row->label);
		json_string(json, "name", view_index_text(select->index, label->name));
		json_unsigned(json, "calls", row->count);
		json_unsigned(json, "errors", row->failed);
		add_times(json, row);
		json_end_object(json);
	}
	json_end_array(json);
}

static void add_device(struct json *json, const struct select *select)
{
	const struct view_index *index = select->index;

	json_begin_array(json, "device");
	for (size_t i = 0; i < select->count; i++) {
		const struct select_row *row = &select->rows[i];
		const struct view_label *label = row_label(select, row);

		if (view_span_group(label->kind) != VIEW_GROUP_command)
			continue;
		json_begin_object(json, NULL);
		json_unsigned(json, "label", row->label);
		json_string(json, "device",
			    row->device < index->rows_count
				    ? view_index_text(index, index->rows[row->device].name)
				    : "");
		json_string(json, "kind", view_span_name(label->kind));
		json_string(json, "name", view_index_text(index, label->name));
		json_unsigned(json, "count", row->count);
		json_unsigned(json, "failed", row->failed);
		json_unsigned(json, "untimed", row->untimed);
		json_unsigned(json, "bytes", row->bytes);
		add_times(json, row);
		json_end_object(json);
	}
	json_end_array(json);
}

static void add_states(struct json *json, const struct select *select)
{
	json_begin_array(json, "states");
	for (size_t i = 0; i < select->count; i++) {
		const struct select_row *row = &select->rows[i];
		const struct view_label *label = row_label(select, row);
		enum view_group group = view_span_group(label->kind);

		if (group != VIEW_GROUP_state && group != VIEW_GROUP_task)
			continue;
		json_begin_object(json, NULL);
		json_unsigned(json, "label", row->label);
		json_string(json, "state", view_span_name(label->kind));
		json_string(json, "name", view_index_text(select->index, label->name));
		json_unsigned(json, "count", row->count);
		add_times(json, row);
		json_end_object(json);
	}
	json_end_array(json);
}

static void add_ranges(struct json *json, const struct select *select)
{
	json_begin_array(json, "ranges");
	for (size_t i = 0; i < select->count; i++) {
		const struct select_row *row = &select->rows[i];
		const struct view_label *label = row_label(select, row);

		if (view_span_group(label->kind) != VIEW_GROUP_range)
			continue;
		json_begin_object(json, NULL);
		json_unsigned(json, "label", row->label);
		json_string(json, "kind", view_span_name(label->kind));
		json_string(json, "name", view_index_text(select->index, label->name));
		json_unsigned(json, "count", row->count);
		json_unsigned(json, "device_ns", row->device_ns);
		add_times(json, row);
		json_end_object(json);
	}
	json_end_array(json);
}

int view_select_json(const struct row_set *rows, int64_t from_ns, int64_t to_ns, struct text *out)
{
	const struct view_index *index = rows->index;
	struct select select = {
		.index = index, .from_ns = from_ns, .to_ns = to_ns, .samples = {.index = index}};
	struct json json;
	int status = row_set_visit(rows, add_track, &select);

	if (!status) {
		if (select.count)
			qsort(select.rows, select.count, sizeof(*select.rows), row_compare);
		json_init(&json, out, false);
		json_begin_object(&json, NULL);
		add_calls(&json, &select);
		add_device(&json, &select);
		add_states(&json, &select);
		status = select_samples_json(&select.samples, &json);
		add_ranges(&json, &select);
		json_end_object(&json);
	}
	for (size_t i = 0; i < select.count; i++)
		histogram_free(&select.rows[i].times);
	select_samples_free(&select.samples);
	free(select.rows);
	map_free(&select.row_of);
	return status;
}
