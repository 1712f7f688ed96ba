/* SPDX-License-Identifier: MIT */
#include "cli/print/chronology.h"

#include <errno.h>
#include <unistd.h>

#include "analysis/events/ordered_events.h"
#include "cli/cli.h"
#include "cli/print/event_json.h"
#include "cli/record/phase.h"

#define WRITE_BYTES 65536u

/* What is kept of an event whose time is past the last wanted. */
static const char past_end[] = "";

struct chronology {
	const struct chronology_request *request;
	struct event_iterator iterator;
	struct event_text view;
	struct event_samples stacks;
	struct text out;
	/* A call whose begin was the latest event: if its end is the next, they
	 * share a line. */
	struct text held;
	size_t held_whole; /* bytes of the line that stands for both */
	uint64_t held_call;
	uint64_t printed;
};

/* A call's begin is kept in both ways in which it may be shown: the length of the
 * first, then the two. */
static void keep_begin(struct chronology *chronology, const struct event_item *item,
		       struct text *kept)
{
	uint32_t whole = 0;

	text_add(kept, (const char *)&whole, sizeof(whole));
	event_text_line(&chronology->view, kept, item->event, EVENT_WHOLE);
	whole = (uint32_t)(kept->length - sizeof(whole));
	if (!kept->failed)
		memcpy(kept->data, &whole, sizeof(whole));
	if (item->event->end_ticks)
		event_text_line(&chronology->view, kept, item->event, EVENT_BEGIN);
}

static void keep_text(struct chronology *chronology, enum ordered_event_kind kind, int64_t ns,
		      const struct event_item *item, struct text *kept)
{
	switch (kind) {
	case ORDERED_BEGIN:
		keep_begin(chronology, item, kept);
		break;
	case ORDERED_END:
		event_text_line(&chronology->view, kept, item->event, EVENT_END);
		break;
	case ORDERED_RECORD:
		event_text_line(&chronology->view, kept, item->event, EVENT_WHOLE);
		break;
	default:
		phase_text(&chronology->view, &chronology->iterator, kept, kind, ns, item);
	}
}

static void keep_json(struct chronology *chronology, enum ordered_event_kind kind, int64_t ns,
		      const struct event_item *item, struct text *kept)
{
	struct trace_objects *objects = chronology->view.objects;

	switch (kind) {
	case ORDERED_BEGIN:
	case ORDERED_END:
		event_json_call(objects, chronology->view.session, kept, item->event,
				kind == ORDERED_END, item->call);
		break;
	case ORDERED_RECORD:
		event_json_line(objects, chronology->view.session, &chronology->stacks, kept,
				item->event);
		break;
	default:
		phase_json(&chronology->iterator, kept, kind, ns, item);
	}
}

static int keep(void *user, enum ordered_event_kind kind, int64_t ns, const struct event_item *item,
		struct text *kept)
{
	struct chronology *chronology = user;
	struct filter *filter = chronology->request->filter;
	int64_t time = ns - chronology->view.session->start_ns;

	if (time >= filter->to_ns)
		text_add(kept, past_end, sizeof(past_end));
	else if (time < filter->from_ns ||
		 !filter_takes(filter, item->event, chronology->view.objects))
		return 0;
	else if (chronology->request->json)
		keep_json(chronology, kind, ns, item, kept);
	else
		keep_text(chronology, kind, ns, item, kept);
	return 0;
}

/* -ECANCELED: that was the last one. */
static int print(struct chronology *chronology, const char *line, size_t bytes)
{
	text_add(&chronology->out, line, bytes);
	if (++chronology->printed == chronology->request->limit)
		return -ECANCELED;
	return chronology->out.length < WRITE_BYTES ? 0 : reading_write(&chronology->out);
}

static int print_held(struct chronology *chronology, bool whole)
{
	size_t bytes = chronology->held_whole;
	int status;

	if (!chronology->held.length)
		return 0;
	status = whole ? print(chronology, chronology->held.data, bytes)
		       : print(chronology, chronology->held.data + bytes,
			       chronology->held.length - bytes);
	text_clear(&chronology->held);
	return status;
}

static int take_begin(struct chronology *chronology, const struct reorder_event *event)
{
	const char *lines = event->payload;
	uint32_t whole;

	memcpy(&whole, lines, sizeof(whole));
	lines += sizeof(whole);
	/* It has no end. */
	if (whole == event->bytes - sizeof(whole))
		return print(chronology, lines, whole);
	text_add(&chronology->held, lines, event->bytes - sizeof(whole));
	chronology->held_whole = whole;
	chronology->held_call = event->op;
	return chronology->held.failed ? -ENOMEM : 0;
}

static int take(void *user, const struct reorder_event *event)
{
	struct chronology *chronology = user;
	bool end = event->kind == ORDERED_END && chronology->held.length &&
		   chronology->held_call == event->op;
	int status;

	if (event->bytes == sizeof(past_end)) {
		status = print_held(chronology, false);
		return status ? status : -ECANCELED;
	}
	status = print_held(chronology, end);
	if (status || end)
		return status;
	if (event->kind == ORDERED_BEGIN && !chronology->request->json)
		return take_begin(chronology, event);
	return print(chronology, event->payload, event->bytes);
}

static int print_walk(struct chronology *chronology)
{
	static const struct ordered_events_ops ops = {.keep = keep, .take = take};
	const struct event_item *item;
	struct ordered_events ordered_events;
	int status = ordered_events_open(&ordered_events, &chronology->iterator, &ops, chronology);

	if (status)
		return status;
	while (!status) {
		int next = event_iterator_next(&chronology->iterator, &item);

		if (next <= 0) {
			status = next;
			break;
		}
		status = event_samples_feed(&chronology->stacks, item->event);
		if (!status)
			status = ordered_events_add(&ordered_events, item);
	}
	if (!status)
		status = ordered_events_finish(&ordered_events);
	if (!status)
		status = print_held(chronology, false);
	ordered_events_close(&ordered_events);
	return status == -ECANCELED ? 0 : status;
}

int chronology_print(struct reading *reading, const struct chronology_request *request)
{
	struct chronology chronology = {.request = request};
	struct progress progress = {.tell = reading_progress, .user = reading};
	int status = event_iterator_open(&chronology.iterator, &reading->session, &progress);

	if (status)
		return status;
	reading_progress_end(reading);
	/* From here on what is printed tells how far it is. */
	chronology.iterator.progress = NULL;
	chronology.view = (struct event_text){
		.session = &reading->session,
		.objects = &chronology.iterator.devices.objects,
		.stacks = &chronology.stacks,
		.colour = cli_colour(STDOUT_FILENO),
	};
	event_samples_init(&chronology.stacks);
	if (!request->json)
		event_text_header(&chronology.view, &chronology.out);
	status = print_walk(&chronology);
	if (!status)
		status = reading_write(&chronology.out);
	text_free(&chronology.out);
	text_free(&chronology.held);
	event_samples_free(&chronology.stacks);
	event_iterator_close(&chronology.iterator);
	return status;
}
