/* Goes once through a session in the order of time, for whoever counts: every event,
 * with word of how far it is. Where the caller counts a stretch of time only, it
 * must know when commands were executing on the host's clock: then each event that
 * ends a command comes together with the command, placed, for which a pass is made
 * before (walk.h). One thread.
 *
 *	static int take(void *user, const struct trace_event *event,
 *			const struct operation *command);
 *
 *	status = pass_run(session, &range, &progress, take, &counts);
 */
#ifndef TANDEM_ANALYSIS_EVENTS_PASS_H
#define TANDEM_ANALYSIS_EVENTS_PASS_H

#include "analysis/events/progress.h"
#include "analysis/events/range.h"
#include "analysis/operations/operations.h"
#include "trace/event.h"

/* `command` is NULL of events that end none, and where all of the session is counted;
 * `event` is NULL of commands whose end was never seen, which come last, and only in
 * a range. Returns 0, or -errno, which ends the sweep. */
typedef int pass_fn(void *user, const struct trace_event *event, const struct operation *operation);

/* Returns 0, -ENOMEM, or what `take` returned. `progress` may be NULL. */
int pass_run(struct trace_session *session, const struct range *range,
	     const struct progress *progress, pass_fn *take, void *user);

#endif
