/* SPDX-License-Identifier: MIT */
#include "analysis/report/device/builds.h"

#include <errno.h>
#include <string.h>

#include "analysis/report/table.h"
#include "schema/gen/core_records.h"
#include "trace/field.h"
#include "util/order/compare.h"

void builds_init(struct builds *builds, struct devices *devices)
{
	memset(builds, 0, sizeof(*builds));
	builds->devices = devices;
}

static const char *build_text(struct report *report, const struct trace_event *event,
			      const char *field)
{
	size_t count = 0;
	const uint8_t *text =
		trace_field_elements(event, trace_field_find(event->layout, field), &count);
	const char *copy;

	if (count > REPORT_LOG_BYTES)
		count = REPORT_LOG_BYTES;
	copy = arena_copy(&report->arena, (const char *)text, count);
	return copy ? copy : "";
}

/* As the domain's calls call it, any of which returns such a code. */
static const char *status_name(const struct trace_session *session, unsigned domain, int64_t status)
{
	const char *name = NULL;

	for (size_t i = 0; !name && i < session->event_count; i++) {
		const struct tandem_event *event = trace_session_event_at(session, (unsigned)i);

		if (event && event->results &&
		    trace_session_domain_of(session, event->id) == domain)
			name = trace_name_find(event->results, status);
	}
	return name ? name : "";
}

/* Where to put it: a free place, or for a failed one that of a good one. */
static struct report_build *build_place(struct report *report, bool failed)
{
	if (!report->builds)
		report->builds =
			arena_alloc(&report->arena, REPORT_BUILDS * sizeof(*report->builds));
	if (!report->builds)
		return NULL;
	if (report->build_count < REPORT_BUILDS)
		return &report->builds[report->build_count++];
	for (size_t i = REPORT_BUILDS; failed && i-- > 0;) {
		if (!report->builds[i].status)
			return &report->builds[i];
	}
	return NULL;
}

int builds_add(struct builds *builds, struct report *report, const struct range *range,
	       const struct trace_event *event)
{
	static const char *const steps[] = {
		[TANDEM_BUILD_STEP_build] = "build",
		[TANDEM_BUILD_STEP_compile] = "compile",
		[TANDEM_BUILD_STEP_link] = "link",
	};
	const struct tandem_rec_build *record = (const void *)event->record;
	const struct trace_process *process = event->stream->process;
	struct trace_clock *clock = &process->session->clock;
	struct report_build *build;
	int64_t begin_ns = event->ns;
	uint64_t duration = 0;
	uint32_t device;

	/* Where it ended is where this record stands, at the latest. */
	if (record->begin && record->end > record->begin && record->end <= event->ticks)
		begin_ns = trace_clock_ns(clock, record->begin);
	if (!range_holds(range, begin_ns))
		return 0;
	if (begin_ns != event->ns)
		duration = (uint64_t)(trace_clock_ns(clock, record->end) - begin_ns);
	report->builds_total++;
	report->builds_failed += record->status != 0;
	report->builds_ns += duration;
	build = build_place(report, record->status != 0);
	if (!build)
		return report->builds ? 0 : -ENOMEM;
	if (devices_of_number(builds->devices, event, record->device, record->domain, &device))
		return -ENOMEM;
	builds->device[build - report->builds] = device;
	*build = (struct report_build){
		.domain = devices_domain(process->session, record->domain),
		.process = process->pid,
		.program = record->program,
		.step = record->step < 3 ? steps[record->step] : "unknown",
		.options = build_text(report, event, "options"),
		.status = record->status,
		.status_name = status_name(process->session, record->domain, record->status),
		.duration_ns = duration,
		.log = record->status ? build_text(report, event, "log") : "",
	};
	return 0;
}

/* Failed ones first, then the longest. */
static int build_compare(const void *a, const void *b)
{
	const struct report_build *left = a, *right = b;

	return COMPARE(!left->status, !right->status)
	       ?: COMPARE(right->duration_ns, left->duration_ns)
	       ?: COMPARE(left->process, right->process)
	       ?: COMPARE(left->program, right->program);
}

void builds_finish(struct builds *builds, struct report *report)
{
	for (size_t i = 0; i < report->build_count; i++)
		report->builds[i].device = builds->devices->rows[builds->device[i]].shown;
	table_sort(report->builds, report->build_count, sizeof(*report->builds), build_compare);
}
