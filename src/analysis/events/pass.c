#include "analysis/events/pass.h"

#include "analysis/events/event_iterator.h"
#include "trace/merge.h"

static int pass_all(struct trace_session *session, const struct progress *progress, pass_fn *take,
		    void *user)
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

static int pass_placed(struct trace_session *session, const struct progress *progress,
		       pass_fn *take, void *user)
{
	const struct event_item *item;
	struct event_iterator iterator;
	int status = event_iterator_open(&iterator, session, progress);

	if (status)
		return status;
	while ((status = event_iterator_next(&iterator, &item)) > 0) {
		bool operation = item->kind == ITEM_OPERATION || item->kind == ITEM_UNFINISHED;

		status = take(user, item->event, operation ? &item->operation : NULL);
		if (status)
			break;
	}
	event_iterator_close(&iterator);
	return status;
}

int pass_run(struct trace_session *session, const struct range *range,
	     const struct progress *progress, pass_fn *take, void *user)
{
	return range_is_whole(range) ? pass_all(session, progress, take, user)
				     : pass_placed(session, progress, take, user);
}
