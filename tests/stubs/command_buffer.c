/* SPDX-License-Identifier: MIT */
/* cl_khr_command_buffer, as far as kernels go: an extension that a program has
 * only by the names of its functions. */
#include "program.h"
#include "queue.h"

struct _cl_command_buffer_khr {
	struct stub_object object;
	cl_command_queue queue;
	cl_command_buffer_state_khr state;
	cl_uint commands;
};

cl_command_buffer_khr
stub_clCreateCommandBufferKHR(cl_uint num_queues, const cl_command_queue *queues,
			      const cl_command_buffer_properties_khr *properties,
			      cl_int *errcode_ret)
{
	ENTER_HANDLE(clCreateCommandBufferKHR);
	(void)properties;
	if (num_queues != 1 || !queues)
		return stub_fail(errcode_ret, CL_INVALID_VALUE);
	if (!stub_object_check(queues[0], STUB_queue))
		return stub_fail(errcode_ret, CL_INVALID_COMMAND_QUEUE);

	cl_command_buffer_khr buffer = stub_object_create(STUB_command_buffer, sizeof(*buffer));

	if (!buffer)
		return stub_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
	buffer->queue = queues[0];
	buffer->state = CL_COMMAND_BUFFER_STATE_RECORDING_KHR;
	stub_succeed(errcode_ret);
	return buffer;
}

cl_int stub_clFinalizeCommandBufferKHR(cl_command_buffer_khr buffer)
{
	ENTER(clFinalizeCommandBufferKHR);
	if (!stub_object_check(buffer, STUB_command_buffer))
		return CL_INVALID_COMMAND_BUFFER_KHR;
	if (buffer->state != CL_COMMAND_BUFFER_STATE_RECORDING_KHR)
		return CL_INVALID_OPERATION;
	buffer->state = CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR;
	return CL_SUCCESS;
}

cl_int stub_clRetainCommandBufferKHR(cl_command_buffer_khr buffer)
{
	ENTER(clRetainCommandBufferKHR);
	if (!stub_object_check(buffer, STUB_command_buffer))
		return CL_INVALID_COMMAND_BUFFER_KHR;
	stub_object_retain(buffer);
	return CL_SUCCESS;
}

cl_int stub_clReleaseCommandBufferKHR(cl_command_buffer_khr buffer)
{
	ENTER(clReleaseCommandBufferKHR);
	if (!stub_object_check(buffer, STUB_command_buffer))
		return CL_INVALID_COMMAND_BUFFER_KHR;
	if (stub_object_release(buffer))
		stub_object_free(buffer);
	return CL_SUCCESS;
}

cl_int stub_clCommandNDRangeKernelKHR(cl_command_buffer_khr buffer, cl_command_queue command_queue,
				      const cl_ndrange_kernel_command_properties_khr *properties,
				      cl_kernel kernel, cl_uint work_dim,
				      const size_t *global_work_offset,
				      const size_t *global_work_size, const size_t *local_work_size,
				      cl_uint num_sync_points_in_wait_list,
				      const cl_sync_point_khr *sync_point_wait_list,
				      cl_sync_point_khr *sync_point,
				      cl_mutable_command_khr *mutable_handle)
{
	ENTER(clCommandNDRangeKernelKHR);
	(void)command_queue, (void)properties, (void)global_work_offset, (void)local_work_size;
	(void)num_sync_points_in_wait_list, (void)sync_point_wait_list, (void)mutable_handle;
	if (!stub_object_check(buffer, STUB_command_buffer))
		return CL_INVALID_COMMAND_BUFFER_KHR;
	if (buffer->state != CL_COMMAND_BUFFER_STATE_RECORDING_KHR)
		return CL_INVALID_OPERATION;
	if (!stub_object_check(kernel, STUB_kernel))
		return CL_INVALID_KERNEL;
	if (work_dim < 1 || work_dim > 3 || !global_work_size)
		return CL_INVALID_WORK_DIMENSION;
	buffer->commands++;
	if (sync_point)
		*sync_point = buffer->commands;
	return CL_SUCCESS;
}

cl_int stub_clEnqueueCommandBufferKHR(cl_uint num_queues, cl_command_queue *queues,
				      cl_command_buffer_khr buffer, cl_uint num_events_in_wait_list,
				      const cl_event *event_wait_list, cl_event *event)
{
	ENTER(clEnqueueCommandBufferKHR);
	if (!stub_object_check(buffer, STUB_command_buffer))
		return CL_INVALID_COMMAND_BUFFER_KHR;
	if (buffer->state == CL_COMMAND_BUFFER_STATE_RECORDING_KHR)
		return CL_INVALID_OPERATION;
	if (!num_queues != !queues)
		return CL_INVALID_VALUE;

	cl_command_queue command_queue = queues ? queues[0] : buffer->queue;

	return stub_enqueue(&(struct stub_command){STUB_COMMAND(CL_COMMAND_COMMAND_BUFFER_KHR)});
}

cl_int stub_clGetCommandBufferInfoKHR(cl_command_buffer_khr buffer,
				      cl_command_buffer_info_khr param_name,
				      size_t param_value_size, void *param_value,
				      size_t *param_value_size_ret)
{
	ENTER(clGetCommandBufferInfoKHR);
	if (!stub_object_check(buffer, STUB_command_buffer))
		return CL_INVALID_COMMAND_BUFFER_KHR;
	switch (param_name) {
	case CL_COMMAND_BUFFER_QUEUES_KHR:
		INFO(cl_command_queue, buffer->queue);
	case CL_COMMAND_BUFFER_NUM_QUEUES_KHR:
		INFO(cl_uint, 1);
	case CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR:
		INFO(cl_uint, (cl_uint)buffer->object.references);
	case CL_COMMAND_BUFFER_STATE_KHR:
		INFO(cl_command_buffer_state_khr, buffer->state);
	default:
		return CL_INVALID_VALUE;
	}
}
