/* SPDX-License-Identifier: MIT */
/* A command's queued, submitted, start and end, each as a line at its own time. The
 * thread is the one that enqueued it. One thread.
 *
 *	phase_text(&view, &iterator, &out, ORDERED_START, ns, item);
 */
#ifndef TANDEM_CLI_PHASE_H
#define TANDEM_CLI_PHASE_H

#include "analysis/events/ordered_events.h"
#include "cli/print/event_text.h"

/* The duration is the time since the phase before. */
void phase_text(struct event_text *view, struct event_iterator *iterator, struct text *out,
		enum ordered_event_kind kind, int64_t ns, const struct event_item *item);

void phase_json(struct event_iterator *iterator, struct text *out, enum ordered_event_kind kind,
		int64_t ns, const struct event_item *item);

#endif
