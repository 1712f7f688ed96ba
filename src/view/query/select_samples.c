/* SPDX-License-Identifier: MIT */
#include "view/query/select_samples.h"
#include "util/order/compare.h"

#include <errno.h>
#include <stdlib.h>

struct function {
	uint32_t frame;
	uint32_t latest; /* the stack that was counted in `total` last */
	uint64_t self, total;
};

int select_samples_add(struct select_samples *samples, const struct view_track *track,
		       uint32_t item)
{
	const struct view_index *index = samples->index;

	if (!samples->counts)
		samples->counts = calloc(index->stacks_count + 1, sizeof(*samples->counts));
	if (!samples->counts)
		return -ENOMEM;
	samples->counts[view_index_stack(index, track, item)]++;
	return 0;
}

void select_samples_free(struct select_samples *samples)
{
	free(samples->counts);
	samples->counts = NULL;
}

/* A function that calls itself counts once for each stack. */
static void count_all(const struct select_samples *samples, struct function *functions)
{
	const struct view_stack *stacks = samples->index->stacks;

	for (uint32_t i = 1; i < samples->index->stacks_count; i++) {
		uint64_t count = samples->counts[i];

		if (!count)
			continue;
		functions[stacks[i].frame].self += count;
		for (uint32_t at = i; at; at = stacks[at].parent) {
			struct function *function = &functions[stacks[at].frame];

			if (function->latest == i)
				continue;
			function->latest = i;
			function->total += count;
		}
	}
}

static int function_compare(const void *a, const void *b)
{
	const struct function *left = a, *right = b;

	return COMPARE(right->self, left->self)
	       ?: COMPARE(right->total, left->total)
	       ?: COMPARE(left->frame, right->frame);
}

static void add_functions(const struct view_index *index, const struct function *functions,
			  struct json *json)
{
	for (uint64_t i = 0; i < index->frames_count; i++) {
		const struct view_frame *frame = &index->frames[functions[i].frame];

		if (!functions[i].total)
			continue;
		json_begin_object(json, NULL);
		json_string(json, "name", view_index_text(index, frame->name));
		json_unsigned(json, "self", functions[i].self);
		json_unsigned(json, "total", functions[i].total);
		json_string(json, "file", view_index_text(index, frame->file));
		json_end_object(json);
	}
}

int select_samples_json(const struct select_samples *samples, struct json *json)
{
	const struct view_index *index = samples->index;
	struct function *functions = NULL;

	if (samples->counts) {
		functions = calloc(index->frames_count + 1, sizeof(*functions));
		if (!functions)
			return -ENOMEM;
		for (uint32_t i = 0; i < index->frames_count; i++)
			functions[i].frame = i;
		count_all(samples, functions);
		qsort(functions, index->frames_count, sizeof(*functions), function_compare);
	}
	json_begin_array(json, "samples");
	if (functions)
		add_functions(index, functions, json);
	json_end_array(json);
	free(functions);
	return 0;
}
