/* SPDX-License-Identifier: MIT */
/* libhsakmt as a driver of which all is known: each argument is checked, and some functions fail or
 * change errno. It calls itself by its functions' names, as the real one does. */
#include <errno.h>
#include <stdlib.h>

#include "hsakmt.h"

int hsaKmtOpenKFD(void)
{
	errno = ENOENT;
	return HSAKMT_STATUS_SUCCESS;
}

int hsaKmtCloseKFD(void)
{
	return HSAKMT_STATUS_SUCCESS;
}

int hsaKmtGetVersion(struct hsakmt_version *version)
{
	*version = (struct hsakmt_version){1, 14};
	return HSAKMT_STATUS_SUCCESS;
}

int hsaKmtAllocMemory(uint32_t node, uint64_t bytes, struct hsakmt_flags flags, void **address)
{
	if (node != 1 || flags.bits != 0x80000001u || !bytes)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	*address = bytes < 1u << 30 ? malloc(bytes) : NULL;
	return *address ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_NO_MEMORY;
}

int hsaKmtFreeMemory(void *address, uint64_t bytes)
{
	free(address);
	return bytes == 8192 ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_PARAMETER;
}

int hsaKmtMapMemoryToGPUNodes(void *address, uint64_t bytes, uint64_t *gpu,
			      struct hsakmt_flags flags, uint64_t nodes, uint32_t *node)
{
	*gpu = (uintptr_t)address;
	return bytes == 8192 && flags.bits == 5 && nodes == 1 && *node == 1
		       ? HSAKMT_STATUS_SUCCESS
		       : HSAKMT_STATUS_INVALID_PARAMETER;
}

int hsaKmtRegisterMemoryToNodes(void *address, uint64_t bytes, uint64_t nodes, uint32_t *node)
{
	return address && bytes && !nodes && !node ? HSAKMT_STATUS_SUCCESS
						   : HSAKMT_STATUS_INVALID_PARAMETER;
}

int hsaKmtRegisterMemory(void *address, uint64_t bytes)
{
	return hsaKmtRegisterMemoryToNodes(address, bytes, 0, NULL);
}

int hsaKmtCreateQueue(uint32_t node, int type, uint32_t percentage, long priority, void *address,
		      uint64_t bytes, void *event, void *resource)
{
	return node == 1 && type == 21 && percentage == 100 && priority == -3 && address &&
			       bytes == 4096 && !event && resource
		       ? HSAKMT_STATUS_SUCCESS
		       : HSAKMT_STATUS_INVALID_PARAMETER;
}

int hsaKmtWaitOnEvent(void *event, uint32_t ms)
{
	return event && ms == 7 ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_PARAMETER;
}
