/* SPDX-License-Identifier: MIT */
/* Where the host memory of large transfers lies, which makes them slow: memory that the device
 * cannot reach by itself, or that begins at an odd address. One thread. */
#ifndef TANDEM_ANALYSIS_FINDINGS_TRANSFERS_PLACES_H
#define TANDEM_ANALYSIS_FINDINGS_TRANSFERS_PLACES_H

#include "analysis/findings/transfers/transfer_class.h"
#include "analysis/operations/launch_config.h"
#include "util/map.h"

/* ODDER: no allocator places memory so, but what stands behind a header lies there. */
enum place { PLACE_OTHER, PLACE_PAGEABLE, PLACE_ODD, PLACE_ODDER, PLACES };

struct places {
	struct map
		odd; /* calls in flight whose host memory begins at an odd address -> enum place */
	struct map links; /* row of devices -> bytes a ms that its link carries */
	struct launch_configs launch_configs;
	struct map kernels; /* process and number of a queue -> ns that kernels ran in it */
};

/* Learns of calls, and of what devices are like. Returns 0 or -ENOMEM. */
int places_item(struct places *places, const struct event_item *item);

/* Each command. Returns 0 or -ENOMEM. */
int places_command(struct places *places, const struct operation *operation);

/* Of a transfer, once; PLACES: it is too small for that to tell. */
enum place places_take(struct places *places, const struct operation *operation);

/* What is found of a device's transfers in one direction, by place. Returns 0 or -ENOMEM. */
int places_add(const struct places *places, struct findings *findings, uint32_t device,
	       uint8_t kind, const struct transfer_class classes[PLACES]);

/* Whether pages of managed memory moved to the host. */
bool places_is_to_host(const struct places *places, const struct operation *operation);

/* What the device's link carries of a large transfer, bytes a ns; 0: it is not known. */
double places_link_rate(const struct places *places, uint32_t device);

void places_release(struct places *places);

#endif
