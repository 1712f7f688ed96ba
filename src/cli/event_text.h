/* One event as a line that a person reads: time since the session's start, how
 * long it took, where, and the call with its arguments by name. Descriptions of
 * objects are learned as they come by. One thread.
 *
 *	struct event_text view = {.session = &session, .colour = false};
 *	event_text_header(&view, &out);
 *	event_text_line(&view, &out, event);
 */
#ifndef TANDEM_CLI_EVENT_TEXT_H
#define TANDEM_CLI_EVENT_TEXT_H

#include <stdbool.h>

#include "trace/event.h"
#include "trace/objects.h"
#include "util/text.h"

struct event_text {
	struct trace_session *session;	/* borrowed */
	struct trace_objects *objects;	/* borrowed: names of kernels and devices */
	bool colour;
};

void event_text_header(const struct event_text *view, struct text *out);

/* With the line's end. Returns 0 or -ENOMEM (of the look-up of a name). */
int event_text_line(struct event_text *view, struct text *out, const struct trace_event *event);

#endif
