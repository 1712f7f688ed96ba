/* SPDX-License-Identifier: MIT */
/* What stands in the runtime's dispatch tables (gen/wrappers.c), and what the wrappers
 * call. */
#ifndef TANDEM_DOMAINS_HSA_WRAPPERS_H
#define TANDEM_DOMAINS_HSA_WRAPPERS_H

#include "domains/hsa/call.h"
#include "domains/hsa/custom.h"
#include "domains/hsa/functions.h"
#include "domains/hsa/state.h"

struct hsa_wrapper {
	uint16_t place;	   /* in the table, in words */
	uint16_t function; /* number of its event */
	void (*wrapper)(void);
};

extern const struct hsa_wrapper hsa_wrappers_core[], hsa_wrappers_amd[];
extern const uint32_t hsa_wrapper_count_core, hsa_wrapper_count_amd;

static inline bool hsa_wrapped_recording(void)
{
	return hsa_recording();
}

#endif
