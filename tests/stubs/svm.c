/* SPDX-License-Identifier: MIT */
/* Shared virtual memory: plain memory that is known to the driver, and the host
 * allocations of cl_intel_unified_shared_memory. */
#include <stdlib.h>
#include <string.h>

#include "queue.h"
#include "rect.h"

static void *memory_create(cl_context context, size_t bytes)
{
	if (!stub_object_check(context, STUB_context) || !bytes)
		return NULL;
	return calloc(1, bytes);
}

void *stub_clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
	ENTER_POINTER(clSVMAlloc);
	(void)flags;
	if (alignment & (alignment - 1))
		return NULL;
	return memory_create(context, size);
}

void stub_clSVMFree(cl_context context, void *svm_pointer)
{
	stub_call(STUB_FN_clSVMFree);
	if (stub_object_check(context, STUB_context))
		free(svm_pointer);
}

void *stub_clHostMemAllocINTEL(cl_context context, const cl_mem_properties_intel *properties,
			       size_t size, cl_uint alignment, cl_int *errcode_ret)
{
	ENTER_HANDLE(clHostMemAllocINTEL);
	(void)properties, (void)alignment;

	void *memory = memory_create(context, size);

	if (!memory)
		return stub_fail(errcode_ret, size ? CL_INVALID_CONTEXT : CL_INVALID_BUFFER_SIZE);
	stub_succeed(errcode_ret);
	return memory;
}

cl_int stub_clMemFreeINTEL(cl_context context, void *ptr)
{
	ENTER(clMemFreeINTEL);
	if (!stub_object_check(context, STUB_context))
		return CL_INVALID_CONTEXT;
	free(ptr);
	return CL_SUCCESS;
}

static cl_int copy_enqueue(struct stub_command command, void *to, const void *from, size_t bytes)
{
	const struct stub_rect rect = {
		.to = {.data = to},
		.from = {.data = (char *)from},
		.size = {bytes, 1, 1},
	};

	if (!to || !from)
		return CL_INVALID_VALUE;
	command.run = stub_rect_run;
	command.payload = &rect;
	command.payload_bytes = sizeof(rect);
	return stub_enqueue(&command);
}

cl_int stub_clEnqueueSVMMemcpy(cl_command_queue command_queue, cl_bool blocking_copy, void *dst_ptr,
			       const void *src_ptr, size_t size, cl_uint num_events_in_wait_list,
			       const cl_event *event_wait_list, cl_event *event)
{
	ENTER(clEnqueueSVMMemcpy);
	return copy_enqueue((struct stub_command){STUB_COMMAND(CL_COMMAND_SVM_MEMCPY),
						  .blocking = blocking_copy},
			    dst_ptr, src_ptr, size);
}

cl_int stub_clEnqueueMemcpyINTEL(cl_command_queue command_queue, cl_bool blocking, void *dst_ptr,
				 const void *src_ptr, size_t size, cl_uint num_events_in_wait_list,
				 const cl_event *event_wait_list, cl_event *event)
{
	ENTER(clEnqueueMemcpyINTEL);
	return copy_enqueue(
		(struct stub_command){STUB_COMMAND(CL_COMMAND_MEMCPY_INTEL), .blocking = blocking},
		dst_ptr, src_ptr, size);
}

cl_int stub_clEnqueueSVMMemFill(cl_command_queue command_queue, void *svm_ptr, const void *pattern,
				size_t pattern_size, size_t size, cl_uint num_events_in_wait_list,
				const cl_event *event_wait_list, cl_event *event)
{
	struct stub_rect rect = {
		.to = {.data = svm_ptr},
		.size = {size, 1, 1},
		.pattern_bytes = pattern_size,
	};

	ENTER(clEnqueueSVMMemFill);
	if (!svm_ptr || !pattern || !pattern_size || pattern_size > sizeof(rect.pattern) ||
	    size % pattern_size)
		return CL_INVALID_VALUE;
	memcpy(rect.pattern, pattern, pattern_size);
	return stub_enqueue(&(struct stub_command){STUB_COMMAND(CL_COMMAND_SVM_MEMFILL),
						   .run = stub_rect_run, .payload = &rect,
						   .payload_bytes = sizeof(rect)});
}

cl_int stub_clEnqueueSVMMap(cl_command_queue command_queue, cl_bool blocking_map,
			    cl_map_flags flags, void *svm_ptr, size_t size,
			    cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
			    cl_event *event)
{
	ENTER(clEnqueueSVMMap);
	(void)flags;
	if (!svm_ptr || !size)
		return CL_INVALID_VALUE;
	return stub_enqueue(
		&(struct stub_command){STUB_COMMAND(CL_COMMAND_SVM_MAP), .blocking = blocking_map});
}

cl_int stub_clEnqueueSVMUnmap(cl_command_queue command_queue, void *svm_ptr,
			      cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
			      cl_event *event)
{
	ENTER(clEnqueueSVMUnmap);
	if (!svm_ptr)
		return CL_INVALID_VALUE;
	return stub_enqueue(&(struct stub_command){STUB_COMMAND(CL_COMMAND_SVM_UNMAP)});
}

cl_int stub_clEnqueueSVMMigrateMem(cl_command_queue command_queue, cl_uint num_svm_pointers,
				   const void **svm_pointers, const size_t *sizes,
				   cl_mem_migration_flags flags, cl_uint num_events_in_wait_list,
				   const cl_event *event_wait_list, cl_event *event)
{
	ENTER(clEnqueueSVMMigrateMem);
	(void)sizes, (void)flags;
	if (!num_svm_pointers || !svm_pointers)
		return CL_INVALID_VALUE;
	return stub_enqueue(&(struct stub_command){STUB_COMMAND(CL_COMMAND_SVM_MIGRATE_MEM)});
}

/* clEnqueueSVMFree: the pointers, or the program's function that frees them. */
struct free_list {
	void(CL_CALLBACK *free_func)(cl_command_queue, cl_uint, void **, void *);
	cl_command_queue queue;
	void *user_data;
	cl_uint count;
	void *pointers[];
};

static void free_run(void *payload)
{
	struct free_list *list = payload;

	if (list->free_func) {
		list->free_func(list->queue, list->count, list->pointers, list->user_data);
		return;
	}
	for (cl_uint i = 0; i < list->count; i++)
		free(list->pointers[i]);
}

cl_int stub_clEnqueueSVMFree(cl_command_queue command_queue, cl_uint num_svm_pointers,
			     void *svm_pointers[],
			     void(CL_CALLBACK *pfn_free_func)(cl_command_queue, cl_uint, void **,
							      void *),
			     void *user_data, cl_uint num_events_in_wait_list,
			     const cl_event *event_wait_list, cl_event *event)
{
	ENTER(clEnqueueSVMFree);
	if (!num_svm_pointers != !svm_pointers)
		return CL_INVALID_VALUE;

	size_t bytes = sizeof(struct free_list) + num_svm_pointers * sizeof(void *);
	struct free_list *list = malloc(bytes);

	if (!list)
		return CL_OUT_OF_HOST_MEMORY;
	list->free_func = pfn_free_func;
	list->queue = command_queue;
	list->user_data = user_data;
	list->count = num_svm_pointers;
	for (cl_uint i = 0; i < num_svm_pointers; i++)
		list->pointers[i] = svm_pointers[i];

	cl_int error = stub_enqueue(&(struct stub_command){STUB_COMMAND(CL_COMMAND_SVM_FREE),
							   .run = free_run, .payload = list,
							   .payload_bytes = bytes});

	free(list);
	return error;
}
