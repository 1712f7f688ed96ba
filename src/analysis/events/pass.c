#include "analysis/events/pass.h"

#include "analysis/events/event_iterator.h"
#include "trace/merge.h"

static int sweep_all(struct trace_session *session, const struct progress *progress,
		     sweep_fn *take, void *user)
{
	const struct trace_event *event;
	struct trace_merge merge;
	uint64_t events = 0;
	int status = trace_merge_open(&merge, session, 0);

	if (status)
		return status;
	while ((status = trace_merge_next(&merge, &event)) > 0) {
		status = take(user, event, NULL);
		if (status)
			break;
		if (++events % PROGRESS_EVENTS == 0)
			progress_tell(progress, trace_merge_read_bytes(&merge),
				      session->content_bytes);
	}
	trace_merge_close(&merge);
	return status;
}

static int sweep_placed(struct trace_session *session, const struct progress *progress,
			sweep_fn *take, void *user)
{
	const struct walk_item *item;
	struct walk walk;
	int status = walk_open(&walk, session, progress);

	if (status)
		return status;
	while ((status = walk_next(&walk, &item)) > 0) {
		bool command = item->kind == WALK_COMMAND || item->kind == WALK_UNFINISHED;

		status = take(user, item->event, command ? &item->command : NULL);
		if (status)
			break;
	}
	walk_close(&walk);
	return status;
}

int sweep(struct trace_session *session, const struct range *range,
	  const struct progress *progress, sweep_fn *take, void *user)
{
	return range_is_whole(range) ? sweep_all(session, progress, take, user)
				     : sweep_placed(session, progress, take, user);
}
