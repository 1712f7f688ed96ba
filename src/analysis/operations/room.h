/* SPDX-License-Identifier: MIT */
/* How much room a kernel leaves on its device for another one next to it, kept from its operation to
 * its start or end, which the true order has later. Memory grows with launch configurations and
 * commands in flight. One thread.
 *
 *	struct rooms rooms = {0};
 *
 *	launch_configs_learn(&rooms.configs, item->event);		each ITEM_OTHER
 *	part = room_taken(&rooms.configs, devices, &item->operation);
 *	rooms_keep(&rooms, &item->operation, part);
 *	part = rooms_take(&rooms, event->process, event->op);
 *	rooms_free(&rooms);
 */
#ifndef TANDEM_ANALYSIS_OPERATIONS_ROOM_H
#define TANDEM_ANALYSIS_OPERATIONS_ROOM_H

#include "analysis/operations/devices.h"
#include "analysis/operations/launch_config.h"
#include "analysis/operations/operation.h"
#include "util/map.h"

struct rooms {
	struct launch_configs configs;
	struct map small; /* operation_key() of one that leaves room -> its part of the device */
};

/* Above 0, to 1: a kernel's work-groups for each of the device's compute units, and of a fill or copy on
 * the device by its bytes. Of groups that the runtime chose, as if each
 * had one work-item; where it says how many a group has, small groups take a part of a unit. 1 of all else. */
double room_taken(const struct launch_configs *configs, const struct devices *devices,
		  const struct operation *operation);

/* Whether a device can run two commands at the same time, by their kinds and rooms: transfers of both
 * directions, kernels next to them, and kernels of which one takes half of it at the most. */
bool room_for_both(unsigned kind, double room, unsigned other_kind, double other_room);

/* 0 or -ENOMEM; `room`: room_taken(). */
int rooms_keep(struct rooms *rooms, const struct operation *operation, double room);

/* Of one that was kept; 1 of others. `take` forgets it. */
double rooms_of(const struct rooms *rooms, uint32_t process, uint64_t op);
double rooms_take(struct rooms *rooms, uint32_t process, uint64_t op);
void rooms_free(struct rooms *rooms);

#endif
