/* SPDX-License-Identifier: MIT */
/* Slots of a pool as the tool gets them. In a pool's thread. */
#ifndef TANDEM_TRACER_RECORD_H
#define TANDEM_TRACER_RECORD_H

#include <stdint.h>

#include "tandem/tracer.h"
#include "tracer/clock/time.h"
#include "tracer/pool/slot.h"

/* What the records of a buffer have in common. */
struct record_delivery {
	struct time_stretch stretch;
	uint32_t process;
};

/* Before them. */
void record_begin_delivery(struct record_delivery *delivery);

void record_convert(struct record_delivery *delivery, struct pool_slot *slot,
		    struct tandem_tracer_record *record);

#endif
