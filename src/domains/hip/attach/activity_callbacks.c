/* SPDX-License-Identifier: MIT */
#include "domains/hip/attach/activity_callbacks.h"

#include <errno.h>
#include <string.h>

#include "core/pool.h"
#include "domains/hip/abi.h"
#include "domains/hip/attach/runtime.h"
#include "domains/hip/calls/call.h"
#include "domains/hip/calls/status.h"
#include "domains/hip/calls/thread.h"
#include "domains/hip/functions.h"
#include "domains/hip/operation.h"
#include "domains/hip/state.h"

#define FUNCTIONS_MOST 1024u
#define DATA_BYTES 1024u /* hip_api_data_t: 832 in HIP 5.2 */
#define OURS ((void *)1) /* what comes back with an exit */

static uint16_t functions[FUNCTIONS_MOST];
static struct tandem_pool data_pool = TANDEM_POOL(DATA_BYTES);

/* The entry: the runtime fills what this returns, or leaves the call alone for NULL. */
static void *call_entered(uint32_t id)
{
	struct hip_call *call;
	struct hip_api_data *data;

	if (id >= FUNCTIONS_MOST || !functions[id] || hip_thread.in_tool || !hip_recording())
		return NULL;
	hip_runtime_has_devices();
	data = tandem_pool_take(&data_pool);
	call = data ? hip_call_enter() : NULL;
	if (call && hip_call_prepare(call, functions[id], true)) {
		data->correlation = call->op;
		data->phase = HIP_PHASE_ENTER;
		call->data = data;
		return data;
	}
	if (call)
		hip_call_leave(call);
	if (data)
		tandem_pool_give(&data_pool, data);
	return NULL;
}

/* The call whose arguments these are. Within it may be some that the program has left by
 * longjmp(). */
static struct hip_call *call_of(const void *data)
{
	struct hip_call *call = hip_thread.innermost;

	while (call && call->data != data)
		call = call->outer;
	return call;
}

static void *activity_called(uint32_t id, void *record, const void *data, void *user)
{
	struct hip_call *call = hip_thread.innermost;

	(void)record;
	(void)data;
	if (!user)
		return call_entered(id);
	/* One that ends twice ends nobody else's. */
	if (call && id < FUNCTIONS_MOST && call->function == functions[id]) {
		tandem_pool_give(&data_pool, call->data);
		hip_call_leave(call);
	}
	return NULL;
}

static void api_called(uint32_t domain, uint32_t id, const void *given, void *user)
{
	struct hip_call *call = call_of(given);
	const struct hip_api_data *data = given;

	(void)domain;
	(void)id;
	(void)user;
	if (!call)
		return;
	while (hip_thread.innermost != call) {
		tandem_pool_give(&data_pool, hip_thread.innermost->data);
		hip_call_leave(hip_thread.innermost);
	}
	if (data->phase == HIP_PHASE_ENTER)
		hip_call_record(call, (const uint8_t *)given + HIP_ARGUMENTS_AT);
	else
		hip_call_end(call, (const uint8_t *)given + HIP_ARGUMENTS_AT,
			     hip_status(call->function));
}

/* The runtime has numbered a command of the call under way. */
static void operation_numbered(uint64_t number)
{
	struct hip_call *call = hip_thread.innermost;

	if (call && call->op)
		hip_operation_number(number, call->op);
}

static void operation_ended(uint32_t operation, void *record, void *user)
{
	struct hip_activity *activity = record;

	(void)operation;
	(void)user;
	if (activity && hip_recording())
		hip_operation_write(activity, hip_operation_of(activity->correlation), false);
}

static bool function_register(uint32_t id)
{
	return !hip_runtime.hipRegisterApiCallback(id, (void *)api_called, OURS) &&
	       !hip_runtime.hipRegisterActivityCallback(id, (void *)activity_called, OURS);
}

int hip_activity_callbacks_begin(void)
{
	uint32_t refused = 0;

	if (!hip_runtime.hipRegisterApiCallback || !hip_runtime.hipRegisterActivityCallback ||
	    !hip_runtime.hipApiName)
		return -ENOSYS;
	hip_in_tool_begin();
	for (uint32_t id = 1; id < FUNCTIONS_MOST; id++) {
		functions[id] = (uint16_t)hip_function_find(hip_runtime.hipApiName(id), id);
		if (functions[id])
			refused += !function_register(id);
	}
	if (hip_wanted(TANDEM_HIP_kernels) && hip_runtime.hipInitActivityCallback &&
	    hip_runtime.hipEnableActivityCallback) {
		hip_runtime.hipInitActivityCallback((void *)operation_numbered,
						    (void *)operation_ended, OURS);
		for (uint32_t operation = 0; operation < HIP_OPERATIONS; operation++)
			refused += !hip_runtime.hipEnableActivityCallback(operation, true);
	}
	hip_in_tool_end();
	if (refused)
		hip_notice(TANDEM_HIP_NOTICE_refused);
	return 0;
}
