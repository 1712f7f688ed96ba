/* SPDX-License-Identifier: MIT */
#include "view/query/stacks.h"

#include <errno.h>
#include <stdlib.h>

#include "util/json.h"
#include "view/index/overlap.h"

struct stacks {
	const struct view_index *index;
	const struct view_track *track; /* that is being looked at */
	int64_t from_ns, to_ns;
	uint64_t samples;
	uint64_t *self, *total; /* by stack */
	uint32_t *places;	/* by stack, in the answer */
};

static int add_sample(void *stacks_of, uint32_t item, const struct view_span *span, int64_t end_ns)
{
	struct stacks *stacks = stacks_of;

	(void)end_ns;
	if (span->begin_ns < stacks->from_ns)
		return 0;
	stacks->samples++;
	stacks->self[view_index_stack(stacks->index, stacks->track, item)]++;
	return 0;
}

static int add_track(void *stacks_of, const struct view_row *row, uint32_t track)
{
	struct stacks *stacks = stacks_of;

	(void)row;
	stacks->track = &stacks->index->tracks[track];
	if (stacks->track->type != VIEW_TRACK_samples)
		return 0;
	return view_overlap(stacks->index, stacks->track, stacks->from_ns, stacks->to_ns,
			    add_sample, stacks);
}

static void add_nodes(const struct stacks *stacks, struct json *json)
{
	const struct view_index *index = stacks->index;
	uint32_t placed = 0;

	for (uint32_t i = 1; i < index->stacks_count; i++) {
		const struct view_frame *frame = &index->frames[index->stacks[i].frame];
		uint32_t parent = index->stacks[i].parent;

		if (!stacks->total[i])
			continue;
		stacks->places[i] = placed++;
		json_begin_array(json, NULL);
		json_signed(json, NULL, parent ? (int64_t)stacks->places[parent] : -1);
		json_string(json, NULL, view_index_text(index, frame->name));
		json_string(json, NULL, view_index_text(index, frame->file));
		json_unsigned(json, NULL, stacks->self[i]);
		json_unsigned(json, NULL, stacks->total[i]);
		json_end_array(json);
	}
}

static void add_answer(const struct stacks *stacks, struct text *out)
{
	struct json json;

	/* A node's parent has a smaller number. */
	for (uint64_t i = stacks->index->stacks_count; i-- > 1;) {
		stacks->total[i] += stacks->self[i];
		stacks->total[stacks->index->stacks[i].parent] += stacks->total[i];
	}
	json_init(&json, out, false);
	json_begin_object(&json, NULL);
	json_unsigned(&json, "samples", stacks->samples);
	json_begin_array(&json, "nodes");
	add_nodes(stacks, &json);
	json_end_array(&json);
	json_end_object(&json);
}

int stacks_json(const struct row_set *rows, int64_t from_ns, int64_t to_ns, struct text *out)
{
	struct stacks stacks = {.index = rows->index, .from_ns = from_ns, .to_ns = to_ns};
	size_t count = rows->index->stacks_count + 1;
	int status = -ENOMEM;

	stacks.self = calloc(count, sizeof(*stacks.self));
	stacks.total = calloc(count, sizeof(*stacks.total));
	stacks.places = calloc(count, sizeof(*stacks.places));
	if (stacks.self && stacks.total && stacks.places)
		status = row_set_visit(rows, add_track, &stacks);
	if (!status)
		add_answer(&stacks, out);
	free(stacks.self);
	free(stacks.total);
	free(stacks.places);
	return status;
}
