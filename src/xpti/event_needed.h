/* SPDX-License-Identifier: MIT */
/*
 * Which notifications may come without an event.
 */
#ifndef XPTI_EVENT_NEEDED_H
#define XPTI_EVENT_NEEDED_H

#include <stdbool.h>
#include <stdint.h>

#include "xpti/xpti_data_types.h"

/* Trace types below 64 that need no event, if there is user data. */
#define BIT(type) (UINT64_C(1) << (type))
static const uint64_t without_event =
	BIT(xpti_unknown_type) | BIT(xpti_function_begin) | BIT(xpti_function_end) |
	BIT(xpti_function_with_args_begin) | BIT(xpti_function_with_args_end) |
	BIT(xpti_mem_alloc_begin) | BIT(xpti_mem_alloc_end) | BIT(xpti_mem_release_begin) |
	BIT(xpti_mem_release_end) | BIT(xpti_offload_alloc_memory_object_construct) |
	BIT(xpti_offload_alloc_memory_object_destruct) |
	BIT(xpti_offload_alloc_memory_object_associate) |
	BIT(xpti_offload_alloc_memory_object_release) | BIT(xpti_offload_alloc_accessor);

static inline bool may_lack_event(uint16_t type, const void *user_data)
{
	return user_data &&
	       (type == xpti_diagnostics || (type < 64 && (without_event & BIT(type))));
}

#endif
