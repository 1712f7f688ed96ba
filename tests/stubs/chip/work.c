/* SPDX-License-Identifier: MIT */
/* What a program does by a HIP that offers tools nothing: a line a call. */
#include <stdint.h>
#include <stdio.h>

#include "hip.h"
#include "work.h"

#define ITEMS 1024u
#define LAUNCHES 5

#define CALL(call)                                \
	do {                                      \
		int status = call;                \
		printf("%d %s\n", status, #call); \
		failed = failed || status;        \
	} while (0)

static const char text[] = "__kernel void add(__global int *data, int value)\n"
			   "{ data[get_global_id(0)] += value; }\n";

__attribute__((visibility("default"))) int chip_work(void)
{
	static int data[ITEMS];
	void *memory = NULL, *none = NULL, *module = NULL, *function = NULL;
	int count = 0, value = 3, failed = 0;
	void *arguments[] = {&memory, &value};
	unsigned right = 0;
	char name[64] = "";

	CALL(hipInit(0));
	CALL(hipGetDeviceCount(&count));
	CALL(hipDeviceGetName(name, sizeof(name), 0));
	CALL(hipMalloc(&memory, sizeof(data)));
	CALL(hipMemcpy(memory, data, sizeof(data), hipMemcpyHostToDevice));
	CALL(hipModuleLoadData(&module, text));
	CALL(hipModuleGetFunction(&function, module, "add"));
	for (int i = 0; i < LAUNCHES; i++)
		CALL(hipModuleLaunchKernel(function, ITEMS / 64, 1, 1, 64, 1, 1, 0, NULL, arguments,
					   NULL));
	CALL(hipDeviceSynchronize());
	CALL(hipMemcpy(data, memory, sizeof(data), hipMemcpyDeviceToHost));
	CALL(hipModuleUnload(module));
	CALL(hipFree(memory));
	for (unsigned i = 0; i < ITEMS; i++)
		right += data[i] == LAUNCHES * value;
	printf("%u right, %d device, %s\n", right, count, name);
	if (failed)
		return 1;
	CALL(hipMalloc(&none, (size_t)1 << 40));
	printf("%s\n", hipGetErrorName(hipErrorOutOfMemory));
	return right != ITEMS;
}
