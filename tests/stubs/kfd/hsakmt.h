/* SPDX-License-Identifier: MIT */
/* Some of libhsakmt's functions, as its header declares them: what they take and return has the same
 * sizes. */
#ifndef TANDEM_TESTS_STUBS_HSAKMT_H
#define TANDEM_TESTS_STUBS_HSAKMT_H

#include <stdint.h>

enum {
	HSAKMT_STATUS_SUCCESS = 0,
	HSAKMT_STATUS_INVALID_PARAMETER = 3,
	HSAKMT_STATUS_NO_MEMORY = 6,
	HSAKMT_STATUS_NOT_IMPLEMENTED = 10,
	HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED = 20,
};

struct hsakmt_version {
	uint32_t major, minor;
};

struct hsakmt_flags { /* HsaMemFlags, HsaMemMapFlags: by value */
	uint32_t bits;
};

int hsaKmtOpenKFD(void);
int hsaKmtCloseKFD(void);
int hsaKmtGetVersion(struct hsakmt_version *version);
int hsaKmtAllocMemory(uint32_t node, uint64_t bytes, struct hsakmt_flags flags, void **address);
int hsaKmtFreeMemory(void *address, uint64_t bytes);
int hsaKmtMapMemoryToGPUNodes(void *address, uint64_t bytes, uint64_t *gpu,
			      struct hsakmt_flags flags, uint64_t nodes, uint32_t *node);
int hsaKmtRegisterMemory(void *address, uint64_t bytes);
int hsaKmtRegisterMemoryToNodes(void *address, uint64_t bytes, uint64_t nodes, uint32_t *node);
int hsaKmtCreateQueue(uint32_t node, int type, uint32_t percentage, long priority, void *address,
		      uint64_t bytes, void *event, void *resource);
int hsaKmtWaitOnEvent(void *event, uint32_t ms);

#ifdef LOOKUP
#include "../lookup.h"
#define hsaKmtOpenKFD LOOKED_UP(hsaKmtOpenKFD)
#define hsaKmtCloseKFD LOOKED_UP(hsaKmtCloseKFD)
#define hsaKmtGetVersion LOOKED_UP(hsaKmtGetVersion)
#define hsaKmtAllocMemory LOOKED_UP(hsaKmtAllocMemory)
#define hsaKmtFreeMemory LOOKED_UP(hsaKmtFreeMemory)
#define hsaKmtMapMemoryToGPUNodes LOOKED_UP(hsaKmtMapMemoryToGPUNodes)
#define hsaKmtRegisterMemory LOOKED_UP(hsaKmtRegisterMemory)
#define hsaKmtRegisterMemoryToNodes LOOKED_UP(hsaKmtRegisterMemoryToNodes)
#define hsaKmtCreateQueue LOOKED_UP(hsaKmtCreateQueue)
#define hsaKmtWaitOnEvent LOOKED_UP(hsaKmtWaitOnEvent)
#endif

#endif
