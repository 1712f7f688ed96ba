/* SPDX-License-Identifier: MIT */
#include "view/query/details/state.h"

/* What the waker did at that moment: its own state then. */
static void link_waker(const struct view_index *index, const struct details_span *span,
		       struct json *json, uint32_t waker)
{
	uint32_t number = waker < index->wakers_count ? index->wakers[waker] : VIEW_NONE;
	const struct view_row *row;
	uint32_t item;

	if (number >= index->rows_count)
		return;
	row = &index->rows[number];
	if (!row->track_count || index->tracks[row->first_track].type != VIEW_TRACK_state)
		return;
	item = view_index_lower(index, &index->tracks[row->first_track], span->end_ns);
	if (item)
		details_link(json, index, "waker", row->first_track, item - 1);
}

void details_state(const struct view_details *details, const struct details_span *span,
		   struct json *json)
{
	const struct view_index *index = details->index;
	uint32_t ref = view_index_ref(index, span->track, span->item);
	bool blocked = span->label->kind == VIEW_SPAN_wait_blocked;

	json_begin_array(json, "facts");
	details_thread(json, index, span->row);
	if (!blocked && span->label->kind != VIEW_SPAN_unknown && ref != VIEW_NONE)
		details_number(json, "CPU", "count", ref);
	json_end_array(json);
	json_begin_array(json, "links");
	if (blocked)
		link_waker(index, span, json, ref);
	json_end_array(json);
}
