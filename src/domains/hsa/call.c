/* SPDX-License-Identifier: MIT */
#include "domains/hsa/call.h"

#include "core/call/arguments.h"
#include "core/stream/stream.h"
#include "domains/hsa/functions.h"
#include "domains/hsa/gen/args.h"
#include "domains/hsa/gen/ids.h"
#include "domains/hsa/kernel.h"
#include "domains/hsa/memory.h"
#include "domains/hsa/object.h"
#include "domains/hsa/state.h"

static uint32_t object_number(enum arguments_kind kind, const void *handle)
{
	switch (kind) {
	case ARGUMENTS_DEVICE:
		return hsa_agent((uintptr_t)handle);
	case ARGUMENTS_QUEUE:
		return hsa_queue(handle);
	default:
		return 0;
	}
}

void hsa_wrapped_begin(struct hsa_call *call, uint32_t function, const void *arguments)
{
	const struct arguments_function *api = &hsa_functions[function];
	struct call_prepared before;

	call->call.record = NULL;
	call->op = 0;
	call->function = 0;
	if (!hsa_recording())
		return;
	call->function = function;
	if (hsa_is_below() && !hsa_wants_all())
		return;
	hsa_objects_describe();
	if (api->class == TANDEM_CLASS_ENQUEUE && hsa_wanted(TANDEM_HSA_kernels) &&
	    !hsa_is_below() && !tandem_stream_open())
		call->op = tandem_operation_next();
	tandem_call_prepare(&before, api->id, 0, call);
	if (hsa_wanted(TANDEM_HSA_api))
		arguments_begin(&call->call, api, hsa_steps, arguments, call->op, object_number);
	tandem_call_restore(&before);
	switch (function) {
	case HSA_ID_hsa_queue_destroy:
		hsa_queue_destroyed(((const struct hsa_args_hsa_queue_destroy *)arguments)->queue);
		break;
	case HSA_ID_hsa_amd_memory_pool_free:
	case HSA_ID_hsa_memory_free:
		hsa_memory_freed(((const struct hsa_args_hsa_memory_free *)arguments)->ptr);
		break;
	default:
		break;
	}
}

static uint64_t handle_of(const uint8_t *bytes)
{
	uint64_t handle;

	__builtin_memcpy(&handle, bytes, sizeof(handle));
	return handle;
}

static void succeeded(uint32_t function, const void *arguments)
{
	const struct hsa_args_hsa_amd_memory_pool_allocate *pool = arguments;
	const struct hsa_args_hsa_memory_allocate *region = arguments;

	switch (function) {
	case HSA_ID_hsa_amd_memory_pool_allocate:
		hsa_memory_allocated(*(void *const *)pool->ptr, pool->size,
				     handle_of(pool->memory_pool));
		break;
	case HSA_ID_hsa_memory_allocate:
		hsa_memory_allocated(*(void *const *)region->ptr, region->size, 0);
		break;
	case HSA_ID_hsa_executable_freeze:
		hsa_kernels_loaded(handle_of(
			((const struct hsa_args_hsa_executable_freeze *)arguments)->executable));
		break;
	default:
		break;
	}
}

void hsa_wrapped_end(struct hsa_call *call, const void *arguments, int32_t status)
{
	if (!call->function)
		return;
	tandem_call_end(&call->call, status);
	if (!status && hsa_functions[call->function].flags & ARGUMENTS_HOOK)
		succeeded(call->function, arguments);
}
