/* SPDX-License-Identifier: MIT */
#include "view/query/details/path.h"

#include <stdio.h>

/* The command of that name which started just then, in the row of its queue. */
static void link_command(const struct view_index *index, struct json *json, uint32_t name,
			 int64_t begin_ns)
{
	for (uint32_t i = 0; i < index->tracks_count; i++) {
		const struct view_track *track = &index->tracks[i];
		uint32_t item;

		if (track->refs != VIEW_REFS_command || track->again || !track->items)
			continue;
		for (item = view_index_lower(index, track, begin_ns); item < track->items; item++) {
			const struct view_span *span = &view_index_item(index, track, item)->span;

			if (span->begin_ns != begin_ns)
				break;
			if (view_index_label(index, span->label)->name != name)
				continue;
			details_link(json, index, "operation", i, item);
			return;
		}
	}
}

static void add_links(const struct view_details *details, const struct details_span *span,
		      struct json *json, uint32_t stream)
{
	switch ((enum view_span_kind)span->label->kind) {
	case VIEW_SPAN_path_execution:
		link_command(details->index, json, span->label->name, span->span.begin_ns);
		break;
	case VIEW_SPAN_path_launch:
	case VIEW_SPAN_path_behind:
		link_command(details->index, json, span->label->name, span->end_ns);
		break;
	case VIEW_SPAN_path_call:
	case VIEW_SPAN_path_return:
		details_link_during(json, details, "during", stream, span->span.begin_ns, false);
		break;
	default:
		break;
	}
}

void details_path(const struct view_details *details, const struct details_span *span,
		  struct json *json)
{
	uint32_t stream = view_index_ref(details->index, span->track, span->item);
	const struct trace_stream *of = details_find_stream(details, stream);
	uint64_t duration_ns = trace_session_duration_ns(details->session);
	char part[16];

	json_begin_array(json, "facts");
	if (duration_ns) {
		snprintf(part, sizeof(part), "%.2f %%",
			 100.0 * (double)(span->end_ns - span->span.begin_ns) /
				 (double)duration_ns);
		details_text(json, "of the run", part);
	}
	if (of)
		details_stream(json, of);
	json_end_array(json);
	json_begin_array(json, "links");
	add_links(details, span, json, stream);
	json_end_array(json);
}
