/* SPDX-License-Identifier: MIT */
#include "view/query/details/range.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "schema/gen/annotation_records.h"

static void add_payload(struct json *json, const struct view_range *range)
{
	char text[40];
	double number;

	switch ((enum tandem_annotation_payload)range->payload_type) {
	case TANDEM_ANNOTATION_PAYLOAD_unsigned:
		snprintf(text, sizeof(text), "%" PRIu64, range->payload);
		break;
	case TANDEM_ANNOTATION_PAYLOAD_signed:
		snprintf(text, sizeof(text), "%" PRId64, (int64_t)range->payload);
		break;
	case TANDEM_ANNOTATION_PAYLOAD_float:
		memcpy(&number, &range->payload, sizeof(number));
		snprintf(text, sizeof(text), "%.17g", number);
		break;
	case TANDEM_ANNOTATION_PAYLOAD_none:
	default:
		return;
	}
	details_text(json, "payload", text);
}

/* The item of a track that shows the same range. */
static void link_range(const struct view_index *index, struct json *json, const char *is,
		       uint32_t number, uint32_t ref)
{
	const struct view_track *track = &index->tracks[number];

	for (uint32_t i = 0; i < track->items; i++) {
		if (view_index_ref(index, track, i) == ref) {
			details_link(json, index, is, number, i);
			return;
		}
	}
}

static void add_links(const struct view_index *index, const struct details_span *span,
		      struct json *json, const struct view_range *range, uint32_t ref)
{
	json_begin_array(json, "links");
	if (span->label->kind == VIEW_SPAN_range_device && range->track < index->tracks_count) {
		const struct view_track *track = &index->tracks[range->track];
		uint32_t item = view_index_lower(index, track, range->begin_ns);

		while (item < track->items && view_index_ref(index, track, item) != ref)
			item++;
		if (item < track->items)
			details_link(json, index, "range", range->track, item);
	}
	for (uint32_t i = 0; i < index->tracks_count && range->operations; i++)
		if (index->tracks[i].refs == VIEW_REFS_range && index->tracks[i].again &&
		    i != span->track_number)
			link_range(index, json, "projected", i, ref);
	json_end_array(json);
}

void details_range(const struct view_details *details, const struct details_span *span,
		   struct json *json)
{
	const struct view_index *index = details->index;
	uint32_t ref = view_index_ref(index, span->track, span->item);
	const struct view_range *range;
	const char *scope, *category;

	if (ref >= index->ranges_count)
		return;
	range = &index->ranges[ref];
	scope = view_index_text(index, range->scope);
	category = view_index_text(index, range->category);
	json_begin_array(json, "facts");
	if (*scope)
		details_text(json, "domain", scope);
	if (*category)
		details_text(json, "category", category);
	add_payload(json, range);
	if (range->operations) {
		details_number(json, "operations enqueued", "count", range->operations);
		details_number(json, "kernels", "count", range->kernels);
		details_number(json, "device time", "ns", range->device_ns);
	}
	json_end_array(json);
	add_links(index, span, json, range, ref);
}
