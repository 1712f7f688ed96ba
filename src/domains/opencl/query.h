/* SPDX-License-Identifier: MIT */
/* What a driver says of its objects. Any thread. Keeps errno, as whatever of ours asks
 * a driver has to. */
#ifndef TANDEM_OPENCL_QUERY_H
#define TANDEM_OPENCL_QUERY_H

#include <stddef.h>
#include <stdint.h>

typedef int32_t (*opencl_get_info)(void *object, uint32_t name, size_t bytes, void *value,
				   void *bytes_ret);

/* A number by clGet*Info; 0 when there is none. */
uint64_t opencl_info_u64(opencl_get_info get, void *object, uint32_t name);

#endif
