/* SPDX-License-Identifier: MIT */
#include "domains/hip/attach/tracer_callback.h"

#include <errno.h>
#include <string.h>

#include "domains/hip/abi.h"
#include "domains/hip/attach/runtime.h"
#include "domains/hip/calls/call.h"
#include "domains/hip/calls/status.h"
#include "domains/hip/calls/thread.h"
#include "domains/hip/functions.h"
#include "domains/hip/operation.h"
#include "domains/hip/state.h"

/* Behind hip_api_data_t: a time and a word of the tool's, then what is called. The
 * runtime does not clear them: both pointers are the tool's to set. */
struct tool_part {
	uint64_t entered;
	uint64_t word;
	void (*enter)(uint32_t id, void *data);
	void (*exit)(uint32_t id, void *data);
};

#define FUNCTIONS_MOST 1024u

static uint32_t tool_at;		   /* offset of the struct above */
static bool hip5;			   /* arguments as HIP 5 has them */
static uint16_t functions[FUNCTIONS_MOST]; /* ours, by the runtime's numbers */
static uint32_t function_count;

static struct tool_part *tool_part(void *data)
{
	return (struct tool_part *)(void *)((uint8_t *)data + tool_at);
}

/* NULL: the call has ended, or began in another thread. */
static struct hip_call *call_of(void *data)
{
	uintptr_t word = (uintptr_t)tool_part(data)->word;
	struct hip_call *call = hip_thread.innermost;

	while (call && (uintptr_t)call != word)
		call = call->outer;
	return call;
}

static void entered(uint32_t id, void *data)
{
	struct hip_call *call = call_of(data);

	(void)id;
	if (call)
		hip_call_record(call, (uint8_t *)data + HIP_ARGUMENTS_AT);
}

static void left(uint32_t id, void *data)
{
	struct hip_call *call = call_of(data);

	(void)id;
	if (!call)
		return;
	tool_part(data)->word = 0;
	hip_call_end(call, (uint8_t *)data + HIP_ARGUMENTS_AT, hip_status(call->function));
	hip_call_leave(call);
}

/* 0: the call is reported at entry and exit. */
static int api_called(uint32_t id, void *data)
{
	struct hip_thread *thread = &hip_thread;
	struct tool_part *part = tool_part(data);
	uint32_t function = id < function_count ? functions[id] : 0;
	struct hip_call *call;

	if (tandem_unlikely(hip_calls_are_wrapped())) {
		/* Its record is made around it; operations get the id of that. */
		((struct hip_api_data *)data)->correlation = thread->operation;
		part->enter = NULL;
		part->exit = NULL;
		return 0;
	}
	if (!function || thread->in_tool || !hip_recording())
		return -1;
	hip_runtime_has_devices();
	call = hip_call_enter();
	if (!call)
		return -1;
	call->frame = data;
	if (!hip_call_prepare(call, function, hip5)) {
		hip_call_leave(call);
		return -1;
	}
	((struct hip_api_data *)data)->correlation = call->op;
	((struct hip_api_data *)data)->phase = HIP_PHASE_ENTER;
	part->word = (uintptr_t)call;
	part->enter = entered;
	part->exit = left;
	return 0;
}

static int report(uint32_t domain, uint32_t id, void *data)
{
	if (domain == HIP_DOMAIN_API)
		return data ? api_called(id, data) : -1;
	if (domain != HIP_DOMAIN_OPERATIONS || !hip_wanted(TANDEM_HIP_kernels))
		return -1;
	/* Without data it asks whether commands are to be timed. Those that were still run
	 * to their end while the recording is paused have been launched before. */
	if (!data)
		return hip_recording() ? 0 : -1;
	if (hip_recording()) {
		const struct hip_activity *activity = data;

		hip_operation_write(activity, activity->correlation, true);
	}
	return 0;
}

static void functions_find(void)
{
	for (uint32_t id = 1; id < FUNCTIONS_MOST; id++) {
		const char *name = hip_runtime.hipApiName ? hip_runtime.hipApiName(id) : NULL;
		uint32_t function = hip_function_find(name, id);

		if (!hip_runtime.hipApiName && id < hip_function_count)
			function = hip_function_names[id] ? id : 0;
		functions[id] = (uint16_t)function;
		if (function)
			function_count = id + 1;
	}
}

int hip_tracer_begin(void)
{
	if (!hip_runtime.hipRegisterTracerCallback)
		return -ENOSYS;
	if (hip_runtime.major == 5)
		tool_at = hip_data_bytes_5;
	else if (hip_runtime.major == 6)
		tool_at = hip_data_bytes_6;
	else if (hip_runtime.major == 7)
		tool_at = hip_data_bytes_7;
	else
		return -ENOSYS;
	hip5 = hip_runtime.major == 5;
	functions_find();
	hip_runtime.hipRegisterTracerCallback(report);
	return 0;
}
