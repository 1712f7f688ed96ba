/* SPDX-License-Identifier: MIT */
/* What the program asks of its events: answered as if we held none of them and
 * had switched no profiling on. */
#include <errno.h>

#include "core/call/call.h"
#include "core/pool.h"
#include "domains/opencl/cl.h"
#include "domains/opencl/command.h"
#include "domains/opencl/gen/custom.h"
#include "domains/opencl/gen/records.h"
#include "domains/opencl/query.h"
#include "domains/opencl/queue.h"
#include "domains/opencl/recording.h"
#include "schema/gen/opencl_records.h"

int32_t opencl_custom_clGetEventInfo(opencl_pfn_clGetEventInfo real, void *event,
				     uint32_t param_name, size_t param_value_size,
				     void *param_value, void *param_value_size_ret)
{
	struct tandem_call call = {.record = NULL};
	int32_t result;

	if (opencl_recording())
		opencl_begin_clGetEventInfo(&call, event, param_name, param_value_size, param_value,
					    param_value_size_ret);
	result = real(event, param_name, param_value_size, param_value, param_value_size_ret);
	tandem_call_end(&call, result);
	if (result || !param_value)
		return result;
	if (param_name == CL_EVENT_REFERENCE_COUNT &&
	    tandem_event_held(TANDEM_KIND(opencl, event), event))
		--*(uint32_t *)param_value;
	if (param_name == CL_EVENT_COMMAND_EXECUTION_STATUS && *(int32_t *)param_value <= 0 &&
	    tandem_event_held(TANDEM_KIND(opencl, event), event))
		opencl_harvest_event(event, TANDEM_COMPLETION_SOURCE_status);
	return result;
}

int32_t opencl_custom_clGetEventProfilingInfo(opencl_pfn_clGetEventProfilingInfo real, void *event,
					      uint32_t param_name, size_t param_value_size,
					      void *param_value, void *param_value_size_ret)
{
	struct tandem_call call = {.record = NULL};
	struct opencl_queue *queue = NULL;
	int32_t result;

	if (opencl_recording())
		opencl_begin_clGetEventProfilingInfo(&call, event, param_name, param_value_size,
						     param_value, param_value_size_ret);
	if (atomic_load_explicit(&opencl_hiding, memory_order_relaxed) && event)
		queue = opencl_queue_find((void *)(uintptr_t)opencl_info_u64(
			opencl_next.clGetEventInfo, event, CL_EVENT_COMMAND_QUEUE));
	/* OpenCL 3.0, 5.14: so it is on a queue without profiling. */
	if (queue && queue->timing == TANDEM_TIMING_forced)
		result = CL_PROFILING_INFO_NOT_AVAILABLE;
	else
		result = real(event, param_name, param_value_size, param_value,
			      param_value_size_ret);
	tandem_call_end(&call, result);
	return result;
}

/* The program's callback, called through ours: its call proves the end of the
 * command, and costs no callback of our own. What it does is time of the driver's. */
struct callback {
	void *pool_next; /* the pool's word */
	void (*function)(void *event, int32_t status, void *data);
	void *data;
};

static struct tandem_pool callback_pool = TANDEM_POOL(sizeof(struct callback));

static void callback_begin(struct tandem_call *call, const struct callback *callback, void *event,
			   int32_t status)
{
	struct tandem_opencl_event_callback *record;

	call->record = NULL;
	if (!opencl_recording())
		return;
	record = tandem_call_begin(call, TANDEM_OPENCL_EVENT_event_callback, sizeof(*record));
	if (!record)
		return;
	record->event = tandem_event_op(TANDEM_KIND(opencl, event), event);
	record->function = (uint64_t)(uintptr_t)callback->function;
	record->status = status;
	tandem_call_commit(call);
}

static void callback_called(void *event, int32_t status, void *data)
{
	struct callback callback = *(struct callback *)data;
	struct tandem_call call;

	tandem_pool_give(&callback_pool, data);
	if (status == CL_COMPLETE && tandem_event_held(TANDEM_KIND(opencl, event), event))
		opencl_harvest_event(event, TANDEM_COMPLETION_SOURCE_callback);
	callback_begin(&call, &callback, event, status);
	callback.function(event, status, callback.data);
	tandem_call_end(&call, 0);
}

int32_t opencl_custom_clSetEventCallback(opencl_pfn_clSetEventCallback real, void *event,
					 int32_t command_exec_callback_type, void *pfn_notify,
					 void *user_data)
{
	struct tandem_call call;
	struct callback *callback = NULL;
	int32_t result;

	opencl_begin_clSetEventCallback(&call, event, command_exec_callback_type, pfn_notify,
					user_data);
	if (pfn_notify && event)
		callback = tandem_pool_take(&callback_pool);
	if (callback) {
		callback->function = (void (*)(void *, int32_t, void *))pfn_notify;
		callback->data = user_data;
		result = real(event, command_exec_callback_type, (void *)callback_called, callback);
		if (result)
			tandem_pool_give(&callback_pool, callback);
	} else {
		result = real(event, command_exec_callback_type, pfn_notify, user_data);
	}
	tandem_call_end(&call, result);
	return result;
}
