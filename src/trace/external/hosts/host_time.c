/* SPDX-License-Identifier: MIT */
#include "trace/external/hosts/host_time.h"

#include <sys/timex.h>

#include "trace/clockfit/clockfit.h"

static uint64_t drift_of(uint64_t ns)
{
	static const struct clockfit_options options = CLOCKFIT_DEFAULTS;

	return (uint64_t)((double)ns * (double)options.drift_ppm / 1e6) + 1;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
	return a > CLOCKFIT_UNBOUNDED - b ? CLOCKFIT_UNBOUNDED : a + b;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

void host_time_add(struct host_time *time, const struct tandem_rec_host_clock *record,
		   uint64_t offset_ns)
{
	uint64_t width_ns = record->until - record->begin;
	uint64_t at_ns = record->begin + width_ns / 2;
	uint64_t error_ns = sum(record->max_error_ns + 1000, width_ns / 2 + 1);

	if (record->until < record->begin || record->max_error_ns > INT64_MAX ||
	    (time->count && at_ns < time->last_ns))
		return;
	error_ns = sum(error_ns, distance(record->realtime_ns, at_ns + offset_ns));
	time->unsynchronised |= record->status & STA_UNSYNC || record->state == TIME_ERROR;
	if (!time->count) {
		time->first_ns = at_ns;
		time->first_error_ns = time->worst_ns = error_ns;
	} else {
		/* The two cones meet in the middle, or where the one covers the other. */
		uint64_t met_ns =
			sum(time->last_error_ns, sum(error_ns, drift_of(at_ns - time->last_ns))) /
			2;

		time->worst_ns = most(time->worst_ns, most(error_ns, met_ns));
	}
	time->last_ns = at_ns;
	time->last_error_ns = error_ns;
	time->count++;
}

uint64_t host_time_bound(const struct host_time *time, uint64_t from_ns, uint64_t until_ns)
{
	uint64_t bound_ns = time->worst_ns;

	if (!time->count || time->unsynchronised)
		return CLOCKFIT_UNBOUNDED;
	if (from_ns < time->first_ns)
		bound_ns = most(bound_ns,
				sum(time->first_error_ns, drift_of(time->first_ns - from_ns)));
	if (until_ns > time->last_ns)
		bound_ns = most(bound_ns,
				sum(time->last_error_ns, drift_of(until_ns - time->last_ns)));
	return bound_ns;
}
