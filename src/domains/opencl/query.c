/* SPDX-License-Identifier: MIT */
#include "domains/opencl/query.h"

#include <errno.h>
#include <stdbool.h>

#include "domains/opencl/cl.h"

uint64_t opencl_info_u64(opencl_get_info get, void *object, uint32_t name)
{
	uint64_t value = 0;
	int saved = errno;
	bool failed = get(object, name, sizeof(value), &value, NULL) != CL_SUCCESS;

	errno = saved;
	return failed ? 0 : value;
}
