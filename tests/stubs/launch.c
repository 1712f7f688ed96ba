/* SPDX-License-Identifier: MIT */
/* Commands that launch something, order others, or move memory between devices. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "program.h"
#include "queue.h"

cl_int stub_clEnqueueNDRangeKernel(cl_command_queue command_queue, cl_kernel kernel,
				   cl_uint work_dim, const size_t *global_work_offset,
				   const size_t *global_work_size, const size_t *local_work_size,
				   cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
				   cl_event *event)
{
	ENTER(clEnqueueNDRangeKernel);
	size_t items = 1;

	(void)global_work_offset;
	if (!stub_object_check(kernel, STUB_kernel))
		return CL_INVALID_KERNEL;
	if (work_dim < 1 || work_dim > 3)
		return CL_INVALID_WORK_DIMENSION;
	if (!global_work_size)
		return CL_INVALID_GLOBAL_WORK_SIZE;
	for (cl_uint i = 0; local_work_size && i < work_dim; i++)
		if (!local_work_size[i] || local_work_size[i] > 256)
			return CL_INVALID_WORK_GROUP_SIZE;
	for (cl_uint i = 0; i < work_dim; i++)
		items *= global_work_size[i];
	for (cl_uint i = 0; i < STUB_KERNEL_ARGUMENTS; i++)
		if (kernel->memory[i])
			stub_memory_root(kernel->memory[i])->changes++;
	return stub_enqueue(&(struct stub_command){STUB_COMMAND(CL_COMMAND_NDRANGE_KERNEL),
						   .amount = items,
						   .first = !atomic_exchange(&kernel->used, true)});
}

cl_int stub_clEnqueueTask(cl_command_queue command_queue, cl_kernel kernel,
			  cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
			  cl_event *event)
{
	ENTER(clEnqueueTask);
	if (!stub_object_check(kernel, STUB_kernel))
		return CL_INVALID_KERNEL;
	return stub_enqueue(&(struct stub_command){STUB_COMMAND(CL_COMMAND_TASK)});
}

struct native {
	void(CL_CALLBACK *function)(void *);
	unsigned char arguments[]; /* the program's, copied */
};

static void native_run(void *payload)
{
	struct native *native = payload;

	native->function(native->arguments);
}

cl_int stub_clEnqueueNativeKernel(cl_command_queue command_queue,
				  void(CL_CALLBACK *user_func)(void *), void *args, size_t cb_args,
				  cl_uint num_mem_objects, const cl_mem *mem_list,
				  const void **args_mem_loc, cl_uint num_events_in_wait_list,
				  const cl_event *event_wait_list, cl_event *event)
{
	ENTER(clEnqueueNativeKernel);
	if (!user_func || (!args && (cb_args || num_mem_objects)) ||
	    !num_mem_objects != !mem_list || !num_mem_objects != !args_mem_loc)
		return CL_INVALID_VALUE;

	struct native *native = malloc(sizeof(*native) + cb_args);

	if (!native)
		return CL_OUT_OF_HOST_MEMORY;
	native->function = user_func;
	if (cb_args)
		memcpy(native->arguments, args, cb_args);
	for (cl_uint i = 0; i < num_mem_objects; i++) {
		size_t place = (size_t)((const char *)args_mem_loc[i] - (const char *)args);

		memcpy(native->arguments + place, &mem_list[i]->data, sizeof(void *));
	}

	cl_int error = stub_enqueue(&(struct stub_command){
		STUB_COMMAND(CL_COMMAND_NATIVE_KERNEL), .run = native_run, .payload = native,
		.payload_bytes = sizeof(*native) + cb_args});

	free(native);
	return error;
}

cl_int stub_clEnqueueMarkerWithWaitList(cl_command_queue command_queue,
					cl_uint num_events_in_wait_list,
					const cl_event *event_wait_list, cl_event *event)
{
	ENTER(clEnqueueMarkerWithWaitList);
	return stub_enqueue(&(struct stub_command){STUB_COMMAND(CL_COMMAND_MARKER)});
}

cl_int stub_clEnqueueBarrierWithWaitList(cl_command_queue command_queue,
					 cl_uint num_events_in_wait_list,
					 const cl_event *event_wait_list, cl_event *event)
{
	ENTER(clEnqueueBarrierWithWaitList);
	return stub_enqueue(&(struct stub_command){STUB_COMMAND(CL_COMMAND_BARRIER)});
}

cl_int stub_clEnqueueMarker(cl_command_queue command_queue, cl_event *event)
{
	ENTER(clEnqueueMarker);
	if (!event && !stub_config.marker)
		return CL_INVALID_VALUE;
	return stub_enqueue(&(struct stub_command){
		.queue = command_queue, .type = CL_COMMAND_MARKER, .event = event});
}

cl_int stub_clEnqueueBarrier(cl_command_queue command_queue)
{
	ENTER(clEnqueueBarrier);
	return stub_enqueue(
		&(struct stub_command){.queue = command_queue, .type = CL_COMMAND_BARRIER});
}

cl_int stub_clEnqueueWaitForEvents(cl_command_queue command_queue, cl_uint num_events,
				   const cl_event *event_list)
{
	ENTER(clEnqueueWaitForEvents);
	if (!num_events || !event_list)
		return CL_INVALID_VALUE;
	return stub_enqueue(&(struct stub_command){.queue = command_queue,
						   .type = CL_COMMAND_BARRIER,
						   .wait_count = num_events,
						   .wait = event_list});
}

cl_int stub_clEnqueueMigrateMemObjects(cl_command_queue command_queue, cl_uint num_mem_objects,
				       const cl_mem *mem_objects, cl_mem_migration_flags flags,
				       cl_uint num_events_in_wait_list,
				       const cl_event *event_wait_list, cl_event *event)
{
	ENTER(clEnqueueMigrateMemObjects);
	(void)flags;
	if (!num_mem_objects || !mem_objects)
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; i < num_mem_objects; i++)
		if (!stub_object_check(mem_objects[i], STUB_memory))
			return CL_INVALID_MEM_OBJECT;
	return stub_enqueue(&(struct stub_command){STUB_COMMAND(CL_COMMAND_MIGRATE_MEM_OBJECTS)});
}
