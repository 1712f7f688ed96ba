/* SPDX-License-Identifier: MIT */
/* What an event of LTTng's kernel tracer means, by its name and its fields'. One thread.
 *
 *	struct external_event to = {.kind = EXTERNAL_LOST};
 *	struct external_ctf_names names;
 *
 *	if (external_ctf_event(&to, event, &names, false))
 *		... what is told by names points into `names` or the event
 */
#ifndef TANDEM_TRACE_EXTERNAL_CTF_EVENT_H
#define TANDEM_TRACE_EXTERNAL_CTF_EVENT_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>

#include "trace/external/external_event.h"

struct external_ctf_names {
	char first[17], second[17];
};

/* Fills kind and what belongs to it; false: it means nothing to us. `messages`: those of
 * the network mean something too. */
bool external_ctf_event(struct external_event *to, const bt_event *event,
			struct external_ctf_names *names, bool messages);

#endif
