/* SPDX-License-Identifier: MIT */
/* HIP's functions by the numbers of their events, which are ROCm's HIP_API_ID_* where it
 * has one: what their records are and how they are filled. Tables in gen/api.c. */
#ifndef TANDEM_DOMAINS_HIP_FUNCTIONS_H
#define TANDEM_DOMAINS_HIP_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/call/arguments.h"

extern const struct arguments_step hip_steps[];
extern const struct arguments_function hip_functions[];
extern const uint32_t hip_function_count;
extern const char *const hip_function_names[]; /* NULL: no function has that number */

/* Where callbacks of HIP 5 have the arguments elsewhere; id 0: they have not. */
extern const struct arguments_function hip_functions_hip5[];
extern const uint32_t hip_function_count_hip5;

/* Bytes of hip_api_data_t. */
extern const uint32_t hip_data_bytes_5, hip_data_bytes_6, hip_data_bytes_7;

/* A runtime's number of a function is not always the newest headers', and HIP 5 calls
 * NAMER0000 NAME: 0 where this tandem knows no such function. */
uint32_t hip_function_find(const char *name, uint32_t id);

static inline const struct arguments_function *hip_function(uint32_t function, bool hip5)
{
	if (hip5 && function < hip_function_count_hip5 && hip_functions_hip5[function].id)
		return &hip_functions_hip5[function];
	return &hip_functions[function];
}

#endif
