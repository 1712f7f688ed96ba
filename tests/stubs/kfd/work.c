/* SPDX-License-Identifier: MIT */
/* What a program does by libhsakmt: a line a call, its status and its name. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>

#include "hsakmt.h"
#include "work.h"

#define CALL(call)                                \
	do {                                      \
		int status = call;                \
		printf("%d %s\n", status, #call); \
		failed = failed || status;        \
	} while (0)

__attribute__((visibility("default"))) int kfd_work(void)
{
	struct hsakmt_version version = {0, 0};
	uint32_t node = 1;
	void *memory = NULL, *none = NULL;
	uint64_t gpu = 0;
	int failed = 0;

	errno = 0;
	CALL(hsaKmtOpenKFD());
	printf("errno %d\n", errno);
	if (failed)
		return 2;
	CALL(hsaKmtGetVersion(&version));
	printf("version %u.%u\n", version.major, version.minor);
	CALL(hsaKmtAllocMemory(1, 8192, (struct hsakmt_flags){0x80000001u}, &memory));
	CALL(hsaKmtMapMemoryToGPUNodes(memory, 8192, &gpu, (struct hsakmt_flags){5}, 1, &node));
	CALL(hsaKmtRegisterMemory(memory, 8192));
	CALL(hsaKmtCreateQueue(1, 21, 100, -3, memory, 4096, NULL, &version));
	for (unsigned i = 0; i < 10; i++)
		CALL(hsaKmtWaitOnEvent(&version, 7));
	printf("gpu %d\n", gpu == (uintptr_t)memory);
	CALL(hsaKmtFreeMemory(memory, 8192));
	if (failed)
		return 1;
	CALL(hsaKmtAllocMemory(1, 1ull << 40, (struct hsakmt_flags){0x80000001u}, &none));
	CALL(hsaKmtCloseKFD());
	return 0;
}
