/* One event as a JSON object on one line. Fields by their names; objects as
 * their numbers, with the name of a kernel or a device beside; enumerators and
 * flags by name; operation ids as "thread:number". One thread. */
#ifndef TANDEM_CLI_EVENT_JSON_H
#define TANDEM_CLI_EVENT_JSON_H

#include "trace/event.h"
#include "trace/objects.h"
#include "util/text.h"

/* Returns 0 or -ENOMEM. */
int event_json_line(struct trace_objects *objects, struct trace_session *session,
		    struct text *out, const struct trace_event *event);

#endif
