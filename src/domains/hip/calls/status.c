/* SPDX-License-Identifier: MIT */
#include "domains/hip/calls/status.h"

#include "domains/hip/attach/runtime.h"
#include "domains/hip/calls/thread.h"
#include "domains/hip/functions.h"

int32_t hip_status(uint32_t function)
{
	uint8_t flags = hip_functions[function].flags;
	int32_t status;

	if (flags & ARGUMENTS_NO_STATUS)
		return 0;
	if (!hip_runtime_has_devices())
		return flags & ARGUMENTS_NO_DEVICE ? 0 : HIP_ERROR_NO_DEVICE;
	if (!hip_runtime.hipPeekAtLastError)
		return TANDEM_RESULT_UNKNOWN;
	hip_in_tool_begin();
	status = hip_runtime.hipPeekAtLastError();
	hip_in_tool_end();
	return status;
}
