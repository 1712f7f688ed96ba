/* SPDX-License-Identifier: MIT */
/* The tracepoints of GPU drivers that this machine has. Each driver has its own
 * and changes them, so they are stored as the kernel writes them, together with
 * the kernel's description of their bytes; whoever reads the trace decodes them.
 * One thread.
 *
 *	linux_drivers_find(&drivers, events);
 *	for (size_t i = 0; i < drivers.count; i++)
 *		perf_open_tracepoint(drivers.tracepoints[i].id, ...);
 */
#ifndef TANDEM_LINUX_DRIVER_H
#define TANDEM_LINUX_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linux/stream.h"
#include "util/map.h"

struct linux_driver_tracepoint {
	uint32_t id;
	char *system, *name, *format;
};

struct linux_drivers {
	struct linux_driver_tracepoint *tracepoints;
	size_t count, capacity;
	struct map described; /* CPU and index: in that CPU's stream, before its first use */
};

/* Finds them in tracefs. Returns 0 (also when there are none) or -errno. */
int linux_drivers_find(struct linux_drivers *drivers, int events);
void linux_drivers_free(struct linux_drivers *drivers);

/* Their descriptions have to be written again. */
void linux_drivers_invalidate(struct linux_drivers *drivers);

/* Stores one, described beforehand when it is the first of its kind there; data of
 * another tracepoint is passed over. */
void linux_drivers_put(struct linux_drivers *drivers, struct linux_stream *stream, uint64_t ticks,
		       uint32_t id, uint32_t tid, const uint8_t *raw, uint32_t bytes);

#endif
