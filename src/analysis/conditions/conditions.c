/* SPDX-License-Identifier: MIT */
#include "analysis/conditions/conditions.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/event_iterator.h"
#include "schema/gen/annotation_records.h"
#include "util/hash.h"
#include "util/units.h"

/* After so long a stream's place is forgotten: a look never goes back so far. */
#define PLACES_NS INT64_C(10000000000)
#define KNOWN (UINT64_C(1) << 63)

_Static_assert(CONDITIONS_MOST <= 32, "a bit for each");

int conditions_init(struct conditions *conditions, const struct condition *list, size_t count)
{
	*conditions = (struct conditions){.list = list, .count = count};
	conditions->states = calloc(count, sizeof(*conditions->states));
	for (size_t i = 0; i < count; i++)
		conditions->kinds |= 1u << list[i].kind;
	return conditions->states ? 0 : -ENOMEM;
}

void conditions_free(struct conditions *conditions)
{
	free(conditions->states);
	map_free(&conditions->places[0]);
	map_free(&conditions->places[1]);
	map_free(&conditions->open);
	map_free(&conditions->next_open);
	open_ranges_free(&conditions->ranges);
	*conditions = (struct conditions){.list = NULL};
}

/* The same at each look. */
static uint64_t process_key(const struct trace_event *event)
{
	uint64_t key = HASH_START;

	hash_number(&key, event->stream->process->pid);
	hash_number(&key, event->stream->process->instance);
	return key;
}

static uint64_t stream_key(const struct trace_event *event)
{
	uint64_t key = process_key(event);

	hash_number(&key, event->stream->number);
	return key;
}

static uint64_t call_key(uint64_t stream, const struct trace_event *event)
{
	hash_number(&stream, event->ticks);
	return stream;
}

/* Notes a value, if it is past the bound. True: it is. */
static bool judge(struct conditions *conditions, size_t i, int64_t value_ns, bool open,
		  struct condition_match **match)
{
	const struct condition *condition = &conditions->list[i];
	struct condition_state *state = &conditions->states[i];
	int64_t bound_ns = condition->bound_ns, median_ns = 0;

	if (condition->factor > 0) {
		if (state->median.count >= RUNNING_MEDIAN_LEAST)
			median_ns = running_median_get(&state->median);
		bound_ns = median_ns ? (int64_t)(condition->factor * (double)median_ns) : INT64_MAX;
		if (!open)
			running_median_add(&state->median, value_ns);
	}
	*match = &state->match;
	if (value_ns <= bound_ns)
		return false;
	(*match)->count++;
	if ((*match)->count > 1 && (*match)->value_ns >= value_ns)
		return true;
	(*match)->value_ns = value_ns;
	(*match)->median_ns = median_ns;
	(*match)->open = open;
	(*match)->ns = INT64_MIN; /* to be filled in */
	return true;
}

static void describe(struct condition_match *match, int64_t ns, uint64_t pid, uint32_t tid,
		     const char *name)
{
	match->ns = ns;
	match->pid = pid;
	match->tid = tid;
	snprintf(match->name, sizeof(match->name), "%s", name);
}

static uint32_t conditions_of(const struct conditions *conditions, enum condition_kind kind,
			      const char *name)
{
	uint32_t found = 0;

	for (size_t i = 0; i < conditions->count; i++)
		if (conditions->list[i].kind == kind && condition_names(&conditions->list[i], name))
			found |= 1u << i;
	return found;
}

/* Those on the durations of a call, which are looked for once of each function. */
static uint32_t conditions_on(struct conditions *conditions, const struct trace_event *event)
{
	uint64_t *wanted = &conditions->wanted[event->layout->index];

	if (!*wanted)
		*wanted = KNOWN |
			  conditions_of(conditions, CONDITION_CALL, event->layout->event->name);
	return (uint32_t)*wanted;
}

static void note_error(struct conditions *conditions, const struct trace_event *event,
		       const struct tandem_event *api, int32_t code, const char *name)
{
	const struct tandem_names *names = api ? api->results : NULL;

	for (size_t i = 0; i < conditions->count; i++) {
		struct condition_match *match = &conditions->states[i].match;

		if (conditions->list[i].kind != CONDITION_ERROR ||
		    !condition_names(&conditions->list[i], api ? api->name : name) ||
		    match->count++)
			continue;
		describe(match, event->ns, event->stream->process->pid, event->tid,
			 api ? api->name : name);
		match->code = code;
		*match->code_name = '\0';
		for (uint32_t n = 0; names && n < names->count; n++)
			if (names->names[n].value == code)
				snprintf(match->code_name, sizeof(match->code_name), "%s",
					 names->names[n].name);
	}
}

/* `reported`: the conditions that were true of it before it returned. */
static int look_call(struct conditions *conditions, const struct trace_event *event, uint64_t key,
		     uint32_t reported)
{
	uint32_t left = conditions_on(conditions, event);
	bool open = !event->end_ticks;
	int64_t value_ns = (open ? conditions->now_ns : event->end_ns) - event->ns;
	struct condition_match *match;

	if (trace_event_failed(event))
		note_error(conditions, event, event->layout->event, trace_event_result(event), "");
	for (; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left);

		if (reported >> i & 1) {
			/* Its duration is known now; that it is long was said. */
			if (!open && conditions->list[i].factor > 0)
				running_median_add(&conditions->states[i].median, value_ns);
			continue;
		}
		if (!judge(conditions, i, value_ns, open, &match))
			continue;
		reported |= open ? 1u << i : 0;
		if (match->ns == INT64_MIN)
			describe(match, event->ns, event->stream->process->pid, event->tid,
				 event->layout->event->name);
	}
	return open ? map_set(&conditions->next_open, key, reported) : 0;
}

static void look_operation(struct conditions *conditions, const struct event_item *item)
{
	const struct operation *operation = &item->operation;
	const struct trace_operation_times *times = &operation->device_times;
	const struct trace_event *event = item->event;
	struct condition_match *match;
	uint32_t left = 0;

	if (operation->record->status < 0)
		note_error(conditions, event,
			   trace_session_event(conditions->session, operation->api),
			   operation->record->status, operation->name);
	if (operation->kind == TANDEM_OPERATION_KIND_kernel && operation->record->time_domain &&
	    times->end >= times->start)
		left = conditions_of(conditions, CONDITION_KERNEL, operation->name);
	for (; left; left &= left - 1)
		if (judge(conditions, (size_t)__builtin_ctz(left),
			  (int64_t)(times->end - times->start), false, &match) &&
		    match->ns == INT64_MIN)
			describe(match, event->ns, event->stream->process->pid, event->tid,
				 operation->name);
}

static void range_judge(struct conditions *conditions, struct open_range *range, int64_t end_ns,
			bool open)
{
	uint32_t left = conditions_of(conditions, CONDITION_RANGE, range->name);
	struct condition_match *match;

	for (; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left);

		if (range->reported >> i & 1) {
			if (!open && conditions->list[i].factor > 0)
				running_median_add(&conditions->states[i].median,
						   end_ns - range->begin_ns);
			continue;
		}
		if (!judge(conditions, i, end_ns - range->begin_ns, open, &match))
			continue;
		range->reported |= 1u << i;
		if (match->ns == INT64_MIN)
			describe(match, range->begin_ns, range->pid, range->tid, range->name);
	}
}

static int range_begin(struct conditions *conditions, const struct trace_event *event)
{
	const struct tandem_annotation_range *record = (const void *)event->record;
	bool nested = record->kind == TANDEM_ANNOTATION_KIND_nested;
	struct open_range range = {
		.owner = nested ? stream_key(event) : process_key(event),
		.number = nested ? 0 : record->range,
		.scope = record->scope,
		.pid = event->stream->process->pid,
		.tid = event->tid,
		.begin_ns = event->ns,
	};

	if (record->kind == TANDEM_ANNOTATION_KIND_marker)
		return 0;
	return open_ranges_begin(&conditions->ranges, &range, (const char *)(record + 1),
				 record->text_count);
}

static void range_end(struct conditions *conditions, const struct trace_event *event)
{
	const struct tandem_annotation_range_end *record = (const void *)event->record;
	uint64_t owner = record->range ? process_key(event) : stream_key(event);
	struct open_range range;

	if (open_ranges_end(&conditions->ranges, owner, record->scope, record->range, &range))
		range_judge(conditions, &range, event->ns, false);
}

static int look_record(struct conditions *conditions, const struct trace_event *event)
{
	if (!(conditions->kinds >> CONDITION_RANGE & 1))
		return 0;
	switch (event->record->id) {
	case TANDEM_ANNOTATION_EVENT_range:
		return range_begin(conditions, event);
	case TANDEM_ANNOTATION_EVENT_range_end:
		range_end(conditions, event);
		return 0;
	default:
		return 0;
	}
}

/* Whether the event was there at the last look, and what that had of it: of a call that had not
 * returned then, the conditions that were true. */
static int place_take(struct conditions *conditions, const struct trace_event *event,
		      uint64_t stream, uint64_t call, bool *is_new, uint32_t *reported)
{
	uint64_t place = map_get(&conditions->places[0], stream), open;

	if (place == MAP_NONE)
		place = map_get(&conditions->places[1], stream);
	open = trace_event_is_call(event) ? map_get(&conditions->open, call) : MAP_NONE;
	*reported = open != MAP_NONE ? (uint32_t)open : 0;
	*is_new = open != MAP_NONE || place == MAP_NONE || event->ticks > place;
	if (!*is_new)
		return 0;
	if (place == MAP_NONE || event->ticks > place)
		place = event->ticks;
	return map_set(&conditions->places[0], stream, place);
}

static int look_item(struct conditions *conditions, const struct event_item *item)
{
	const struct trace_event *event = item->event;
	uint64_t stream, call;
	uint32_t reported;
	bool is_new;
	int status;

	if (!event || item->system)
		return 0;
	stream = stream_key(event);
	call = call_key(stream, event);
	status = place_take(conditions, event, stream, call, &is_new, &reported);
	if (status || !is_new)
		return status;
	conditions->events++;
	switch (item->kind) {
	case ITEM_CALL:
		return look_call(conditions, event, call, reported);
	case ITEM_OPERATION:
		look_operation(conditions, item);
		return 0;
	default:
		return look_record(conditions, event);
	}
}

static void look_losses(struct conditions *conditions)
{
	uint64_t lost = 0, before = conditions->lost;

	for (unsigned i = 0; i < TANDEM_LOSS_COUNT; i++)
		lost += conditions->session->lost[i];
	conditions->lost = lost;
	for (size_t i = 0; lost > before && i < conditions->count; i++) {
		if (conditions->list[i].kind != CONDITION_LOSS)
			continue;
		conditions->states[i].match.count = 1;
		conditions->states[i].match.value_ns = (int64_t)(lost - before);
		conditions->states[i].match.ns = conditions->now_ns;
	}
}

static void places_turn(struct conditions *conditions)
{
	struct map older = conditions->places[1];

	if (conditions->now_ns - conditions->turned_ns < PLACES_NS)
		return;
	conditions->turned_ns = conditions->now_ns;
	conditions->places[1] = conditions->places[0];
	map_clear(&older);
	conditions->places[0] = older;
}

static int look_events(struct conditions *conditions)
{
	struct event_iterator iterator;
	const struct event_item *item;
	int status = event_iterator_open_with(&iterator, conditions->session, 0, NULL);

	if (status)
		return status;
	while ((status = event_iterator_next(&iterator, &item)) > 0) {
		status = look_item(conditions, item);
		if (status)
			break;
	}
	event_iterator_close(&iterator);
	return status;
}

int conditions_look(struct conditions *conditions, struct trace_session *session, int64_t now_ns,
		    bool overwritten)
{
	struct map open = conditions->open;
	int status;

	conditions->session = session;
	conditions->now_ns = now_ns;
	conditions->events = 0;
	for (size_t i = 0; i < conditions->count; i++)
		conditions->states[i].match.count = 0;
	places_turn(conditions);
	/* Whether a range that has begun was ended is not known any more. */
	if (overwritten)
		open_ranges_clear(&conditions->ranges);
	conditions->wanted = calloc(session->event_count + 1u, sizeof(*conditions->wanted));
	if (!conditions->wanted)
		return -ENOMEM;
	status = look_events(conditions);
	free(conditions->wanted);
	for (size_t i = 0; i < conditions->ranges.count; i++)
		range_judge(conditions, &conditions->ranges.of[i], now_ns, true);
	look_losses(conditions);
	conditions->open = conditions->next_open;
	map_clear(&open);
	conditions->next_open = open;
	return status;
}

static void add_duration(struct text *text, const struct condition_match *match)
{
	char value[UNITS_BYTES], median[UNITS_BYTES];

	text_escape(text, match->name, strlen(match->name));
	text_format(text, match->open ? " had taken %s and was not over" : " took %s",
		    units_ns(value, (double)match->value_ns));
	if (match->median_ns)
		text_format(text, " (median %s)", units_ns(median, (double)match->median_ns));
}

void condition_match_text(struct text *text, const struct condition *condition,
			  const struct condition_match *match)
{
	char number[UNITS_BYTES];

	switch (condition->kind) {
	case CONDITION_LOSS:
		text_format(text, "%s lost", units_count(number, (uint64_t)match->value_ns));
		return;
	case CONDITION_ERROR:
		text_format(text, "%s ended with %" PRId32, match->name, match->code);
		if (*match->code_name)
			text_format(text, " (%s)", match->code_name);
		break;
	default:
		add_duration(text, match);
	}
	text_format(text, ", thread %" PRIu32 " of process %" PRIu64, match->tid, match->pid);
}
