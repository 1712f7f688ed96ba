/* SPDX-License-Identifier: MIT */
#include "analysis/report/report_make.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/pass.h"
#include "analysis/operations/devices.h"
#include "analysis/operations/memory.h"
#include "analysis/report/clocks.h"
#include "analysis/report/device/builds.h"
#include "analysis/report/device/devices_report.h"
#include "analysis/report/device/engines_report.h"
#include "analysis/report/device/memory_report.h"
#include "analysis/report/device/operation_stats.h"
#include "analysis/report/host/activity_report.h"
#include "analysis/report/host/calls.h"
#include "analysis/report/host/ranges_report.h"
#include "analysis/report/host/samples_report.h"
#include "analysis/report/host/tasks_report.h"
#include "analysis/report/host/waits_report.h"
#include "analysis/report/hosts_report.h"
#include "analysis/report/totals.h"
#include "analysis/sched/states_consume.h"
#include "schema/gen/core_records.h"

struct maker { /* a report that is being made */
	struct trace_session *session;
	struct report *report;
	struct range range;
	struct calls calls;
	struct event_iterator *iterator; /* the pass's */
	struct operation_stats stats;
	struct builds builds;
	struct engines_report engines;
	struct ranges_report ranges;
	struct activity_report activity;
	struct tasks_report tasks;
	struct samples samples;
	uint64_t lost[TANDEM_LOSS_COUNT]; /* as the streams say */
};

static void take_lost(struct maker *maker, const struct trace_event *event)
{
	const struct tandem_rec_lost *record = (const void *)event->record;

	if (record->reason < TANDEM_LOSS_COUNT)
		maker->lost[record->reason] += record->count;
}

static int __attribute__((noinline))
take_linux_any(struct maker *maker, const struct trace_event *event)
{
	if (event->record->id == TANDEM_EVENT_lost)
		take_lost(maker, event);
	if (engines_report_add(&maker->engines, event))
		return -ENOMEM;
	return samples_consume(&maker->samples, event);
}

static inline int take_linux(struct maker *maker, const struct trace_event *event)
{
	maker->report->kernel_events += range_holds(&maker->range, event->ns);
	return states_only(event) ? 0 : take_linux_any(maker, event);
}

static int __attribute__((noinline)) take_call(struct maker *maker, const struct event_item *item)
{
	const struct trace_event *event = item->event;

	if (ranges_report_add(&maker->ranges, item))
		return -ENOMEM;
	if (event->layout->op_offset && operation_stats_enqueued(&maker->stats, event))
		return -ENOMEM;
	if (event->layout->class == TANDEM_CLASS_TASK && tasks_report_call(&maker->tasks, event))
		return -ENOMEM;
	return calls_add(&maker->calls, event);
}

static int take_record(struct maker *maker, const struct event_item *item)
{
	const struct trace_event *event = item->event;

	switch (item->kind) {
	case ITEM_OPERATION:
		if (item->operation.node && tasks_report_operation(&maker->tasks, &item->operation))
			return -ENOMEM;
		return operation_stats_add(&maker->stats, &item->operation, event->stream->index,
					   !maker->iterator->matcher.in_flight);
	case ITEM_BUILD:
		return builds_add(&maker->builds, maker->report, &maker->range, event);
	case ITEM_LOST:
		take_lost(maker, event);
		return 0;
	case ITEM_OTHER:
		return activity_report_add(&maker->activity, event);
	default:
		return 0;
	}
}

static int __attribute__((noinline)) take_any(struct maker *maker, const struct event_item *item)
{
	if (item->kind == ITEM_UNFINISHED) {
		if (ranges_report_add(&maker->ranges, item))
			return -ENOMEM;
		operation_stats_unfinished(&maker->stats, &item->operation);
		return 0;
	}
	calls_other(&maker->calls, item->event);
	return ranges_report_add(&maker->ranges, item) ? -ENOMEM : take_record(maker, item);
}

/* Most are calls that are counted and nothing else. It saves no registers: who needs some is
 * a function of its own. */
static int take_item(void *user, const struct event_item *item)
{
	struct maker *maker = user;

	if (item->kind == ITEM_CALL)
		return item->event->layout->is_plain ? calls_add(&maker->calls, item->event)
						     : take_call(maker, item);
	return item->system ? take_linux(maker, item->event) : take_any(maker, item);
}

/* The control page counts every loss; a session without one has what the streams
 * say of theirs. */
static void finish_losses(struct maker *maker)
{
	struct report *report = maker->report;

	for (unsigned i = 0; i < TANDEM_LOSS_COUNT; i++) {
		report->lost[i] =
			maker->session->has_control ? maker->session->lost[i] : maker->lost[i];
		if (report->lost[i] < maker->lost[i])
			report->lost[i] = maker->lost[i];
		report->lost_total += report->lost[i];
	}
	if (maker->session->problems) {
		report->damaged_places = maker->session->problems->count;
		report->skipped_bytes = maker->session->problems->skipped_bytes;
	}
}

static int finish(void *user, struct pass *pass)
{
	struct devices *devices = &pass->iterator.devices;
	struct maker *maker = user;
	struct report *report = maker->report;
	int status = 0;

	report->processes = maker->session->traced_count;
	for (size_t i = 0; i < maker->session->stream_count; i++)
		report->events += maker->calls.threads[i].calls + maker->calls.threads[i].others;
	/* Devices that were found and never used are idle, which is worth a row. */
	for (size_t i = 0; !status && i < devices->objects.device_count; i++) {
		const struct trace_device *device = &devices->objects.devices[i];
		uint32_t row;

		status = devices_of_known(devices, device->process, device->number, device->domain,
					  &row);
	}
	if (!status)
		status = devices_report_finish(devices, report);
	if (!status)
		status = operation_stats_finish(&maker->stats, report);
	if (!status)
		status = ranges_report_finish(&maker->ranges, report);
	if (!status)
		status = activity_report_finish(&maker->activity, report);
	if (!status)
		status = tasks_report_finish(&maker->tasks, report);
	if (!status)
		status = hosts_report_finish(maker->session, report);
	if (!status)
		status = clocks_finish(&pass->iterator.clock_sync, devices, maker->session, report);
	if (!status)
		status = memory_report_finish(&pass->iterator.memory, report);
	if (!status)
		status = calls_finish(&maker->calls, report);
	if (!status)
		status = waits_report_finish(&pass->waits, report);
	if (!status)
		status = totals_finish(report);
	if (!status)
		status = engines_report_finish(&maker->engines, report);
	if (!status)
		status = samples_report_finish(&maker->samples, report);
	if (!status)
		builds_finish(&maker->builds, report);
	finish_losses(maker);
	return status;
}

/* A range may reach beyond the session on both sides: what lies between is shown. */
static void set_range(struct maker *maker, const struct report_options *options)
{
	struct report *report = maker->report;
	int64_t from_ns = 0, to_ns;

	report->duration_ns = trace_session_duration_ns(maker->session);
	to_ns = (int64_t)report->duration_ns;
	maker->range = RANGE_WHOLE;
	report->ranged = options && options->ranged && !range_is_whole(&options->range);
	if (report->ranged) {
		from_ns = range_clamp(&options->range, from_ns);
		to_ns = range_clamp(&options->range, to_ns);
		maker->range = range_since(&options->range, maker->session->start_ns);
	}
	report->from_ns = (uint64_t)from_ns;
	report->to_ns = (uint64_t)to_ns;
	report->span_ns = to_ns > from_ns ? (uint64_t)(to_ns - from_ns) : 0;
	maker->calls.range = maker->range;
	maker->calls.whole = range_is_whole(&maker->range);
	maker->samples.range = maker->range;
}

static int begin(void *user, struct pass *pass)
{
	struct maker *maker = user;

	maker->iterator = &pass->iterator;
	builds_init(&maker->builds, &pass->iterator.devices);
	activity_report_init(&maker->activity, &pass->iterator.devices, &maker->range);
	tasks_report_init(&maker->tasks, &pass->iterator.tasks, &maker->range);
	engines_report_init(&maker->engines, pass->session, &pass->waits.states);
	maker->engines.engines.range = maker->range;
	if (ranges_report_init(&maker->ranges, pass->session, &maker->range))
		return -ENOMEM;
	return operation_stats_init(&maker->stats, &pass->iterator.devices, pass->session,
				    &maker->range);
}

static void maker_free(void *user)
{
	struct maker *maker = user;

	operation_stats_free(&maker->stats);
	ranges_report_free(&maker->ranges);
	activity_report_free(&maker->activity);
	tasks_report_free(&maker->tasks);
	samples_free(&maker->samples);
	engines_report_free(&maker->engines);
	calls_free(&maker->calls);
	free(maker);
}

int report_join(struct pass *pass, struct report *report, const struct report_options *options)
{
	static const struct pass_consumer consumer = {
		.begin = begin,
		.item = take_item,
		.end = finish,
		.free = maker_free,
	};
	struct maker *maker = calloc(1, sizeof(*maker));

	memset(report, 0, sizeof(*report));
	if (!maker)
		return -ENOMEM;
	maker->session = pass->session;
	maker->report = report;
	if (calls_init(&maker->calls, pass->session)) {
		free(maker);
		return -ENOMEM;
	}
	set_range(maker, options);
	pass->range = maker->range;
	pass->with_waits = true;
	pass->flags |= EVENT_HOST_BOUNDS | (report->ranged ? EVENT_PLACED : 0);
	pass_join(pass, &consumer, maker);
	return 0;
}

int report_make(struct report *report, struct trace_session *session,
		const struct report_options *options, struct error *error)
{
	struct pass pass;
	int status;

	pass_init(&pass, session, options ? &options->progress : NULL);
	status = pass_run_alone(&pass, report_join(&pass, report, options), error);
	if (status)
		report_free(report);
	return status;
}
