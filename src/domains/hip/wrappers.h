/* SPDX-License-Identifier: MIT */
/* What stands in the runtime's dispatch tables, or has its functions' names (gen/wrappers.c), and
 * what the wrappers call. */
#ifndef TANDEM_DOMAINS_HIP_WRAPPERS_H
#define TANDEM_DOMAINS_HIP_WRAPPERS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/stream/stream.h"
#include "domains/hip/attach/symbols.h"
#include "domains/hip/calls/call.h"
#include "domains/hip/state.h"

struct hip_wrapper {
	uint16_t place;	   /* in the table, in words */
	uint16_t function; /* number of its event */
	void (*wrapper)(void);
};

extern const struct hip_wrapper hip_wrappers_runtime[], hip_wrappers_compiler[];
extern const uint32_t hip_wrapper_count_runtime, hip_wrapper_count_compiler;

/* The runtime's own functions, by the numbers of their events; NULL: no table had it. */
#define HIP_REALS 1024u
extern void (*hip_reals[HIP_REALS])(void);

static inline void (*hip_real(uint32_t function))(void)
{
	return tandem_likely(hip_reals[function]) ? hip_reals[function] : hip_symbol(function);
}

static inline bool hip_wrapped_recording(void)
{
	return hip_recording();
}

void hip_wrapped_begin(struct hip_call *call, uint32_t function, const void *arguments);
void hip_wrapped_end(struct hip_call *call, const void *arguments, int32_t status);

#endif
