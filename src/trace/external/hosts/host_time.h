/* SPDX-License-Identifier: MIT */
/* How wrong a host's time of day can be, as its kernel said now and then (record host_clock):
 * its maximum error, and between two of them what its clock can gain or lose, CLOCKFIT's
 * drift_ppm. One thread.
 *
 *	struct host_time time = {.count = 0};
 *
 *	host_time_add(&time, &record, offset_ns);
 *	bound_ns = host_time_bound(&time, first_ns, last_ns);
 */
#ifndef TANDEM_TRACE_HOST_TIME_H
#define TANDEM_TRACE_HOST_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/gen/core_records.h"

struct host_time {
	uint64_t count;		    /* of what its kernel said */
	uint64_t first_ns, last_ns; /* when, on its CLOCK_MONOTONIC */
	uint64_t first_error_ns, last_error_ns;
	uint64_t worst_ns;   /* between these two moments */
	bool unsynchronised; /* it said so at least once: STA_UNSYNC */
};

/* In the order of time. `offset_ns` is what the trace has for CLOCK_MONOTONIC to the time of day:
 * where the clock was set since, that is the trace's error. */
void host_time_add(struct host_time *time, const struct tandem_rec_host_clock *record,
		   uint64_t offset_ns);

/* Of all moments of its CLOCK_MONOTONIC from the one to the other; CLOCKFIT_UNBOUNDED: its kernel
 * said nothing, or that nobody sets its clock. */
uint64_t host_time_bound(const struct host_time *time, uint64_t from_ns, uint64_t until_ns);

#endif
