#include "analysis/report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/pass.h"
#include "analysis/operations/devices.h"
#include "analysis/operations/memory.h"
#include "analysis/report/builds.h"
#include "analysis/report/calls.h"
#include "analysis/report/clocks.h"
#include "analysis/report/engines_report.h"
#include "analysis/report/operation_stats.h"
#include "analysis/report/samples_report.h"
#include "analysis/report/totals.h"
#include "analysis/report/waits.h"
#include "schema/gen/core_records.h"

struct pass {
	struct trace_session *session;
	struct report *report;
	struct range range;
	struct calls calls;
	struct devices devices;
	struct operation_stats stats;
	struct memory memory;
	struct builds builds;
	struct waits waits;
	struct engines_report engines;
	struct samples samples;
	uint64_t lost[TANDEM_LOSS_COUNT]; /* as the streams say */
};

static void pass_lost(struct pass *pass, const struct trace_event *event)
{
	const struct tandem_rec_lost *record = (const void *)event->record;

	if (record->reason < TANDEM_LOSS_COUNT)
		pass->lost[record->reason] += record->count;
}

static int pass_record(struct pass *pass, const struct trace_event *event,
		       const struct operation *operation)
{
	switch (event->record->id) {
	case TANDEM_EVENT_operation:
		return operation_stats_add(&pass->stats, event, operation);
	case TANDEM_EVENT_clock_pair:
		return clock_sync_pair(&pass->stats.clock_sync, &pass->devices, event);
	case TANDEM_EVENT_memory:
	case TANDEM_EVENT_memory_free:
		return memory_add(&pass->memory, event);
	case TANDEM_EVENT_build:
		return builds_add(&pass->builds, pass->report, &pass->range, event);
	case TANDEM_EVENT_lost:
		pass_lost(pass, event);
		return 0;
	default:
		return trace_objects_learn(&pass->devices.objects, event);
	}
}

static int pass_kernel(struct pass *pass, const struct trace_event *event)
{
	pass->report->kernel_events += range_holds(&pass->range, event->ns);
	if (event->record->id == TANDEM_EVENT_lost)
		pass_lost(pass, event);
	if (waits_kernel(&pass->waits, event))
		return -ENOMEM;
	if (engines_report_add(&pass->engines, event))
		return -ENOMEM;
	return samples_consume(&pass->samples, event);
}

static int pass_event(void *user, const struct trace_event *event,
		      const struct operation *operation)
{
	struct pass *pass = user;
	bool counts;

	if (!event) {
		operation_stats_unfinished(&pass->stats, operation);
		return 0;
	}
	if (event->stream->process->kernel)
		return pass_kernel(pass, event);
	counts = range_holds(&pass->range, event->ns);
	pass->report->events += counts;
	pass->calls.threads[event->stream->index].events += counts;
	if (!trace_event_is_call(event))
		return pass_record(pass, event, operation);
	if (event->layout->op_offset && operation_stats_enqueued(&pass->stats, event))
		return -ENOMEM;
	if (event->layout->class == TANDEM_CLASS_WAIT &&
	    operation_stats_waited(&pass->stats, event))
		return -ENOMEM;
	if (pass->waits.any && waits_call(&pass->waits, event))
		return -ENOMEM;
	return calls_add(&pass->calls, event);
}

/* The control page counts every loss; a session without one has what the streams
 * say of theirs. */
static void pass_finish_losses(struct pass *pass)
{
	struct report *report = pass->report;

	for (unsigned i = 0; i < TANDEM_LOSS_COUNT; i++) {
		report->lost[i] = pass->session->has_control ? pass->session->lost[i]
							     : pass->lost[i];
		if (report->lost[i] < pass->lost[i])
			report->lost[i] = pass->lost[i];
		report->lost_total += report->lost[i];
	}
	if (pass->session->problems) {
		report->damaged_places = pass->session->problems->count;
		report->skipped_bytes = pass->session->problems->skipped_bytes;
	}
}

static int pass_finish(struct pass *pass)
{
	struct report *report = pass->report;
	struct devices *devices = &pass->devices;
	int status = 0;

	report->processes = pass->session->traced_count;
	/* Devices that were found and never used are idle, which is worth a row. */
	for (size_t i = 0; !status && i < devices->objects.device_count; i++) {
		const struct trace_device *device = &devices->objects.devices[i];
		uint32_t row;

		status = devices_of_known(devices, device->process, device->number,
					  device->domain, &row);
	}
	if (!status)
		status = devices_finish(devices, report);
	if (!status)
		status = operation_stats_finish(&pass->stats, report);
	if (!status)
		status = clocks_finish(&pass->stats.clock_sync, devices, pass->session, report);
	if (!status)
		status = memory_finish(&pass->memory, report);
	if (!status)
		status = calls_finish(&pass->calls, report);
	if (!status)
		status = waits_finish(&pass->waits, report);
	if (!status)
		status = totals_finish(report);
	if (!status)
		status = engines_report_finish(&pass->engines, report);
	if (!status)
		status = samples_report_finish(&pass->samples, report);
	if (!status)
		builds_finish(&pass->builds, report);
	pass_finish_losses(pass);
	return status;
}

/* A range may reach beyond the session on both sides: what lies between is shown. */
static void pass_range(struct pass *pass, const struct report_options *options)
{
	struct report *report = pass->report;
	int64_t from_ns = 0, to_ns;

	report->duration_ns = trace_session_duration_ns(pass->session);
	to_ns = (int64_t)report->duration_ns;
	pass->range = RANGE_WHOLE;
	report->ranged = options && options->ranged && !range_is_whole(&options->range);
	if (report->ranged) {
		from_ns = range_clamp(&options->range, from_ns);
		to_ns = range_clamp(&options->range, to_ns);
		pass->range = range_since(&options->range, pass->session->start_ns);
	}
	report->from_ns = (uint64_t)from_ns;
	report->to_ns = (uint64_t)to_ns;
	report->span_ns = to_ns > from_ns ? (uint64_t)(to_ns - from_ns) : 0;
	pass->calls.range = pass->range;
	pass->stats.range = pass->range;
	pass->memory.range = pass->range;
	pass->waits.range = pass->range;
	pass->waits.states.counted = pass->range;
	pass->engines.engines.range = pass->range;
	pass->samples.range = pass->range;
}

int report_make(struct report *report, struct trace_session *session,
		const struct report_options *options, struct error *error)
{
	struct pass *pass = calloc(1, sizeof(*pass));
	int status = pass ? 0 : -ENOMEM;

	memset(report, 0, sizeof(*report));
	if (!status) {
		pass->session = session;
		pass->report = report;
		devices_init(&pass->devices, session);
		memory_init(&pass->memory, &pass->devices);
		builds_init(&pass->builds, &pass->devices);
		status = calls_init(&pass->calls, session);
		if (!status && waits_init(&pass->waits, session)) {
			calls_free(&pass->calls);
			status = -ENOMEM;
		}
	}
	if (!status) {
		engines_report_init(&pass->engines, session, &pass->waits.states);
		status = operation_stats_init(&pass->stats, &pass->devices, session);
		pass_range(pass, options);
		if (!status)
			status = pass_run(session, &pass->range,
					  options ? &options->progress : NULL, pass_event, pass);
		if (!status)
			status = pass_finish(pass);
		operation_stats_free(&pass->stats);
		samples_free(&pass->samples);
		engines_report_free(&pass->engines);
		waits_free(&pass->waits);
		calls_free(&pass->calls);
		memory_free(&pass->memory);
		devices_free(&pass->devices);
	}
	free(pass);
	if (status) {
		report_free(report);
		error_add(error, status, "%s: %s", session->path, strerror(-status));
	}
	return status;
}

void report_free(struct report *report)
{
	arena_free(&report->arena);
	memset(report, 0, sizeof(*report));
}
