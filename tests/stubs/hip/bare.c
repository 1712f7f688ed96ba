/* SPDX-License-Identifier: MIT */
/* HIP without a device, on AMD's own runtime or the stub: prints what each call returned. */
#include <stdio.h>

#include "hip.h"

#define SHOW(call) printf("%d %.*s\n", call, (int)(sizeof(#call) - 1), #call)

int main(void)
{
	struct dim one = {1, 1, 1};
	void *memory = NULL, *stream = NULL;
	int value = 0;
	char name[64];

	SHOW(hipRuntimeGetVersion(&value));
	SHOW(hipInit(0));
	SHOW(hipGetDeviceCount(&value));
	SHOW(hipGetLastError());
	SHOW(hipSetDevice(0));
	SHOW(hipMalloc(&memory, 4096));
	SHOW(hipMemcpy(&value, &value, 4, HIP_HOST_TO_DEVICE));
	SHOW(hipLaunchKernel(&value, one, one, NULL, 0, NULL));
	SHOW(hipStreamCreate(&stream));
	SHOW(hipDeviceGetName(name, sizeof(name), 0));
	SHOW(hipDeviceSynchronize());
	SHOW(hipPeekAtLastError());
	SHOW(hipRuntimeGetVersion(&value));
	SHOW(hipPeekAtLastError());
	return 0;
}
