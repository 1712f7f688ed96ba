/* SPDX-License-Identifier: MIT */
/* Which sinks want an event: a bit for each slot, by the event's id. What sinks say they want
 * (sinks/sink.h) is in their own words; a record asks here, by one load.
 *
 *	uint32_t mask = wanted_by(id);
 */
#ifndef TANDEM_SINKS_WANTED_H
#define TANDEM_SINKS_WANTED_H

#include <stdatomic.h>
#include <stdint.h>

#include "schema/record.h"
#include "sinks/sink.h"

/* By event, and eight events at once. */
union wanted {
	_Atomic uint8_t event[TANDEM_PAGES * TANDEM_PAGE_EVENTS];
	_Atomic uint64_t eight[TANDEM_PAGES * TANDEM_PAGE_EVENTS / 8];
};

extern union wanted sinks_wanted __attribute__((visibility("hidden")));

static inline uint32_t wanted_by(uint16_t id)
{
	return atomic_load_explicit(&sinks_wanted.event[id], memory_order_relaxed);
}

/* The sink in that slot wants of the page what it says now; NULL: there is none. One caller at
 * a time. */
void wanted_set_page(uint32_t slot, const struct tandem_sink *sink, unsigned page);

/* The same for all pages. */
void wanted_set(uint32_t slot, const struct tandem_sink *sink);

#endif
