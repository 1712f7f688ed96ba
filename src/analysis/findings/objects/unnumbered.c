/* SPDX-License-Identifier: MIT */
#include "analysis/findings/objects/unnumbered.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/findings/leaks/leaks.h"
#include "trace/field.h"
#include "util/keyed_row.h"
#include "util/units.h"

/* So often is a loop, if no more than a quarter of them lived at a time. */
#define LOOP_COUNT 16u
#define LOOP_LIVE_PART 4u

/* Fewer that are left are what a program keeps until its end. */
#define LEFT_COUNT 64u

static uint64_t key_of(const struct event_item *item, uint32_t number)
{
	return (uint64_t)item->event->stream->process->index << 32 | number;
}

static struct unnumbered_live *live_find(struct unnumbered *unnumbered, struct findings *findings,
					 const struct event_item *item)
{
	const struct unnumbered_live fresh = {.process = item->event->stream->process->index};
	uint32_t domain = (uint32_t)trace_session_domain_of(findings->session,
							    item->event->layout->event->id);

	return keyed_row(&unnumbered->live_of, key_of(item, domain), &unnumbered->live,
			 &unnumbered->live_capacity, &unnumbered->live_count, &fresh,
			 sizeof(fresh));
}

int unnumbered_known(struct unnumbered *unnumbered, const struct tandem_event *api)
{
	return map_set(&unnumbered->known, api->id, 1);
}

static uint64_t took_ns(const struct event_item *item)
{
	return item->end_ns > item->event->ns ? (uint64_t)(item->end_ns - item->event->ns) : 0;
}

int unnumbered_made(struct unnumbered *unnumbered, struct findings *findings,
		    const struct event_item *item)
{
	const struct tandem_event *api = item->event->layout->event;
	struct unnumbered_live *live;
	struct unnumbered_calls fresh = {.api = api, .stream = item->event->stream->index}, *calls;

	if (api->traits.memory != TANDEM_MEMORY_ROLE_none ||
	    map_get(&unnumbered->known, api->id) != MAP_NONE)
		return 0;
	live = live_find(unnumbered, findings, item);
	if (!live)
		return -ENOMEM;
	fresh.live = (size_t)(live - unnumbered->live);
	calls = keyed_row(&unnumbered->calls_of, key_of(item, api->id), &unnumbered->calls,
			  &unnumbered->call_capacity, &unnumbered->call_count, &fresh,
			  sizeof(fresh));
	if (!calls)
		return -ENOMEM;
	live->made++;
	if (++live->live > live->most_live)
		live->most_live = live->live;
	calls->ns += took_ns(item);
	if (!calls->count++)
		calls->first_ns = took_ns(item);
	if (calls->count == 2) {
		calls->begin_ns = item->event->ns;
		calls->end_ns = item->end_ns;
	}
	return calls->count > 1 ? graph_remove(findings->graph, item->call, GRAPH_OBJECT) : 0;
}

int unnumbered_released(struct unnumbered *unnumbered, struct findings *findings,
			const struct event_item *item)
{
	struct unnumbered_live *live =
		unnumbered->live_count ? live_find(unnumbered, findings, item) : NULL;

	if (!live || !live->live || item->event->layout->event->traits.memory)
		return 0;
	live->live--;
	if (!live->released++)
		return 0;
	live->released_ns += took_ns(item);
	return graph_remove(findings->graph, item->call, GRAPH_OBJECT);
}

static int add_calls(struct findings *findings, const struct unnumbered_calls *calls,
		     const struct unnumbered_live *live)
{
	double part = (double)calls->count / (double)live->made;
	struct finding *finding = findings_add(findings, "objects", "loop");
	char count[UNITS_BYTES];

	if (!finding)
		return -ENOMEM;
	finding->count = calls->count;
	finding->cost_ns =
		calls->ns - calls->first_ns + (uint64_t)(part * (double)live->released_ns);
	finding->removes = GRAPH_OBJECT;
	finding->object = calls->api->name;
	finding->what =
		findings_text(findings, "%s made %s objects, which were released soon after",
			      calls->api->name, units_count(count, calls->count));
	finding->confidence = CONFIDENCE_MEDIUM;
	finding->why = "the time of the calls that made and released them, but for the first; "
		       "which release is whose is not recorded";
	finding->suggestion = "make them once, before the loop, and use them again";
	finding_place(findings, finding, calls->stream);
	finding_time(findings, finding, calls->begin_ns, calls->end_ns);
	return 0;
}

void unnumbered_sample(struct unnumbered *unnumbered, uint32_t process)
{
	for (size_t i = 0; i < unnumbered->live_count; i++) {
		struct unnumbered_live *live = &unnumbered->live[i];

		if (live->process != process)
			continue;
		live->growth.now = (uint32_t)live->live;
		growth_sample(&live->growth);
	}
}

/* Of a domain in a process: by the function that made the most. */
static int add_left(const struct unnumbered *unnumbered, struct findings *findings, size_t place)
{
	const struct unnumbered_live *live = &unnumbered->live[place];
	const struct unnumbered_calls *most = NULL;
	char count[UNITS_BYTES];
	struct finding *finding;
	uint64_t left = live->live;

	for (size_t i = 0; i < unnumbered->call_count; i++) {
		const struct unnumbered_calls *calls = &unnumbered->calls[i];

		if (calls->live != place)
			continue;
		/* Its first was taken for one of these. */
		if (map_get(&unnumbered->known, calls->api->id) != MAP_NONE)
			left -= calls->count < left ? calls->count : left;
		else if (!most || calls->count > most->count)
			most = calls;
	}
	if (!most || left < LEFT_COUNT || 2 * left < live->made ||
	    left <= leaks_lost_calls(findings) || !growth_is_there(&live->growth))
		return 0;
	finding = findings_add(findings, "leaks", "object");
	if (!finding)
		return -ENOMEM;
	finding->always_report = true;
	finding->count = left;
	finding->object = most->api->name;
	finding->what = findings_text(findings, "%s objects, mainly from %s, were never released",
				      units_count(count, left), most->api->name);
	finding->confidence = CONFIDENCE_MEDIUM;
	finding->why = "that many more calls created one than released one, and their number grew "
		       "throughout the run";
	finding->suggestion =
		"release each when it is no longer needed, or create them once and use "
		"them again";
	finding_place(findings, finding, most->stream);
	finding_time(findings, finding, most->begin_ns, most->end_ns);
	return 0;
}

int unnumbered_add(const struct unnumbered *unnumbered, struct findings *findings)
{
	int status = 0;

	for (size_t i = 0; !status && i < unnumbered->call_count; i++) {
		const struct unnumbered_calls *calls = &unnumbered->calls[i];
		const struct unnumbered_live *live = &unnumbered->live[calls->live];

		if (calls->count >= LOOP_COUNT && live->most_live <= live->made / LOOP_LIVE_PART &&
		    map_get(&unnumbered->known, calls->api->id) == MAP_NONE)
			status = add_calls(findings, calls, live);
	}
	for (size_t i = 0; !status && leaks_are_seen(findings) && i < unnumbered->live_count; i++)
		status = add_left(unnumbered, findings, i);
	return status;
}

void unnumbered_free(struct unnumbered *unnumbered)
{
	map_free(&unnumbered->known);
	map_free(&unnumbered->calls_of);
	map_free(&unnumbered->live_of);
	free(unnumbered->calls);
	free(unnumbered->live);
}
