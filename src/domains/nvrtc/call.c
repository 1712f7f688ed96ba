/* SPDX-License-Identifier: MIT */
#include "domains/nvrtc/call.h"

#include <errno.h>
#include <stdatomic.h>

#include "core/call/arguments.h"
#include "core/process.h"
#include "core/stream/stream.h"
#include "domains/nvrtc/build.h"
#include "domains/nvrtc/functions.h"
#include "domains/nvrtc/gen/args.h"
#include "domains/nvrtc/gen/ids.h"
#include "domains/nvrtc/program.h"
#include "domains/nvrtc/status.h"

static uint32_t object_number(enum arguments_kind kind, const void *handle)
{
	return kind == ARGUMENTS_PROGRAM ? nvrtc_program_number(handle) : 0;
}

/* Where the argument points to the program: the one that is about to be destroyed. */
static uint32_t object_number_behind(enum arguments_kind kind, const void *handle)
{
	void *const *program = handle;

	return object_number(kind, program ? *program : NULL);
}

/* There is none before the call. */
static uint32_t object_number_none(enum arguments_kind kind, const void *handle)
{
	(void)kind, (void)handle;
	return 0;
}

static void process_describe(void)
{
	static _Atomic uint32_t described; /* the statedump + 1 */
	uint32_t now = tandem_process_statedump() + 1;

	if (tandem_unlikely(atomic_load_explicit(&described, memory_order_relaxed) != now) &&
	    atomic_exchange(&described, now) != now)
		tandem_process_uses(TANDEM_DOMAIN_nvrtc);
}

static void call_record(struct nvrtc_call *call, const void *arguments,
			uint32_t (*number)(enum arguments_kind kind, const void *handle))
{
	const struct arguments_function *api = &nvrtc_functions[call->function];
	struct call_prepared before;

	tandem_call_prepare(&before, api->id, 0, call);
	arguments_begin(&call->call, api, nvrtc_steps, arguments, 0, number);
	tandem_call_restore(&before);
}

void nvrtc_wrapped_begin(struct nvrtc_call *call, uint32_t function, const void *arguments)
{
	const struct nvrtc_args_nvrtcDestroyProgram *destroyed = arguments;

	call->function = function;
	process_describe();
	switch (function) {
	case NVRTC_ID_nvrtcCreateProgram:
		call_record(call, arguments, object_number_none);
		break;
	case NVRTC_ID_nvrtcDestroyProgram:
		call_record(call, arguments, object_number_behind);
		if (destroyed->prog)
			nvrtc_program_forget(*(void *const *)destroyed->prog);
		break;
	default:
		call_record(call, arguments, object_number);
		break;
	}
	call->begin = tandem_ticks();
}

/* The record has room for the program's number, but at the level `none`. */
static void create_end(struct nvrtc_call *call, const struct nvrtc_args_nvrtcCreateProgram *made,
		       int32_t status)
{
	uint64_t end = tandem_call_ticks();
	uint32_t number = status == NVRTC_SUCCESS ? nvrtc_program_created(made) : 0;
	uint32_t bytes = tandem_control.args_level == TANDEM_ARGS_NONE ? 0 : sizeof(number);

	call_end(&call->call, status, end, &number, bytes, (uint32_t)status);
}

void nvrtc_wrapped_end(struct nvrtc_call *call, const void *arguments, int32_t status)
{
	int saved = errno;

	if (call->function == NVRTC_ID_nvrtcCreateProgram) {
		create_end(call, arguments, status);
		errno = saved;
		return;
	}
	tandem_call_end(&call->call, status);
	if (call->function == NVRTC_ID_nvrtcCompileProgram)
		nvrtc_build_write(arguments, call->begin, tandem_ticks(), status);
	else if (call->function == NVRTC_ID_nvrtcAddNameExpression && status == NVRTC_SUCCESS)
		nvrtc_program_extend(arguments);
	errno = saved;
}
