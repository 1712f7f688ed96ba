/* SPDX-License-Identifier: MIT */
#include "domains/hsa/flight.h"

#include "core/pool.h"
#include "core/stream/stream.h"
#include "domains/hsa/abi.h"
#include "domains/hsa/attach/runtime.h"
#include "domains/hsa/clock.h"
#include "domains/hsa/functions.h"
#include "domains/hsa/gen/ids.h"
#include "domains/hsa/state.h"
#include "schema/gen/core_records.h"

/* One whose signal can be used again has it, one that was never used has none: so items
 * that were used are in a pool of their own. */
static struct tandem_pool fresh = TANDEM_POOL(sizeof(struct hsa_flight) + sizeof(void *));
static struct tandem_pool used = TANDEM_POOL(sizeof(struct hsa_flight) + sizeof(void *));
static _Atomic int64_t used_count;

struct item { /* the first word is the pool's */
	void *pool;
	struct hsa_flight flight;
};

static struct hsa_flight *item_take(void)
{
	struct item *item = NULL;

	if (atomic_fetch_sub(&used_count, 1) > 0) {
		item = tandem_pool_take(&used);
		if (item)
			return &item->flight;
	}
	atomic_fetch_add(&used_count, 1);
	item = tandem_pool_take(&fresh);
	if (!item)
		return NULL;
	item->flight.signal = 0;
	return &item->flight;
}

static void item_give(struct hsa_flight *flight)
{
	struct item *item = (struct item *)(void *)((uint8_t *)flight - sizeof(void *));

	tandem_pool_give(&used, item);
	atomic_fetch_add(&used_count, 1);
}

static bool signal_set(struct hsa_flight *flight)
{
	uint32_t now = hsa_runtime_generation();

	if (flight->signal && flight->generation == now) {
		HSA_CALL(hsa_signal_store_relaxed, void, (uint64_t, int64_t))(flight->signal, 1);
		return true;
	}
	flight->generation = now;
	return !HSA_CALL(hsa_signal_create, int32_t, (int64_t, uint32_t, const void *, uint64_t *))(
		1, 0, NULL, &flight->signal);
}

struct hsa_flight *hsa_flight_begin(uint64_t original)
{
	struct hsa_flight *flight = item_take();

	if (!flight)
		return NULL;
	if (!signal_set(flight)) {
		flight->signal = 0;
		item_give(flight);
		tandem_notice(TANDEM_DOMAIN_hsa, TANDEM_HSA_NOTICE_lost_signal);
		return NULL;
	}
	flight->original = original;
	return flight;
}

void hsa_flight_cancel(struct hsa_flight *flight)
{
	/* Its handler is waiting for the signal: one that nobody gets has it no more. */
	flight->original = 0;
	flight->op = 0;
	HSA_CALL(hsa_signal_store_relaxed, void, (uint64_t, int64_t))(flight->signal, 0);
}

static bool times_of(const struct hsa_flight *flight, struct hsa_times *times)
{
	bool found;

	*times = (struct hsa_times){0, 0};
	if (flight->is_copy)
		found = hsa_has(HSA_ID_hsa_amd_profiling_get_async_copy_time) &&
			!HSA_CALL(hsa_amd_profiling_get_async_copy_time, int32_t,
				  (uint64_t, struct hsa_times *))(flight->signal, times);
	else
		found = hsa_has(HSA_ID_hsa_amd_profiling_get_dispatch_time) &&
			!HSA_CALL(hsa_amd_profiling_get_dispatch_time, int32_t,
				  (uint64_t, uint64_t, struct hsa_times *))(flight->agent,
									    flight->signal, times);
	return found && times->end && times->end >= times->start;
}

static void operation_write(const struct hsa_flight *flight, bool timed,
			    const struct hsa_times *times)
{
	struct tandem_rec_operation *record =
		tandem_record_begin(TANDEM_EVENT_operation, sizeof(*record));

	if (!record)
		return;
	record->op = flight->op;
	record->queued = 0;
	record->submitted = 0;
	record->start = timed ? hsa_clock_ns(times->start) : 0;
	record->end = timed ? hsa_clock_ns(times->end) : 0;
	record->queue = flight->queue;
	record->kernel = flight->kernel;
	record->bytes = flight->bytes;
	record->status = 0;
	record->api = 0;
	record->kind = flight->kind;
	record->domain = TANDEM_DOMAIN_hsa;
	record->completion_source = TANDEM_COMPLETION_SOURCE_delivered;
	record->time_domain = timed ? TANDEM_TIME_DOMAIN_device_ns : TANDEM_TIME_DOMAIN_no;
	record->launch_config = flight->launch_config;
	tandem_record_commit();
}

/* What the device has written of times into our signal, the program's would have. */
static void original_signal(const struct hsa_flight *flight)
{
	const struct hsa_amd_signal *ours = (const void *)(uintptr_t)flight->signal;
	struct hsa_amd_signal *theirs = (void *)(uintptr_t)flight->original;

	theirs->start = ours->start;
	theirs->end = ours->end;
	HSA_CALL(hsa_signal_subtract_screlease, void, (uint64_t, int64_t))(flight->original, 1);
}

/* In a thread of the runtime's. */
static bool ended(int64_t value, void *data)
{
	struct hsa_flight *flight = data;
	struct hsa_times times;
	bool timed, recorded;

	(void)value;
	/* Called again, it would give back what somebody else has by now. */
	if (!atomic_exchange(&flight->awaited, false))
		return false;
	hsa_in_tool++;
	timed = times_of(flight, &times);
	hsa_in_tool--;
	recorded = flight->op && hsa_recording();
	/* The program may end as soon as it has its signal. */
	if (recorded)
		operation_write(flight, timed, &times);
	hsa_in_tool++;
	if (flight->original)
		original_signal(flight);
	hsa_in_tool--;
	if (recorded)
		hsa_clock_pair(flight->agent);
	item_give(flight);
	return false;
}

bool hsa_flight_watch(struct hsa_flight *flight)
{
	atomic_store(&flight->awaited, true);
	if (!HSA_CALL(hsa_amd_signal_async_handler, int32_t,
		      (uint64_t, int32_t, int64_t, bool (*)(int64_t, void *), void *))(
		    flight->signal, HSA_CONDITION_LT, 1, ended, flight))
		return true;
	atomic_store(&flight->awaited, false);
	item_give(flight);
	return false;
}
