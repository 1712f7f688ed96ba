/* SPDX-License-Identifier: MIT */
/* How much room a kernel leaves on its device for another one next to it. Memory grows with launch
 * configurations. One thread.
 *
 *	struct launch_configs configs = {0};
 *
 *	launch_configs_learn(&configs, item->event);			each ITEM_OTHER
 *	part = room_taken(&configs, devices, &item->operation);
 *	launch_configs_free(&configs);
 */
#ifndef TANDEM_ANALYSIS_OPERATIONS_ROOM_H
#define TANDEM_ANALYSIS_OPERATIONS_ROOM_H

#include "analysis/operations/devices.h"
#include "analysis/operations/launch_config.h"
#include "analysis/operations/operation.h"

/* Above 0, to 1: a kernel's work-groups for each of the device's compute units, and of a fill or copy on
 * the device by its bytes. 1 as well of all else, and where the runtime chose the groups. */
double room_taken(const struct launch_configs *configs, const struct devices *devices,
		  const struct operation *operation);

#endif
