/* SPDX-License-Identifier: MIT */
/* Calls that are made otherwise than the program made them: queues that can be
 * intercepted, copies with a signal of ours (queue.c, copy.c). */
#ifndef TANDEM_DOMAINS_HSA_CUSTOM_H
#define TANDEM_DOMAINS_HSA_CUSTOM_H

#include <stdint.h>

#include "domains/hsa/call.h"

struct hsa_args_hsa_queue_create;
struct hsa_args_hsa_amd_memory_async_copy;
struct hsa_args_hsa_amd_memory_async_copy_on_engine;
struct hsa_args_hsa_amd_memory_async_copy_rect;

int32_t hsa_custom_hsa_queue_create(void (*real)(void), struct hsa_call *call,
				    const struct hsa_args_hsa_queue_create *args);
int32_t hsa_custom_hsa_amd_memory_async_copy(void (*real)(void), struct hsa_call *call,
					     const struct hsa_args_hsa_amd_memory_async_copy *args);
int32_t hsa_custom_hsa_amd_memory_async_copy_on_engine(
	void (*real)(void), struct hsa_call *call,
	const struct hsa_args_hsa_amd_memory_async_copy_on_engine *args);
int32_t hsa_custom_hsa_amd_memory_async_copy_rect(
	void (*real)(void), struct hsa_call *call,
	const struct hsa_args_hsa_amd_memory_async_copy_rect *args);

#endif
