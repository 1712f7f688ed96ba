/* The commands in flight, by process and number, and the oldest of them. Every
 * call takes constant time if commands come in the order of time.
 *
 * Owner: a sequencer. One thread.
 */
#ifndef TANDEM_ANALYSIS_EVENTS_REORDER_IN_FLIGHT_H
#define TANDEM_ANALYSIS_EVENTS_REORDER_IN_FLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/map.h"

#define ORDER_FLIGHT_NONE UINT32_MAX

struct order_command {
	int64_t since_ns;
	uint32_t older, newer; /* in `commands`; a free one has the next free one in newer */
};

struct order_flight {
	struct map *processes; /* op -> its place in `commands` */
	size_t process_count, process_capacity;
	struct order_command *commands;
	size_t command_count, command_capacity;
	uint32_t oldest, newest, free;
	size_t count;
};

void order_flight_init(struct order_flight *flight);
void order_flight_free(struct order_flight *flight);

/* Returns 0, -EEXIST (it is in flight already) or -ENOMEM. */
int order_flight_begin(struct order_flight *flight, uint32_t process, uint64_t op,
		       int64_t since_ns);

/* Ends it; false if it is not in flight. */
bool order_flight_end(struct order_flight *flight, uint32_t process, uint64_t op,
		      int64_t *since_ns);

/* When the oldest began; INT64_MAX if there is none. */
int64_t order_flight_oldest_ns(const struct order_flight *flight);

#endif
