/* SPDX-License-Identifier: MIT */
#include "trace/session/session.h"

const struct trace_layouts *trace_session_layouts(struct trace_session *session,
						  enum tandem_args_level level)
{
	if (!session->layouts[level])
		session->layouts[level] = trace_layouts_create(&session->schema, level);
	if (session->layouts[level] && !session->event_count)
		session->event_count = trace_layouts_count(session->layouts[level]);
	return session->layouts[level];
}

const struct tandem_event *trace_session_event_at(const struct trace_session *session,
						  unsigned index)
{
	const struct trace_layouts *layouts = session->layouts[session->args_level];
	unsigned count = trace_layouts_count(layouts);

	return index < count ? layouts->all[index].event
			     : session->builtin->all[index - count].event;
}

uint64_t trace_session_duration_ns(struct trace_session *session)
{
	int64_t end = session->start_ns;

	/* Nothing is known of what came then. */
	if (session->run.has_end && session->run.stopped_monotonic_ns)
		end = (int64_t)session->run.stopped_monotonic_ns;
	else if (session->run.has_end && session->run.end_monotonic_ns)
		end = (int64_t)(session->run.end_monotonic_ns + session->outlived_ns);
	else if (session->last_ticks)
		end = trace_clock_ns(&session->clock, session->last_ticks);
	return end > session->start_ns ? (uint64_t)(end - session->start_ns) : 0;
}
