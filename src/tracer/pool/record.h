/* SPDX-License-Identifier: MIT */
/* Slots of a pool as the tool gets them. In a pool's thread. */
#ifndef TANDEM_TRACER_RECORD_H
#define TANDEM_TRACER_RECORD_H

#include "tandem/tracer.h"
#include "tracer/pool/slot.h"

/* Before the records of a buffer. */
void record_begin_delivery(void);

void record_convert(struct pool_slot *slot, struct tandem_tracer_record *record);

#endif
