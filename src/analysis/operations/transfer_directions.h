/* SPDX-License-Identifier: MIT */
/* Which way a transfer goes whose call leaves that to the driver (cudaMemcpyDefault, and copies of shared virtual
 * memory, which have no word for it): by which of its two addresses is memory of a device. Of what was allocated while it was not recorded, nothing is known. One
 * thread.
 *
 *	struct transfer_directions directions = {0};
 *
 *	transfer_directions_memory(&directions, event);		each record of memory
 *	transfer_directions_call(&directions, event);		each call that enqueues: event->direction
 *	transfer_directions_free(&directions);
 */
#ifndef TANDEM_ANALYSIS_OPERATIONS_TRANSFER_DIRECTIONS_H
#define TANDEM_ANALYSIS_OPERATIONS_TRANSFER_DIRECTIONS_H

#include "analysis/operations/address_ranges.h"

struct trace_event;

/* Values of the role `direction`, and of event->direction. */
enum transfer_direction { TRANSFER_UNKNOWN, TRANSFER_TO_DEVICE, TRANSFER_TO_HOST };

struct transfer_directions {
	struct address_ranges device; /* memory of devices, also such as is the host's, too */
	struct address_ranges shared; /* same, of calls that have no word for the direction */
};

/* Returns 0 or -ENOMEM. */
int transfer_directions_memory(struct transfer_directions *directions,
			       const struct trace_event *event);

void transfer_directions_call(const struct transfer_directions *directions,
			      struct trace_event *event);

void transfer_directions_free(struct transfer_directions *directions);

#endif
