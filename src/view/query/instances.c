/* SPDX-License-Identifier: MIT */
#include "view/query/instances.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/stats/histogram.h"
#include "util/array.h"
#include "util/json.h"
#include "util/order/compare.h"
#include "view/index/overlap.h"

struct instance {
	int64_t begin_ns, end_ns;
	uint32_t track, item, label;
};

struct instances {
	const struct view_search *search;
	const struct instances_question *question;
	uint32_t track; /* that is being looked at */
	struct histogram lengths;
	uint64_t count, failed;
	uint64_t matching;
	struct instance *list; /* as many of them as may be in the answer, and some more */
	size_t listed, capacity;
};

/* Sorted out before the list is longer than that. */
#define LIST_SLACK 4096u

static int begin_compare(const void *a, const void *b)
{
	const struct instance *left = a, *right = b;

	return COMPARE(left->begin_ns, right->begin_ns)
	       ?: COMPARE(left->track, right->track)
	       ?: COMPARE(left->item, right->item);
}

static int length_compare(const void *a, const void *b)
{
	const struct instance *left = a, *right = b;
	int64_t left_ns = left->end_ns - left->begin_ns, right_ns = right->end_ns - right->begin_ns;

	return COMPARE(right_ns, left_ns) ?: begin_compare(a, b);
}

/* Leaves those that the answer may hold, in its order. */
static void sort_out(struct instances *instances)
{
	uint64_t most = instances->question->skip + instances->question->count;

	if (instances->listed)
		qsort(instances->list, instances->listed, sizeof(*instances->list),
		      instances->question->by_length ? length_compare : begin_compare);
	if (instances->listed > most)
		instances->listed = most;
}

static int add_span(void *instances_of, uint32_t item, const struct view_span *span, int64_t end_ns)
{
	struct instances *instances = instances_of;
	const struct instances_question *question = instances->question;
	const struct view_label *label = view_index_label(instances->search->index, span->label);
	uint64_t length_ns = (uint64_t)(end_ns - span->begin_ns);

	if (!view_search_wants(instances->search, span->label) ||
	    span->begin_ns < question->from_ns)
		return 0;
	instances->count++;
	instances->failed += (label->flags & VIEW_FLAG_failed) != 0;
	if (label->flags & (VIEW_FLAG_untimed | VIEW_FLAG_unfinished))
		return 0;
	if (histogram_add(&instances->lengths, length_ns))
		return -ENOMEM;
	if (length_ns < question->least_ns || length_ns > question->most_ns)
		return 0;
	instances->matching++;
	if (instances->listed >= 2 * (question->skip + question->count) + LIST_SLACK)
		sort_out(instances);
	return ARRAY_ADD(
		instances->list, instances->capacity, instances->listed,
		(struct instance){span->begin_ns, end_ns, instances->track, item, span->label});
}

static int add_track(void *instances_of, const struct view_row *row, uint32_t track)
{
	struct instances *instances = instances_of;

	(void)row;
	instances->track = track;
	return view_overlap(instances->search->index, &instances->search->index->tracks[track],
			    instances->question->from_ns, instances->question->to_ns, add_span,
			    instances);
}

static void add_bucket(void *json_of, uint64_t least, uint64_t most, uint64_t count)
{
	struct json *json = json_of;

	json_begin_array(json, NULL);
	json_unsigned(json, NULL, least);
	json_unsigned(json, NULL, most);
	json_unsigned(json, NULL, count);
	json_end_array(json);
}

static void add_list(const struct instances *instances, struct json *json)
{
	json_begin_array(json, "spans");
	for (uint64_t i = instances->question->skip; i < instances->listed; i++) {
		const struct instance *one = &instances->list[i];

		json_begin_object(json, NULL);
		json_unsigned(json, "track", one->track);
		json_unsigned(json, "item", one->item);
		json_unsigned(json, "label", one->label);
		json_signed(json, "begin_ns", one->begin_ns);
		json_signed(json, "end_ns", one->end_ns);
		json_end_object(json);
	}
	json_end_array(json);
}

static void add_answer(const struct instances *instances, struct text *out)
{
	const struct histogram *lengths = &instances->lengths;
	struct json json;

	json_init(&json, out, false);
	json_begin_object(&json, NULL);
	json_unsigned(&json, "count", instances->count);
	json_unsigned(&json, "failed", instances->failed);
	json_unsigned(&json, "total_ns", lengths->sum);
	json_float(&json, "mean_ns", histogram_mean(lengths), 1);
	json_unsigned(&json, "min_ns", lengths->min);
	json_unsigned(&json, "p50_ns", histogram_percentile(lengths, 0.50));
	json_unsigned(&json, "p99_ns", histogram_percentile(lengths, 0.99));
	json_unsigned(&json, "max_ns", lengths->max);
	json_begin_array(&json, "histogram");
	histogram_visit(lengths, add_bucket, &json);
	json_end_array(&json);
	json_unsigned(&json, "matching", instances->matching);
	add_list(instances, &json);
	json_end_object(&json);
}

int instances_json(const struct view_search *search, const struct row_set *rows,
		   const struct instances_question *question, struct text *out)
{
	struct instances instances = {.search = search, .question = question};
	int status = row_set_visit(rows, add_track, &instances);

	if (!status) {
		sort_out(&instances);
		add_answer(&instances, out);
	}
	histogram_free(&instances.lengths);
	free(instances.list);
	return status;
}
