/* SPDX-License-Identifier: MIT */
/* HSA's functions by the numbers of their events: what their records are and how they are
 * filled (gen/api.c), and the runtime's own, which are called without a record. */
#ifndef TANDEM_DOMAINS_HSA_FUNCTIONS_H
#define TANDEM_DOMAINS_HSA_FUNCTIONS_H

#include <stdint.h>

#include "core/call/arguments.h"

extern const struct arguments_step hsa_steps[];
extern const struct arguments_function hsa_functions[];
extern const uint32_t hsa_function_count;
extern const char *const hsa_function_names[];

#define HSA_REALS 512u
extern void (*hsa_reals[HSA_REALS])(void);

static inline void (*hsa_real(uint32_t function))(void)
{
	return hsa_reals[function];
}

/* Calls one of the runtime's functions: HSA_CALL(hsa_signal_create, int32_t, (int64_t, ...))
 * (arguments). It has to be there: hsa_has(). */
#define HSA_CALL(name, returned, parameters) ((returned(*) parameters)hsa_reals[HSA_ID_##name])

static inline bool hsa_has(uint32_t function)
{
	return hsa_reals[function] != NULL;
}

#endif
