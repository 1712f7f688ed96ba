/* SPDX-License-Identifier: MIT */
/* A device's clock and ours at one moment, where the driver can read its own
 * (clGetDeviceAndHostTimer: OpenCL 2.1, optional in 3.0, section 4.3): one more
 * thing to fit the clock with. The driver's host clock is of no use: which one it
 * is, nobody says. */
#include "domains/opencl/timer.h"

#include <stdbool.h>

#include "core/call/call.h"
#include "domains/opencl/cl.h"
#include "domains/opencl/gen/next.h"
#include "domains/opencl/query.h"
#include "schema/gen/core_records.h"

#define TRIES 3
#define PERIODS_A_SECOND 10

struct reading {
	uint64_t device_ns, begin, end; /* ticks around it */
};

/* Not found out by trying: the table of an older driver has nothing there, and the
 * loader would jump to it. */
static bool device_has(void *device)
{
	void *platform = (void *)(uintptr_t)opencl_info_u64(opencl_next.clGetDeviceInfo, device,
							    CL_DEVICE_PLATFORM);

	return opencl_next.clGetDeviceAndHostTimer && platform &&
	       opencl_info_u64(opencl_next.clGetPlatformInfo, platform,
			       CL_PLATFORM_HOST_TIMER_RESOLUTION);
}

/* The sharpest of a few; false: the driver has none to give. */
static bool timer_read(void *device, struct reading *best)
{
	*best = (struct reading){.end = UINT64_MAX};
	for (int i = 0; i < TRIES; i++) {
		struct reading reading;
		uint64_t host_ns;

		reading.begin = tandem_ticks();
		if (opencl_next.clGetDeviceAndHostTimer(device, &reading.device_ns, &host_ns))
			return false;
		reading.end = tandem_ticks();
		if (reading.end - reading.begin < best->end - best->begin)
			*best = reading;
	}
	return true;
}

static bool pair_write(struct opencl_timer *timer)
{
	struct tandem_rec_clock_pair *record;
	struct reading reading;
	uint32_t number;

	if (!timer_read(timer->device, &reading))
		return false;
	number = tandem_object_number(TANDEM_KIND(opencl, device), timer->device);
	record = tandem_record_begin(TANDEM_EVENT_clock_pair, sizeof(*record));
	if (!record)
		return true;
	record->device = number;
	record->domain = TANDEM_DOMAIN_opencl;
	record->device_ns = reading.device_ns;
	record->begin = reading.begin;
	record->until = reading.end;
	tandem_record_commit();
	return true;
}

void opencl_timer_start(struct opencl_timer *timer, void *device)
{
	timer->device = device;
	atomic_store_explicit(&timer->due, device_has(device) ? 0 : OPENCL_TIMER_NONE,
			      memory_order_relaxed);
	opencl_timer_look(timer, tandem_ticks());
}

void opencl_timer_read(struct opencl_timer *timer, uint64_t now)
{
	uint64_t due = now + tandem_control.ticks_hz / PERIODS_A_SECOND;

	/* Other threads need not read it as well. */
	atomic_store_explicit(&timer->due, due, memory_order_relaxed);
	if (!pair_write(timer))
		atomic_store_explicit(&timer->due, OPENCL_TIMER_NONE, memory_order_relaxed);
}
