/* SPDX-License-Identifier: MIT */
#include "trace/operation.h"

#include "schema/gen/core_records.h"
#include "trace/session/session.h"

static uint64_t host_ns(struct trace_session *session, uint64_t ticks)
{
	int64_t ns = ticks ? trace_clock_ns(&session->clock, ticks) : 0;

	return ns > 0 ? (uint64_t)ns : 0;
}

bool trace_operation_times(struct trace_session *session, const struct tandem_rec_operation *record,
			   struct trace_operation_times *times)
{
	*times = (struct trace_operation_times){.queued = 0};
	if (!record->time_domain)
		return false;
	times->on_host = record->time_domain == TANDEM_TIME_DOMAIN_session_ticks;
	if (times->on_host) {
		times->queued = host_ns(session, record->queued);
		times->submitted = host_ns(session, record->submitted);
		times->start = host_ns(session, record->start);
		times->end = host_ns(session, record->end);
		times->waits = record->queued && record->submitted;
	} else {
		times->queued = record->queued;
		times->submitted = record->submitted;
		times->start = record->start;
		times->end = record->end;
		times->waits = record->queued && record->submitted;
	}
	return true;
}
