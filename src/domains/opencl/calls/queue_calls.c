/* SPDX-License-Identifier: MIT */
/* Calls about queues. Device times need CL_QUEUE_PROFILING_ENABLE (OpenCL 3.0, 5.14),
 * so queues made while recording get it, and every answer that would show it is
 * changed back. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "core/call/call.h"
#include "domains/opencl/cl.h"
#include "domains/opencl/command.h"
#include "domains/opencl/gen/custom.h"
#include "domains/opencl/gen/records.h"
#include "domains/opencl/query.h"
#include "domains/opencl/queue.h"
#include "domains/opencl/recording.h"

/* Queues are made with profiling in a session that does not record yet, too: what they do
 * after `tandem resume` is timed. No record is made then. */
static bool force_wanted(uint64_t properties)
{
	return tandem_control.device_timing &&
	       !(properties & (CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_ON_DEVICE));
}

/* The driver has just answered. */
static void *queue_created(struct tandem_call *call, void *queue, int32_t error, uint8_t timing,
			   const uint64_t *list, size_t length, int32_t *errcode_ret)
{
	uint64_t end = tandem_ticks();
	int saved = errno;
	uint32_t number = queue ? opencl_queue_made(queue, timing, list, length) : 0;

	opencl_end_object(call, error, end, number, queue);
	if (errcode_ret)
		*errcode_ret = error;
	errno = saved;
	return queue;
}

void *opencl_custom_clCreateCommandQueue(opencl_pfn_clCreateCommandQueue real, void *context,
					 void *device, uint64_t properties, void *errcode_ret)
{
	struct tandem_call call = {.record = NULL};
	int32_t error = CL_SUCCESS;
	uint8_t timing = TANDEM_TIMING_unavailable;
	void *queue = NULL;

	if (opencl_recording())
		opencl_begin_clCreateCommandQueue(&call, context, device, properties, errcode_ret);
	if (force_wanted(properties)) {
		queue = real(context, device, properties | CL_QUEUE_PROFILING_ENABLE, &error);
		if (queue)
			timing = TANDEM_TIMING_forced;
	}
	if (!queue)
		queue = real(context, device, properties, &error);
	return queue_created(&call, queue, error, timing, NULL, 0, errcode_ret);
}

#define LIST_MAX 17 /* entries of a property list, with the closing 0 */

/* The list's length with its closing 0; 0 when it is longer than we handle. */
static size_t list_length(const uint64_t *list)
{
	for (size_t i = 0; i + 1 < LIST_MAX; i += 2)
		if (!list[i])
			return i + 1;
	return 0;
}

/* `out` becomes `list` with profiling on. False: it was on, or must not be. */
static bool list_force(uint64_t *out, const uint64_t *list, size_t length)
{
	size_t i;

	if (!list) {
		out[0] = CL_QUEUE_PROPERTIES;
		out[1] = CL_QUEUE_PROFILING_ENABLE;
		out[2] = 0;
		return force_wanted(0);
	}
	if (!length)
		return false;
	memcpy(out, list, length * sizeof(list[0]));
	for (i = 0; out[i]; i += 2) {
		if (out[i] == CL_QUEUE_PROPERTIES) {
			if (!force_wanted(out[i + 1]))
				return false;
			out[i + 1] |= CL_QUEUE_PROFILING_ENABLE;
			return true;
		}
	}
	out[i] = CL_QUEUE_PROPERTIES;
	out[i + 1] = CL_QUEUE_PROFILING_ENABLE;
	out[i + 2] = 0;
	return force_wanted(0);
}

static void *queue_from_list(opencl_pfn_clCreateCommandQueueWithProperties real,
			     struct tandem_call *call, void *context, void *device,
			     const uint64_t *list, int32_t *errcode_ret)
{
	uint64_t forced[LIST_MAX + 2];
	size_t length = list ? list_length(list) : 0;
	int32_t error = CL_SUCCESS;
	uint8_t timing = TANDEM_TIMING_unavailable;
	void *queue = NULL;

	if (list_force(forced, list, length)) {
		queue = real(context, device, forced, &error);
		if (queue)
			timing = TANDEM_TIMING_forced;
	}
	if (!queue)
		queue = real(context, device, list, &error);
	return queue_created(call, queue, error, timing, length ? list : NULL, length, errcode_ret);
}

void *
opencl_custom_clCreateCommandQueueWithProperties(opencl_pfn_clCreateCommandQueueWithProperties real,
						 void *context, void *device,
						 const void *properties, void *errcode_ret)
{
	struct tandem_call call = {.record = NULL};

	if (opencl_recording())
		opencl_begin_clCreateCommandQueueWithProperties(&call, context, device, properties,
								errcode_ret);
	return queue_from_list(real, &call, context, device, properties, errcode_ret);
}

void *opencl_custom_clCreateCommandQueueWithPropertiesKHR(
	opencl_pfn_clCreateCommandQueueWithPropertiesKHR real, void *context, void *device,
	const void *properties, void *errcode_ret)
{
	struct tandem_call call = {.record = NULL};

	if (opencl_recording())
		opencl_begin_clCreateCommandQueueWithPropertiesKHR(&call, context, device,
								   properties, errcode_ret);
	return queue_from_list(real, &call, context, device, properties, errcode_ret);
}

/* CL_QUEUE_PROPERTIES_ARRAY, as if the list had been passed on unchanged
 * (OpenCL 3.0, 5.1, table of clGetCommandQueueInfo). */
static int32_t list_answer(const struct opencl_queue *queue, size_t size, void *value,
			   size_t *size_ret)
{
	size_t bytes = queue->array ? queue->property_count * sizeof(queue->properties[0]) : 0;

	if (value && size < bytes)
		return CL_INVALID_VALUE;
	if (value && bytes)
		memcpy(value, queue->properties, bytes);
	if (size_ret)
		*size_ret = bytes;
	return CL_SUCCESS;
}

int32_t opencl_custom_clGetCommandQueueInfo(opencl_pfn_clGetCommandQueueInfo real,
					    void *command_queue, uint32_t param_name,
					    size_t param_value_size, void *param_value,
					    void *param_value_size_ret)
{
	struct opencl_queue *queue;
	struct tandem_call call = {.record = NULL};
	int32_t result;

	if (opencl_recording())
		opencl_begin_clGetCommandQueueInfo(&call, command_queue, param_name,
						   param_value_size, param_value,
						   param_value_size_ret);
	queue = opencl_queue_find(command_queue);
	if (queue && queue->timing == TANDEM_TIMING_forced &&
	    param_name == CL_QUEUE_PROPERTIES_ARRAY) {
		size_t bytes;

		/* The driver still says whether it knows this query at all. */
		result = real(command_queue, param_name, 0, NULL, &bytes);
		if (!result)
			result = list_answer(queue, param_value_size, param_value,
					     param_value_size_ret);
	} else {
		result = real(command_queue, param_name, param_value_size, param_value,
			      param_value_size_ret);
		if (queue && queue->timing == TANDEM_TIMING_forced && !result && param_value &&
		    param_name == CL_QUEUE_PROPERTIES)
			*(uint64_t *)param_value &= ~(uint64_t)CL_QUEUE_PROFILING_ENABLE;
	}
	tandem_call_end(&call, result);
	return result;
}

/* OpenCL 1.0's way to change a queue. A queue on which we forced profiling
 * keeps it, whatever the program switches. */
int32_t opencl_custom_clSetCommandQueueProperty(opencl_pfn_clSetCommandQueueProperty real,
						void *command_queue, uint64_t properties,
						uint32_t enable, void *old_properties)
{
	struct opencl_queue *queue = opencl_queue_find(command_queue);
	struct tandem_call call;
	uint64_t passed = properties;
	int32_t result;

	opencl_begin_clSetCommandQueueProperty(&call, command_queue, properties, enable,
					       old_properties);
	if (queue && queue->timing == TANDEM_TIMING_forced && !enable)
		passed &= ~(uint64_t)CL_QUEUE_PROFILING_ENABLE;
	result = real(command_queue, passed, enable, old_properties);
	if (queue && queue->timing == TANDEM_TIMING_forced && !result) {
		if (old_properties)
			*(uint64_t *)old_properties &= ~(uint64_t)CL_QUEUE_PROFILING_ENABLE;
		if (enable && properties & CL_QUEUE_PROFILING_ENABLE)
			queue->timing = TANDEM_TIMING_asked;
	}
	tandem_call_end(&call, result);
	return result;
}

int32_t opencl_custom_clReleaseCommandQueue(opencl_pfn_clReleaseCommandQueue real,
					    void *command_queue)
{
	struct opencl_queue *queue = opencl_queue_find(command_queue);
	struct tandem_call call = {.record = NULL};
	int32_t result;

	if (opencl_recording())
		opencl_begin_clReleaseCommandQueue(&call, command_queue);
	if (queue && atomic_load(&queue->pending)) {
		opencl_harvest(queue, TANDEM_COMPLETION_SOURCE_release);
		opencl_command_call_back(queue);
	}
	/* Forgotten before the driver can give the handle out again. */
	if (queue && opencl_info_u64(opencl_next.clGetCommandQueueInfo, command_queue,
				     CL_QUEUE_REFERENCE_COUNT) == 1)
		tandem_handle_set(TANDEM_HANDLE_STATE(opencl), command_queue, 0);
	result = real(command_queue);
	tandem_call_end(&call, result);
	return result;
}
