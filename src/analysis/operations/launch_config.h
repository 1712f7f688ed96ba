/* SPDX-License-Identifier: MIT */
/* What operations have in common (core.events: launch_config, transfer_config), by
 * the number that they name. Learned as the descriptions come by: those stand before
 * their first use in the same stream. Memory: some 60 bytes for each different
 * launch or transfer. One thread.
 *
 *	launch_configs_learn(&launch_configs, event);              every record
 *	launch_configs_find(&launch_configs, process, number);     NULL: not known
 */
#ifndef TANDEM_ANALYSIS_OPERATIONS_LAUNCH_CONFIG_H
#define TANDEM_ANALYSIS_OPERATIONS_LAUNCH_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/operations/occupancy.h"
#include "trace/event.h"
#include "util/map.h"

struct launch_config {
	bool is_launch;		      /* else a transfer */
	uint64_t groups, group_items; /* of a launch */
	uint32_t registers, static_bytes, dynamic_bytes, private_bytes;
	uint8_t source, destination; /* of a transfer: enum tandem_transfer_memory_kind */
	uint32_t from, to;	     /* devices' numbers; 0: the host, or its own */
	uint64_t graph;
};

struct launch_configs {
	struct launch_config *items;
	size_t count, capacity;
	struct map index; /* process and number -> item */
};

/* Returns 0 or -ENOMEM. */
int launch_configs_learn(struct launch_configs *launch_configs, const struct trace_event *event);

/* What a multiprocessor has, of a record with TANDEM_RECORD_device_limits. Returns the
 * device's number. */
uint32_t launch_configs_limits(const struct trace_event *event, struct occupancy_limits *limits);

/* Borrowed until the next is learned. */
const struct launch_config *launch_configs_find(const struct launch_configs *launch_configs,
						uint32_t process, uint32_t number);

void launch_configs_free(struct launch_configs *launch_configs);

#endif
