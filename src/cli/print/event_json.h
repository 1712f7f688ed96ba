/* SPDX-License-Identifier: MIT */
/* One event as a JSON object on one line. Fields by their names; objects as
 * their numbers, with the name of a kernel or a device beside; enumerators and
 * flags by name; operation ids as "thread:number". One thread. */
#ifndef TANDEM_CLI_PRINT_EVENT_JSON_H
#define TANDEM_CLI_PRINT_EVENT_JSON_H

#include <stdbool.h>

#include "cli/print/event_sample.h"
#include "trace/event.h"
#include "trace/objects.h"
#include "util/text.h"

/* As it was recorded. */
void event_json_line(struct trace_objects *objects, struct trace_session *session,
		     const struct event_samples *stacks, struct text *out,
		     const struct trace_event *event);

/* In the order of time: a call's begin (with all of the above) or its end, with
 * the call's number in the session. */
void event_json_call(struct trace_objects *objects, struct trace_session *session, struct text *out,
		     const struct trace_event *event, bool end, uint64_t number);

#endif
