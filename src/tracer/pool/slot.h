/* SPDX-License-Identifier: MIT */
/* A record as it is in a pool (tracer/pool/pool.h) until it is delivered. */
#ifndef TANDEM_TRACER_SLOT_H
#define TANDEM_TRACER_SLOT_H

#include <stdatomic.h>
#include <stdint.h>

/* Left: by siglongjmp(), before the record was whole. */
enum pool_slot_what { SLOT_CALL, SLOT_OPERATION, SLOT_ANNOTATION, SLOT_LEFT };

struct pool_slot {
	_Atomic uint64_t state; /* generation << 2 | enum slot_state */
	uint8_t domain;
	uint8_t what;	     /* enum pool_slot_what */
	uint8_t flags;	     /* enum tandem_tracer_flags */
	uint8_t time_domain; /* enum tandem_time_domain of an operation */
	uint16_t op;
	uint16_t text_bytes; /* behind the slot, in those that follow */
	uint64_t correlation;
	uint64_t begin, end; /* ticks; of an operation as `time_domain` says */
	union {
		uint64_t external;
		struct {
			uint32_t kernel, queue;
		};
	};
	uint32_t tid;
	int32_t result;
	uint64_t bytes;
};

_Static_assert(sizeof(struct pool_slot) == 64, "a cache line");

static inline char *pool_slot_text(struct pool_slot *slot)
{
	return (char *)(slot + 1);
}

#endif
