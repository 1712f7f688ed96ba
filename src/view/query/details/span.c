/* SPDX-License-Identifier: MIT */
#include "view/query/details/span.h"

#include <errno.h>

#include "view/query/details/activity.h"
#include "view/query/details/call.h"
#include "view/query/details/command.h"
#include "view/query/details/json.h"
#include "view/query/details/path.h"
#include "view/query/details/range.h"
#include "view/query/details/sample.h"
#include "view/query/details/state.h"
#include "view/query/details/task.h"

static void add_flags(struct json *json, unsigned flags)
{
	json_begin_array(json, "flags");
#define X(bit, name)       \
	if (flags & (bit)) \
		json_string(json, NULL, #name);
	VIEW_FLAGS(X)
#undef X
	json_end_array(json);
}

int view_details_json(struct view_details *details, uint32_t track_number, uint32_t item,
		      struct text *out)
{
	const struct view_index *index = details->index;
	struct details_span span = {.track_number = track_number, .item = item};
	struct json json;
	int status = 0;

	if (track_number >= index->tracks_count)
		return -EINVAL;
	span.track = &index->tracks[track_number];
	if (item >= span.track->items || span.track->type == VIEW_TRACK_counter)
		return -EINVAL;
	span.row = &index->rows[span.track->row];
	span.span = view_index_item(index, span.track, item)->span;
	span.end_ns = view_index_end(index, span.track, item, &span.span);
	span.label = view_index_label(index, span.span.label);

	json_init(&json, out, false);
	json_begin_object(&json, NULL);
	json_string(&json, "name", view_index_text(index, span.label->name));
	json_string(&json, "kind", view_span_name(span.label->kind));
	add_flags(&json, span.label->flags);
	json_signed(&json, "begin_ns", span.span.begin_ns);
	json_signed(&json, "end_ns", span.end_ns);
	json_unsigned(&json, "row", span.track->row);
	if (span.track->refs == VIEW_REFS_command)
		status = details_command(details, &span, &json);
	else if (span.track->refs == VIEW_REFS_state)
		details_state(details, &span, &json);
	else if (span.track->refs == VIEW_REFS_range)
		details_range(details, &span, &json);
	else if (span.track->refs == VIEW_REFS_activity)
		details_activity(details, &span, &json);
	else if (span.track->refs == VIEW_REFS_sample)
		details_sample(details, &span, &json);
	else if (span.track->refs == VIEW_REFS_node)
		details_node(details, &span, &json);
	else if (span.track->refs == VIEW_REFS_path)
		details_path(details, &span, &json);
	else if (span.row->kind == VIEW_ROW_thread)
		status = details_call(details, &span, &json);
	json_end_object(&json);
	return status ? status : out->failed ? -ENOMEM : 0;
}
