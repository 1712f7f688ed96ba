/* SPDX-License-Identifier: MIT */
/* Calls that free memory objects, and those of shared virtual memory. */
#include <errno.h>

#include "core/call/call.h"
#include "domains/opencl/cl.h"
#include "domains/opencl/gen/custom.h"
#include "domains/opencl/gen/records.h"
#include "domains/opencl/memory.h"
#include "domains/opencl/recording.h"

int32_t opencl_custom_clReleaseMemObject(opencl_pfn_clReleaseMemObject real, void *memobj)
{
	struct tandem_call call;
	uint32_t number = tandem_object_find(TANDEM_KIND(opencl, memory), memobj);
	uint64_t bytes = 0;
	bool last = number && opencl_memory_release(memobj, &bytes);
	int32_t result;

	opencl_begin_clReleaseMemObject(&call, memobj);
	if (last)
		tandem_object_forget(TANDEM_KIND(opencl, memory), memobj);
	result = real(memobj);
	tandem_call_end(&call, result);
	if (last && result == CL_SUCCESS)
		opencl_memory_freed(number, bytes);
	else if (number && result != CL_SUCCESS)
		opencl_memory_release_failed(memobj);
	return result;
}

void *opencl_custom_clSVMAlloc(opencl_pfn_clSVMAlloc real, void *context, uint64_t flags,
			       size_t size, uint32_t alignment)
{
	struct tandem_call call;
	void *pointer;
	int saved;

	opencl_begin_clSVMAlloc(&call, context, flags, size, alignment);
	pointer = real(context, flags, size, alignment);
	opencl_end_pointer(&call, 0, tandem_ticks(), (uint64_t)(uintptr_t)pointer, pointer);
	saved = errno;
	opencl_allocated(pointer, OPENCL_FN_clSVMAlloc, TANDEM_MEMORY_KIND_svm, context, NULL,
			 flags, size);
	errno = saved;
	return pointer;
}

void opencl_custom_clSVMFree(opencl_pfn_clSVMFree real, void *context, void *svm_pointer)
{
	struct tandem_call call;
	int saved = errno;

	/* Before the real free: afterwards another thread may be given the
	 * same address. */
	opencl_freeing(svm_pointer);
	errno = saved;
	opencl_begin_clSVMFree(&call, context, svm_pointer);
	real(context, svm_pointer);
	tandem_call_end(&call, 0);
}
