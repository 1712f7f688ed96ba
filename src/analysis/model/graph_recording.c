/* SPDX-License-Identifier: MIT */
#include "analysis/model/graph_recording.h"

#include "schema/domain.h"
#include "schema/record.h"

int graph_recording_item(struct graph_recorded *thread, const struct event_item *item)
{
	int64_t from_ns = thread->call_end_ns, mapped_ns = thread->mapped_ns;

	thread->mapped_ns = 0;
	if (item->kind == ITEM_CALL && item->end_ns != INT64_MIN && item->end_ns > from_ns)
		thread->call_end_ns = item->end_ns;
	if (item->kind == ITEM_CALL && mapped_ns)
		return recent_add(&thread->hashed, mapped_ns, item->event->ns);
	if (item->kind == ITEM_OTHER && item->event->record->id == TANDEM_EVENT_content_mapped)
		thread->mapped_ns = item->event->ns;
	if (item->kind != ITEM_OTHER || !from_ns || item->event->ns <= from_ns ||
	    (item->event->record->id != TANDEM_EVENT_content &&
	     item->event->record->id != TANDEM_EVENT_content_read &&
	     item->event->record->id != TANDEM_EVENT_content_arrived))
		return 0;
	thread->call_end_ns = item->event->ns;
	return recent_add(&thread->hashed, from_ns, item->event->ns);
}

int64_t graph_recording_within(const struct graph_recorded *thread, int64_t from_ns, int64_t to_ns)
{
	return thread->hashed.count ? recent_within(&thread->hashed, from_ns, to_ns) : 0;
}

void graph_recorded_free(struct graph_recorded *thread)
{
	recent_free(&thread->hashed);
}

int64_t graph_recording_command(const struct tandem_event *api)
{
	const struct tandem_domain_row *row = tandem_domain_row(tandem_id_domain(api->id));

	return row ? row->command_ns : 0;
}

int64_t graph_recording_call(const struct sequence_event *event)
{
	const struct tandem_domain_row *row = tandem_domain_row(tandem_id_domain(event->api->id));
	int64_t ns = !row ? 0 : event->op ? row->command_ns : row->call_ns;

	/* One that never returned has no half. */
	return event->other_ns == INT64_MIN ? ns
					    : graph_recording_part(ns, event->other_ns - event->ns);
}
