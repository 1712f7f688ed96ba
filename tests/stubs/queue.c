/* SPDX-License-Identifier: MIT */
#include "queue.h"

#include <stdlib.h>
#include <string.h>

#define KNOWN (CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE)

static cl_command_queue queue_create(cl_context context, cl_device_id device,
				     cl_command_queue_properties properties, cl_int *errcode_ret)
{
	if (!stub_object_check(context, STUB_context))
		return stub_fail(errcode_ret, CL_INVALID_CONTEXT);
	if (!stub_object_check(device, STUB_device))
		return stub_fail(errcode_ret, CL_INVALID_DEVICE);
	if (properties & ~(cl_command_queue_properties)KNOWN)
		return stub_fail(errcode_ret, CL_INVALID_VALUE);
	if ((properties & CL_QUEUE_PROFILING_ENABLE) && !strcmp(stub_config.profiling, "refuse"))
		return stub_fail(errcode_ret, CL_INVALID_QUEUE_PROPERTIES);

	cl_command_queue queue = stub_object_create(STUB_queue, sizeof(*queue));

	if (!queue)
		return stub_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
	queue->context = context;
	queue->device = device;
	queue->properties = properties;
	stub_engine_add(queue);
	stub_succeed(errcode_ret);
	return queue;
}

cl_command_queue stub_clCreateCommandQueue(cl_context context, cl_device_id device,
					   cl_command_queue_properties properties,
					   cl_int *errcode_ret)
{
	ENTER_HANDLE(clCreateCommandQueue);
	return queue_create(context, device, properties, errcode_ret);
}

static cl_command_queue queue_create_listed(cl_context context, cl_device_id device,
					    const cl_queue_properties *list, cl_int *errcode_ret)
{
	cl_command_queue_properties properties = 0;
	cl_uint count = 0;

	for (; list && list[count]; count += 2) {
		if (list[count] != CL_QUEUE_PROPERTIES)
			return stub_fail(errcode_ret, CL_INVALID_VALUE);
		properties = list[count + 1];
	}

	cl_command_queue queue = queue_create(context, device, properties, errcode_ret);

	if (queue && list) {
		queue->property_count = count + 1;
		queue->property_array = calloc(count + 1, sizeof(*list));
		memcpy(queue->property_array, list, (count + 1) * sizeof(*list));
	}
	return queue;
}

cl_command_queue stub_clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
							 const cl_queue_properties *properties,
							 cl_int *errcode_ret)
{
	ENTER_HANDLE(clCreateCommandQueueWithProperties);
	return queue_create_listed(context, device, properties, errcode_ret);
}

cl_command_queue
stub_clCreateCommandQueueWithPropertiesKHR(cl_context context, cl_device_id device,
					   const cl_queue_properties_khr *properties,
					   cl_int *errcode_ret)
{
	ENTER_HANDLE(clCreateCommandQueueWithPropertiesKHR);
	return queue_create_listed(context, device, properties, errcode_ret);
}

cl_int stub_clRetainCommandQueue(cl_command_queue queue)
{
	ENTER(clRetainCommandQueue);
	if (!stub_object_check(queue, STUB_queue))
		return CL_INVALID_COMMAND_QUEUE;
	stub_object_retain(queue);
	return CL_SUCCESS;
}

cl_int stub_clReleaseCommandQueue(cl_command_queue queue)
{
	ENTER(clReleaseCommandQueue);
	if (!stub_object_check(queue, STUB_queue))
		return CL_INVALID_COMMAND_QUEUE;
	stub_engine_poke();
	if (!stub_object_release(queue))
		return CL_SUCCESS;
	pthread_mutex_lock(&stub_lock);
	queue->orphan = queue->first;

	bool orphan = queue->orphan;

	pthread_mutex_unlock(&stub_lock);
	if (!orphan)
		stub_queue_free(queue);
	return CL_SUCCESS;
}

void stub_queue_free(cl_command_queue queue)
{
	stub_engine_remove(queue);
	free(queue->property_array);
	stub_object_free(queue);
}

cl_int stub_clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info param_name,
				  size_t param_value_size, void *param_value,
				  size_t *param_value_size_ret)
{
	ENTER(clGetCommandQueueInfo);
	if (!stub_object_check(queue, STUB_queue))
		return CL_INVALID_COMMAND_QUEUE;
	switch (param_name) {
	case CL_QUEUE_CONTEXT:
		INFO(cl_context, queue->context);
	case CL_QUEUE_DEVICE:
		INFO(cl_device_id, queue->device);
	case CL_QUEUE_REFERENCE_COUNT:
		INFO(cl_uint, (cl_uint)queue->object.references);
	case CL_QUEUE_PROPERTIES:
		INFO(cl_command_queue_properties, queue->properties);
	case CL_QUEUE_PROPERTIES_ARRAY:
		INFO_BYTES(queue->property_array,
			   queue->property_count * sizeof(*queue->property_array));
	case CL_QUEUE_DEVICE_DEFAULT:
		INFO(cl_command_queue, NULL);
	default:
		return CL_INVALID_VALUE;
	}
}

cl_int stub_clSetCommandQueueProperty(cl_command_queue queue,
				      cl_command_queue_properties properties, cl_bool enable,
				      cl_command_queue_properties *old_properties)
{
	ENTER(clSetCommandQueueProperty);
	if (!stub_object_check(queue, STUB_queue))
		return CL_INVALID_COMMAND_QUEUE;
	if (properties & ~(cl_command_queue_properties)KNOWN)
		return CL_INVALID_VALUE;
	if (old_properties)
		*old_properties = queue->properties;
	if (enable)
		queue->properties |= properties;
	else
		queue->properties &= ~properties;
	return CL_SUCCESS;
}

cl_int stub_clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device,
					   cl_command_queue queue)
{
	ENTER(clSetDefaultDeviceCommandQueue);
	(void)device, (void)queue;
	return stub_object_check(context, STUB_context) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT;
}

cl_int stub_clFlush(cl_command_queue queue)
{
	ENTER(clFlush);
	if (!stub_object_check(queue, STUB_queue))
		return CL_INVALID_COMMAND_QUEUE;
	stub_engine_flush(queue);
	return CL_SUCCESS;
}

cl_int stub_clFinish(cl_command_queue queue)
{
	ENTER(clFinish);
	if (!stub_object_check(queue, STUB_queue))
		return CL_INVALID_COMMAND_QUEUE;
	stub_engine_finish(queue);
	return CL_SUCCESS;
}
