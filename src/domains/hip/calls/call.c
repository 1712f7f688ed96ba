/* SPDX-License-Identifier: MIT */
#include "domains/hip/calls/call.h"

#include <string.h>

#include "core/call/arguments.h"
#include "core/domain.h"
#include "core/pool.h"
#include "core/stream/stream.h"
#include "domains/hip/attach/runtime.h"
#include "domains/hip/calls/hooks.h"
#include "domains/hip/calls/launch.h"
#include "domains/hip/calls/thread.h"
#include "domains/hip/functions.h"
#include "domains/hip/gen/ids.h"
#include "domains/hip/kernel.h"
#include "domains/hip/object.h"
#include "domains/hip/operation.h"
#include "domains/hip/queue.h"
#include "domains/hip/state.h"

static struct tandem_pool calls = TANDEM_POOL(sizeof(struct hip_call));

struct hip_call *hip_call_enter(void)
{
	struct hip_call *call = tandem_pool_take(&calls);

	if (!call)
		return NULL;
	call->data = NULL;
	call->frame = NULL;
	call->outer = hip_thread.innermost;
	hip_thread.innermost = call;
	return call;
}

void hip_call_leave(struct hip_call *call)
{
	struct hip_call *innermost;

	do {
		innermost = hip_thread.innermost;
		hip_thread.innermost = innermost->outer;
		tandem_pool_give(&calls, innermost);
	} while (innermost != call && hip_thread.innermost);
}

bool hip_call_prepare(struct hip_call *call, uint32_t function, bool hip5)
{
	const struct arguments_function *api = &hip_functions[function];

	call->call.record = NULL;
	call->op = 0;
	call->function = 0;
	call->hip5 = hip5;
	if (!hip_recording() || hip_thread.in_tool || !api->id)
		return false;
	hip_runtime_describe();
	call->function = function;
	if (!hip_wanted(TANDEM_HIP_kernels) || api->flags & ARGUMENTS_QUIET ||
	    !domain_is_reporting(TANDEM_DOMAIN_hip))
		return true;
	if (tandem_unlikely(!tandem_thread.number) && tandem_stream_open())
		return true;
	call->op = tandem_operation_next();
	if (api->class != TANDEM_CLASS_ENQUEUE)
		call->op |= HIP_NO_OPERATION;
	return true;
}

static uint32_t object_number(enum arguments_kind kind, const void *handle)
{
	uint32_t number;

	switch (kind) {
	case ARGUMENTS_QUEUE:
		return hip_queue(handle);
	case ARGUMENTS_KERNEL:
		return hip_kernel_of_function(handle);
	case ARGUMENTS_SYMBOL:
		return hip_kernel_of_symbol(handle);
	case ARGUMENTS_EVENT:
		number = handle ? tandem_object_find(HIP_KIND(event), handle) : 0;
		return number || !handle ? number : tandem_object_assign(HIP_KIND(event), handle);
	default:
		return 0;
	}
}

static bool is_per_thread(uint32_t function)
{
	return function >= HIP_ID_hipEventRecord_spt && hip_function_names[function] &&
	       strstr(hip_function_names[function], "_spt") != NULL;
}

/* The stream that the call is about. */
static const void *stream_of(const struct arguments_function *api, uint32_t function,
			     const void *arguments)
{
	const void *stream = arguments_handle(api, hip_steps, arguments, ARGUMENTS_QUEUE, NULL);

	if (!stream)
		stream = hip_launch_stream(function, arguments);
	return !stream && is_per_thread(function) ? HIP_STREAM_PER_THREAD : stream;
}

static uint32_t kernel_of(const struct arguments_function *api, const void *arguments)
{
	const void *symbol = arguments_handle(api, hip_steps, arguments, ARGUMENTS_SYMBOL, NULL);
	const void *function;

	if (symbol)
		return hip_kernel_of_symbol(symbol);
	function = arguments_handle(api, hip_steps, arguments, ARGUMENTS_KERNEL, NULL);
	return function ? hip_kernel_of_function(function) : 0;
}

/* While some stream is being captured, the runtime knows which: then a launch makes a node
 * of a graph, and no operation. */
static bool is_captured(const void *stream)
{
	int32_t status = 0;

	if (tandem_likely(!atomic_load_explicit(&hip_captures, memory_order_relaxed)) ||
	    !hip_runtime.hipStreamIsCapturing)
		return false;
	hip_in_tool_begin();
	if (hip_runtime.hipStreamIsCapturing(stream, &status))
		status = 0;
	hip_in_tool_end();
	return status != 0;
}

/* Where its operations go, for when the runtime reports them. */
static void operation_expect(struct hip_call *call, const struct arguments_function *api,
			     const void *arguments)
{
	const void *stream = stream_of(api, call->function, arguments);
	uint32_t kernel;

	if (is_captured(stream)) {
		call->op = 0;
		return;
	}
	kernel = kernel_of(api, arguments);
	hip_operation_expect(call->op, hip_queue(stream), kernel,
			     kernel ? hip_launch_config(call->function, arguments, kernel) : 0);
}

void hip_call_record(struct hip_call *call, const void *arguments)
{
	const struct arguments_function *api;

	if (!call->function)
		return;
	api = hip_function(call->function, call->hip5);
	if (call->op)
		operation_expect(call, api, arguments);
	if (hip_wanted(TANDEM_HIP_api) && (!(api->flags & ARGUMENTS_QUIET) || hip_wants_all())) {
		bool enqueues = !(call->op & HIP_NO_OPERATION);
		struct call_prepared before;

		tandem_call_prepare(&before, api->id, enqueues ? 0 : call->op & ~HIP_NO_OPERATION,
				    call->frame);
		arguments_begin(&call->call, api, hip_steps, arguments, enqueues ? call->op : 0,
				object_number);
		tandem_call_restore(&before);
	}
	if (api->flags & ARGUMENTS_HOOK)
		hip_hook_before(call->function, arguments);
}

void hip_call_end(struct hip_call *call, const void *arguments, int32_t status)
{
	if (!call->function)
		return;
	tandem_call_end(&call->call,
			hip_functions[call->function].flags & ARGUMENTS_NO_STATUS ? 0 : status);
	if (!status && hip_functions[call->function].flags & ARGUMENTS_HOOK)
		hip_hook_after(call->function, arguments);
}
