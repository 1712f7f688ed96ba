/* SPDX-License-Identifier: MIT */
#include "sinks/wanted.h"

#include <stdbool.h>

_Static_assert(TANDEM_SINKS <= 8, "a bit of a byte for each");

union wanted sinks_wanted;

/* Of 64 events from `id` on, whether anybody wants one. */
static bool any_wanted(uint32_t id)
{
	for (uint32_t i = 0; i < 8; i++)
		if (atomic_load_explicit(&sinks_wanted.eight[id / 8 + i], memory_order_relaxed))
			return true;
	return false;
}

static void word_set(uint32_t slot, uint32_t id, uint64_t bits)
{
	if (!bits && !any_wanted(id))
		return;
	for (uint32_t i = 0; i < 64; i++) {
		_Atomic uint8_t *place = &sinks_wanted.event[id + i];
		uint8_t before = atomic_load_explicit(place, memory_order_relaxed);
		uint8_t now = (uint8_t)((before & ~(1u << slot)) | (bits >> i & 1) << slot);

		if (now != before)
			atomic_store_explicit(place, now, memory_order_relaxed);
	}
}

void wanted_set_page(uint32_t slot, const struct tandem_sink *sink, unsigned page)
{
	for (uint32_t i = 0; i < TANDEM_PAGE_EVENTS / 64; i++)
		word_set(slot, page * TANDEM_PAGE_EVENTS + i * 64,
			 sink ? atomic_load(&sink->events[page][i]) : 0);
}

void wanted_set(uint32_t slot, const struct tandem_sink *sink)
{
	for (unsigned page = 0; page < TANDEM_PAGES; page++)
		wanted_set_page(slot, sink, page);
}
