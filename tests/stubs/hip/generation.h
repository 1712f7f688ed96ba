/* SPDX-License-Identifier: MIT */
/* How the stub reports calls and operations to a tool: STUB_HIP is 502, 507, 603 or 702, as AMD's
 * runtime of that version does. */
#ifndef STUB_HIP_GENERATION_H
#define STUB_HIP_GENERATION_H

#include <stdbool.h>
#include <stdint.h>

#include "domains/hip/gen/ids.h"

/* hip_api_data_t of that version. */
#if STUB_HIP == 502
#define DATA_BYTES 832
#elif STUB_HIP == 507
#define DATA_BYTES 840
#else
#define DATA_BYTES 1520
#endif

struct call {
	uint32_t id;
	bool on;
	uint8_t *arguments; /* to be filled; NULL: nobody asks for them */
	void *data;
	struct { /* behind the arguments: of no meaning until a tool writes them */
		uint8_t api[DATA_BYTES];
		uint64_t entered, word;
		void (*enter)(uint32_t id, void *data);
		void (*exit)(uint32_t id, void *data);
	} trace;
};

void call_begin(struct call *call, uint32_t id);
void call_filled(struct call *call);
void call_end(struct call *call);

/* The number that an operation of the call under way gets. */
uint64_t call_correlation(void);

/* Called when the process ends, after the destructors of whatever was loaded later. */
void stub_hip_at_end(void (*function)(void));

#endif
