/* SPDX-License-Identifier: MIT */
#include "domains/hip/calls/hooks.h"

#include <stdatomic.h>
#include <string.h>

#include "domains/hip/device.h"
#include "domains/hip/gen/args.h"
#include "domains/hip/gen/ids.h"
#include "domains/hip/kernel.h"
#include "domains/hip/memory.h"
#include "domains/hip/queue.h"
#include "domains/hip/state.h"
#include "schema/gen/core_records.h"

/* The first argument says where the call has left a handle or an address. */
static const void *given(const void *arguments)
{
	const void *const *at = *(const void *const *const *)arguments;

	return at ? *at : NULL;
}

static const void *first(const void *arguments)
{
	return *(const void *const *)arguments;
}

/* All functions that allocate have these arguments first. */
static void allocated(uint8_t kind, const void *arguments)
{
	hip_memory_allocated(kind, given(arguments),
			     ((const struct hip_args_hipMalloc *)arguments)->size);
}

/* One less, but for a capture that began while nothing was recorded. */
static void capture_ended(void)
{
	uint32_t captures = atomic_load(&hip_captures);

	while (captures && !atomic_compare_exchange_weak(&hip_captures, &captures, captures - 1))
		;
}

void hip_hook_before(uint32_t function, const void *arguments)
{
	if (!arguments)
		return;
	switch (function) {
	case HIP_ID_hipStreamDestroy:
		hip_queue_destroyed(first(arguments));
		break;
	case HIP_ID_hipFree:
	case HIP_ID_hipHostFree:
	case HIP_ID_hipFreeHost:
	case HIP_ID_hipFreeAsync:
		hip_memory_freed(first(arguments));
		break;
	case HIP_ID_hipModuleUnload:
	case HIP_ID_hipLibraryUnload:
	case HIP_ID___hipUnregisterFatBinary:
		hip_kernels_changed();
		break;
	default:
		break;
	}
}

void hip_hook_after(uint32_t function, const void *arguments)
{
	switch (function) {
	case HIP_ID_hipSetDevice:
	case HIP_ID_hipCtxCreate:
	case HIP_ID_hipCtxDestroy:
	case HIP_ID_hipCtxPushCurrent:
	case HIP_ID_hipCtxPopCurrent:
	case HIP_ID_hipCtxSetCurrent:
	case HIP_ID_hipDeviceReset:
	case HIP_ID_hipSetValidDevices:
		hip_device_changed();
		return;
	case HIP_ID_hipStreamBeginCapture:
	case HIP_ID_hipStreamBeginCapture_spt:
	case HIP_ID_hipStreamBeginCaptureToGraph:
		atomic_fetch_add(&hip_captures, 1);
		return;
	case HIP_ID_hipStreamEndCapture:
	case HIP_ID_hipStreamEndCapture_spt:
		capture_ended();
		return;
	default:
		break;
	}
	if (!arguments)
		return;
	switch (function) {
	case HIP_ID_hipStreamCreate:
	case HIP_ID_hipStreamCreateWithFlags:
	case HIP_ID_hipStreamCreateWithPriority:
	case HIP_ID_hipExtStreamCreateWithCUMask:
	case HIP_ID_hipExecutionCtxStreamCreate:
		hip_queue_created(given(arguments));
		break;
	case HIP_ID_hipMalloc:
	case HIP_ID_hipExtMallocWithFlags:
		allocated(TANDEM_MEMORY_KIND_device, arguments);
		break;
	case HIP_ID_hipMallocAsync:
		allocated(TANDEM_MEMORY_KIND_pooled, arguments);
		break;
	case HIP_ID_hipMallocManaged:
		allocated(TANDEM_MEMORY_KIND_managed, arguments);
		break;
	case HIP_ID_hipHostMalloc:
	case HIP_ID_hipMallocHost:
	case HIP_ID_hipHostAlloc:
	case HIP_ID_hipExtHostAlloc:
	case HIP_ID_hipMemAllocHost:
		allocated(TANDEM_MEMORY_KIND_host, arguments);
		break;
	default:
		break;
	}
}
