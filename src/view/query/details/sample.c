/* SPDX-License-Identifier: MIT */
#include "view/query/details/sample.h"

static void add_stack(const struct view_index *index, uint32_t stack, struct json *json)
{
	json_begin_array(json, "stack");
	for (; stack; stack = index->stacks[stack].parent) {
		const struct view_frame *frame = &index->frames[index->stacks[stack].frame];

		json_begin_array(json, NULL);
		json_string(json, NULL, view_index_text(index, frame->name));
		json_string(json, NULL, view_index_text(index, frame->file));
		json_end_array(json);
	}
	json_end_array(json);
}

void details_sample(const struct view_details *details, const struct details_span *span,
		    struct json *json)
{
	const struct view_index *index = details->index;
	uint32_t ref = view_index_ref(index, span->track, span->item);

	json_begin_array(json, "facts");
	details_thread(json, index, span->row);
	details_text(json, "on the CPU",
		     ref != VIEW_NONE && ref & 1 ? "the system, on the thread's behalf"
						 : "the program's own code");
	details_number(json, "represents", "ns", index->header->sample_period_ns);
	json_end_array(json);
	add_stack(index, view_index_stack(index, span->track, span->item), json);
	json_begin_array(json, "links");
	details_link_during(json, details, "during", span->row->stream, span->span.begin_ns, false);
	json_end_array(json);
}
