/* SPDX-License-Identifier: MIT */
/* An event's fields, one after another, as whoever shows them wants them: numbers
 * as numbers; enumerators and flags by name; objects as their numbers, with the
 * name of a kernel or a device beside (`kernel_name`); operation ids as
 * "thread:number"; sizes of a launch whole. One thread.
 *
 *	static const struct event_args_sink sink = {.value = add_value, ...};
 *	event_args_visit(&sink, user, &objects, session, event);
 */
#ifndef TANDEM_ANALYSIS_EVENTS_EVENT_ARGS_H
#define TANDEM_ANALYSIS_EVENTS_EVENT_ARGS_H

#include "trace/event.h"
#include "trace/objects.h"
#include "util/json.h"

enum event_arg_kind {
	EVENT_ARG_NONE, /* an object or an operation that is not known */
	EVENT_ARG_UNSIGNED,
	EVENT_ARG_SIGNED,
	EVENT_ARG_FLOAT,
	EVENT_ARG_HEX,	/* number: an address, or bits without names */
	EVENT_ARG_WORD, /* text: one of few */
	EVENT_ARG_TEXT, /* text: any bytes */
};

struct event_arg {
	enum event_arg_kind kind;
	uint64_t number;
	int64_t signed_number;
	double real;
	const char *text; /* not NUL-terminated */
	size_t length;
};

struct event_args_sink {
	/* `name` is NULL within an array. */
	void (*value)(void *user, const char *name, const struct event_arg *arg);
	void (*begin_array)(void *user, const char *name);
	void (*end_array)(void *user);
};

/* `objects` is where names are looked up, in the whole session if need be. A
 * value that memory did not suffice for is left out. */
void event_args_visit(const struct event_args_sink *sink, void *user, struct trace_objects *objects,
		      struct trace_session *session, const struct trace_event *event);

/* All of them as members of a JSON object that was begun. */
void event_args_json(struct json *json, struct trace_objects *objects,
		     struct trace_session *session, const struct trace_event *event);

#endif
