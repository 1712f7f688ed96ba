/* SPDX-License-Identifier: MIT */
#include "domains/hsa/clock.h"

#include "core/stream/stream.h"
#include "domains/hsa/abi.h"
#include "domains/hsa/functions.h"
#include "domains/hsa/gen/ids.h"
#include "domains/hsa/object.h"
#include "domains/hsa/state.h"
#include "schema/gen/core_records.h"

#define PAIR_NS 100000000u
#define TRIES 4

static uint64_t system_info(uint32_t what)
{
	uint64_t value = 0;

	if (!hsa_has(HSA_ID_hsa_system_get_info) ||
	    HSA_CALL(hsa_system_get_info, int32_t, (uint32_t, void *))(what, &value))
		return 0;
	return value;
}

static uint64_t hz(void)
{
	static _Atomic uint64_t known;
	uint64_t value = atomic_load_explicit(&known, memory_order_relaxed);

	if (tandem_unlikely(!value)) {
		value = system_info(HSA_SYSTEM_TIMESTAMP_HZ) ?: 1000000000u;
		atomic_store(&known, value);
	}
	return value;
}

uint64_t hsa_clock_ns(uint64_t ticks)
{
	uint64_t per_second = hz();

	return per_second == 1000000000u
		       ? ticks
		       : (uint64_t)((unsigned __int128)ticks * 1000000000u / per_second);
}

struct reading {
	uint64_t begin, clock, until;
};

/* The sharpest of a few. */
static struct reading clock_read(void)
{
	struct reading best = {.until = UINT64_MAX}, next;

	for (int i = 0; i < TRIES; i++) {
		next.begin = tandem_ticks();
		next.clock = system_info(HSA_SYSTEM_TIMESTAMP);
		next.until = tandem_ticks();
		if (next.until - next.begin < best.until - best.begin)
			best = next;
	}
	return best;
}

void hsa_clock_pair(uint64_t agent)
{
	static _Atomic uint64_t next_ns;
	uint64_t now_ns = tandem_monotonic_ns();
	uint64_t due_ns = atomic_load_explicit(&next_ns, memory_order_relaxed);
	struct tandem_rec_clock_pair *record;
	struct reading reading;
	uint32_t device;

	if (now_ns < due_ns || !atomic_compare_exchange_strong(&next_ns, &due_ns, now_ns + PAIR_NS))
		return;
	device = hsa_agent(agent);
	reading = clock_read();
	if (!reading.clock)
		return;
	record = tandem_record_begin(TANDEM_EVENT_clock_pair, sizeof(*record));
	if (!record)
		return;
	record->device = device;
	record->domain = TANDEM_DOMAIN_hsa;
	record->device_ns = hsa_clock_ns(reading.clock);
	record->begin = reading.begin;
	record->until = reading.until;
	tandem_record_commit();
}
