/* An event's fields as members of a JSON object: by their names; objects as their
 * numbers, with the name of a kernel or a device beside (`kernel_name`);
 * enumerators and flags by name; operation ids as "thread:number". One thread.
 *
 *	json_begin_object(&json, "args");
 *	event_args_json(&json, &objects, session, event);
 *	json_end_object(&json);
 */
#ifndef TANDEM_ANALYSIS_EVENT_ARGS_H
#define TANDEM_ANALYSIS_EVENT_ARGS_H

#include "trace/event.h"
#include "trace/objects.h"
#include "util/json.h"

/* `objects` is where names are looked up, in the whole session if need be. */
void event_args_json(struct json *json, struct trace_objects *objects,
		     struct trace_session *session, const struct trace_event *event);

#endif
