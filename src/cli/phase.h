/* A command's queued, submitted, start and end, each as a line at its own time. The
 * thread is the one that enqueued it. One thread.
 *
 *	phase_text(&view, &walk, &out, CHRONICLE_START, ns, item);
 */
#ifndef TANDEM_CLI_PHASE_H
#define TANDEM_CLI_PHASE_H

#include "analysis/events/ordered_events.h"
#include "cli/event_text.h"

/* The duration is the time since the phase before. */
void phase_text(struct event_text *view, struct walk *walk, struct text *out,
		enum chronicle_kind kind, int64_t ns, const struct walk_item *item);

void phase_json(struct walk *walk, struct text *out, enum chronicle_kind kind, int64_t ns,
		const struct walk_item *item);

#endif
