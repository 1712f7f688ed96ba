/* SPDX-License-Identifier: MIT */
#include "analysis/report/clocks.h"

#include <errno.h>
#include <stdlib.h>

static struct report_clock session_row(const struct trace_session *session)
{
	const struct trace_clock *clock = &session->clock;

	return (struct report_clock){
		.source = session->ticks_monotonic ? "CLOCK_MONOTONIC" : "time-stamp counter",
		.domain = "core",
		.offset_ns = trace_clock_offset_ns(clock),
		.drift_ppm = trace_clock_drift_ppm(clock),
		.bound_ns = clock->error_ns,
		.best_ns = clock->error_ns,
		.segments = clock->line_count > 1 ? clock->line_count - 1 : 1,
		.constraints = clock->pair_count,
	};
}

/* At the segment's first moment. Its own point lies in the middle, where a drift
 * has moved the clocks apart by more than the bound. */
static int64_t first_offset(struct clockfit *fit, const struct clockfit_line *segment)
{
	double passed_ns = (double)(segment->begin_ns - segment->host_ns);
	int64_t device_ns =
		segment->device_ns + (int64_t)(passed_ns / (1 + segment->drift_ppm / 1e6));
	uint64_t bound_ns;
	int64_t host_ns;

	if (clockfit_to_host(fit, device_ns, &host_ns, &bound_ns))
		return segment->host_ns - segment->device_ns;
	return host_ns - device_ns;
}

/* The offset of the first segment, the greatest bound of all. */
static struct report_clock device_row(struct clockfit *fit, const struct devices *devices,
				      const struct device_row *device)
{
	struct clockfit_stats stats = clockfit_stats(fit);
	size_t count = 0;
	const struct clockfit_line *segments = clockfit_lines(fit, &count);
	struct report_clock row = {
		.source = device->shown,
		.domain = devices_domain(devices->session, device->domain),
		.bound_ns = count ? 0 : CLOCKFIT_UNBOUNDED,
		.best_ns = CLOCKFIT_UNBOUNDED,
		.segments = count,
		.constraints = stats.constraints,
		.outliers = stats.outliers,
	};

	for (size_t i = 0; i < count; i++) {
		if (segments[i].bound_ns > row.bound_ns)
			row.bound_ns = segments[i].bound_ns;
		if (segments[i].best_ns < row.best_ns)
			row.best_ns = segments[i].best_ns;
	}
	if (count) {
		row.drift_ppm = segments[0].drift_ppm;
		row.offset_ns = first_offset(fit, &segments[0]);
	}
	return row;
}

/* Its times are taken as they come, so they are off by what the fit says and by how
 * far that can be wrong. */
static void on_host_row(struct report_clock *row, const struct clockfit *fit)
{
	size_t count = 0;
	const struct clockfit_line *segments = clockfit_lines(fit, &count);

	row->bound_ns = count ? 0 : CLOCKFIT_UNBOUNDED;
	row->best_ns = CLOCKFIT_UNBOUNDED;
	row->offset_ns = 0;
	row->drift_ppm = 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t off = (uint64_t)llabs(segments[i].host_ns - segments[i].device_ns);

		if (segments[i].bound_ns >= CLOCKFIT_UNBOUNDED - off)
			row->bound_ns = CLOCKFIT_UNBOUNDED;
		else if (off + segments[i].bound_ns > row->bound_ns)
			row->bound_ns = off + segments[i].bound_ns;
		if (segments[i].best_ns < CLOCKFIT_UNBOUNDED - off &&
		    off + segments[i].best_ns < row->best_ns)
			row->best_ns = off + segments[i].best_ns;
	}
}

int clocks_finish(const struct clock_sync *clock_sync, const struct devices *devices,
		  const struct trace_session *session, struct report *report)
{
	report->clocks =
		arena_alloc(&report->arena, (clock_sync->count + 1) * sizeof(*report->clocks));
	if (!report->clocks)
		return -ENOMEM;
	report->clocks[report->clock_count++] = session_row(session);
	for (uint32_t i = 0; i < clock_sync->count; i++) {
		struct clockfit *fit = clock_sync->clocks[i].fit;

		if (!fit)
			continue;
		report->clocks[report->clock_count] = device_row(fit, devices, &devices->rows[i]);
		if (clock_sync_is_on_host(clock_sync, i))
			on_host_row(&report->clocks[report->clock_count], fit);
		report->clock_count++;
	}
	return 0;
}
