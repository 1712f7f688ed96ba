/* SPDX-License-Identifier: MIT */
/* CUPTI's callbacks. Each call of an API function comes twice, at its entry and at
 * its exit, in the thread that makes it. */
#include "domains/cuda/calls/callback.h"

#include <string.h>

#include "core/capture.h"
#include "domains/cuda/calls/call.h"
#include "domains/cuda/calls/content.h"
#include "domains/cuda/calls/memory.h"
#include "domains/cuda/calls/module.h"
#include "domains/cuda/calls/parameter_sizes.h"
#include "domains/cuda/calls/parameters.h"
#include "domains/cuda/cupti/library.h"
#include "domains/cuda/gen/ids.h"
#include "domains/cuda/queue.h"
#include "domains/cuda/state.h"
#include "domains/cuda/thread.h"
#include "schema/capture.h"

static void *subscriber;
/* Which stretch of being switched on this is: a call whose entry was told in an
 * earlier one will never be told to have ended. */
static _Atomic uint32_t generation;

/* The innermost call under way that we saw begin. */
static inline struct cuda_open_call *call_top(struct cuda_thread *thread)
{
	struct cuda_open_call *top;

	if (tandem_likely(!thread->depth))
		return NULL;
	top = &thread->open[thread->depth - 1];
	if (tandem_unlikely(top->generation !=
			    atomic_load_explicit(&generation, memory_order_relaxed))) {
		thread->depth = 0;
		return NULL;
	}
	return top;
}

static void call_enter(const struct cuda_api *api, const struct cupti_call *data, bool runtime)
{
	struct cuda_thread *thread = &cuda_thread;
	struct cuda_open_call *top = call_top(thread);

	/* What the runtime does by the driver belongs to the runtime's call. */
	if ((!runtime && top && top->runtime) || tandem_unlikely(thread->depth == CUDA_NEST))
		return;
	top = &thread->open[thread->depth];
	top->correlation = data->correlation;
	top->generation = atomic_load_explicit(&generation, memory_order_relaxed);
	top->runtime = runtime;
	top->has_status = !(api->flags & CUDA_NO_STATUS);
	top->content = api->flags & CUDA_CONTENTS;
	*data->between = ++thread->depth;
	cuda_call_begin(&top->call, api, data);
}

/* What the call returned, as its record has it: nothing where it returns no status. */
static inline int32_t call_status(const struct cuda_open_call *open, const struct cupti_call *data)
{
	if (tandem_unlikely(!open->has_status))
		return 0;
	return tandem_likely(data->result) ? *(const int32_t *)data->result : TANDEM_RESULT_UNKNOWN;
}

static __attribute__((noinline)) void call_exit(const struct cupti_call *data)
{
	struct cuda_thread *thread = &cuda_thread;
	uint64_t place = *data->between;
	struct cuda_open_call *open;

	/* The word is ours only if we saw the entry: we may have been switched on
	 * in the middle of the call. */
	if (!place || place > thread->depth)
		return;
	open = &thread->open[place - 1];
	if (tandem_unlikely(open->correlation != data->correlation))
		return;
	thread->depth = (uint32_t)place - 1;
	tandem_call_end(&open->call, call_status(open, data));
	if (tandem_unlikely(open->content))
		cuda_content(data, open->content, open->runtime);
}

void cuda_calls_close(void)
{
	struct cuda_thread *thread = &cuda_thread;

	while (call_top(thread))
		tandem_call_end(&thread->open[--thread->depth].call, TANDEM_RESULT_UNKNOWN);
}

/* One less, but for a capture that began while nothing was recorded. */
static void capture_ended(void)
{
	uint32_t captures = atomic_load(&cuda_captures);

	while (captures && !atomic_compare_exchange_weak(&cuda_captures, &captures, captures - 1))
		;
}

/* cudaProfilerStart() and Stop(), which may bound the recording. */
static void profiler_called(bool start)
{
	if (!strcmp(tandem_control.capture, TANDEM_CAPTURE_PROFILER))
		tandem_capture_set(start);
}

/* The program's own marks, and what changes how later calls are recorded. */
static void driver_ended(uint32_t id, const struct cupti_call *data)
{
	if (!cuda_call_succeeded(data))
		return;
	cuda_memory_called(id, data);
	cuda_parameters_called(id, data);
	switch (id) {
	case CUDA_DRIVER_cuStreamBeginCapture:
	case CUDA_DRIVER_cuStreamBeginCapture_ptsz:
	case CUDA_DRIVER_cuStreamBeginCapture_v2:
	case CUDA_DRIVER_cuStreamBeginCapture_v2_ptsz:
	case CUDA_DRIVER_cuStreamBeginCaptureToGraph:
	case CUDA_DRIVER_cuStreamBeginCaptureToGraph_ptsz:
		atomic_fetch_add(&cuda_captures, 1);
		break;
	case CUDA_DRIVER_cuStreamEndCapture:
	case CUDA_DRIVER_cuStreamEndCapture_ptsz:
		capture_ended();
		break;
	case CUDA_DRIVER_cuModuleUnload:
	case CUDA_DRIVER_cuLibraryUnload:
		cuda_parameter_sizes_forget();
		break;
	case CUDA_DRIVER_cuProfilerStart:
		profiler_called(true);
		break;
	case CUDA_DRIVER_cuProfilerStop:
		profiler_called(false);
		break;
	default:
		break;
	}
}

static void resource_called(uint32_t id, const struct cupti_resource_data *data)
{
	switch (id) {
	case CUPTI_STREAM_CREATED:
		cuda_queue_created(data->context, data->stream);
		break;
	case CUPTI_STREAM_DESTROYED:
		cuda_queue_destroyed(data->stream);
		break;
	case CUPTI_MODULE_LOADED:
		cuda_module_loaded(data->descriptor);
		break;
	default:
		break;
	}
}

static __attribute__((noinline)) void driver_called(uint32_t id, const struct cupti_call *data)
{
	const struct cuda_api *api = &cuda_driver_api[id < cuda_driver_api_count ? id : 0];

	if (data->site) {
		if (api->flags & CUDA_HOOK)
			driver_ended(id, data);
		call_exit(data);
		return;
	}
	*data->between = 0;
	if (tandem_unlikely(!cuda_recording()))
		return;
	if (api->flags & CUDA_HOOK)
		cuda_memory_called(id, data);
	if (tandem_likely(api->id))
		call_enter(api, data, false);
}

static __attribute__((noinline)) void other_called(uint32_t domain, uint32_t id, const void *data)
{
	if (domain == CUPTI_RESOURCE &&
	    (id == CUPTI_MODULE_UNLOADED || id == CUPTI_CONTEXT_DESTROYED))
		cuda_parameter_sizes_forget();
	/* Some events come without data ("the driver has been initialised"). */
	if (domain == CUPTI_RESOURCE && data && cuda_recording()) {
		resource_called(id, data);
	} else if (domain == CUPTI_STATE && id == CUPTI_FATAL_ERROR) {
		cuda_notice(TANDEM_CUDA_NOTICE_fatal);
		cuda_disable();
	}
}

static __attribute__((noinline)) void runtime_entered(uint32_t id, const struct cupti_call *data)
{
	*data->between = 0;
	if (tandem_likely(cuda_recording() && id < cuda_runtime_api_count &&
			  cuda_runtime_api[id].id))
		call_enter(&cuda_runtime_api[id], data, true);
}

/* The runtime's calls, most of all, have no time to lose: those that do nothing on
 * the device take 24 ns by themselves. So each way is a jump from here, and none
 * saves registers for another. */
static void called(void *user, uint32_t domain, uint32_t id, const void *data)
{
	const struct cupti_call *call = data;

	(void)user;
	if (tandem_unlikely(cuda_thread.in_tool))
		return;
	if (tandem_likely(domain <= CUPTI_RUNTIME) && tandem_unlikely(!call || !call->between))
		return; /* no place to keep what joins the call's end to its entry */
	if (tandem_likely(domain == CUPTI_RUNTIME)) {
		if (call->site)
			call_exit(call);
		else
			runtime_entered(id, call);
	} else if (domain == CUPTI_DRIVER) {
		driver_called(id, data);
	} else {
		other_called(domain, id, data);
	}
}

int cuda_subscribe(void)
{
	struct cupti_subscriber_options options = {sizeof(options), "Tandem", NULL, 0};

	if (cupti.cuptiSubscribe_v2)
		return cupti.cuptiSubscribe_v2(&subscriber, called, NULL, &options);
	return cupti.cuptiSubscribe(&subscriber, called, NULL);
}

static void callback_switch(bool on, uint32_t domain, uint32_t id)
{
	cupti.cuptiEnableCallback(on, subscriber, domain, id);
}

static bool is_wanted(uint8_t flags)
{
	if (cuda_wanted(TANDEM_CUDA_all))
		return true;
	return !(flags & CUDA_QUIET) && (!(flags & CUDA_QUERY) || cuda_wanted(TANDEM_CUDA_queries));
}

/* Every function but the quiet ones: CUPTI charges only for what is enabled. */
static void api_switch(bool on, uint32_t domain, const struct cuda_api *table, uint32_t count)
{
	cupti.cuptiEnableDomain(on, subscriber, domain);
	for (uint32_t id = 0; on && id < count; id++)
		if (!is_wanted(table[id].flags))
			callback_switch(false, domain, id);
}

void cuda_callbacks_switch(bool on)
{
	static const uint32_t always[] = {
		CUDA_DRIVER_cuStreamBeginCapture,
		CUDA_DRIVER_cuStreamBeginCapture_ptsz,
		CUDA_DRIVER_cuStreamBeginCapture_v2,
		CUDA_DRIVER_cuStreamBeginCapture_v2_ptsz,
		CUDA_DRIVER_cuStreamBeginCaptureToGraph,
		CUDA_DRIVER_cuStreamBeginCaptureToGraph_ptsz,
		CUDA_DRIVER_cuStreamEndCapture,
		CUDA_DRIVER_cuStreamEndCapture_ptsz,
	};
	static const uint32_t resources[] = {CUPTI_STREAM_CREATED, CUPTI_STREAM_DESTROYED,
					     CUPTI_MODULE_UNLOADED, CUPTI_CONTEXT_DESTROYED};

	atomic_fetch_add(&generation, 1);
	cuda_parameter_sizes_forget();
	atomic_store(&cuda_captures, 0); /* begun and ended unheard, it counts no more */
	if (cuda_wanted(TANDEM_CUDA_api)) {
		api_switch(on, CUPTI_DRIVER, cuda_driver_api, cuda_driver_api_count);
		api_switch(on, CUPTI_RUNTIME, cuda_runtime_api, cuda_runtime_api_count);
	}
	for (uint32_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		callback_switch(on, CUPTI_DRIVER, always[i]);
	for (uint32_t id = 0; cuda_wanted(TANDEM_CUDA_memory) && (id = cuda_memory_next(id));)
		callback_switch(on, CUPTI_DRIVER, id);
	for (uint32_t i = 0; i < sizeof(resources) / sizeof(resources[0]); i++)
		callback_switch(on, CUPTI_RESOURCE, resources[i]);
	if (cuda_wanted(TANDEM_CUDA_modules) || cuda_wanted(TANDEM_CUDA_cubin))
		callback_switch(on, CUPTI_RESOURCE, CUPTI_MODULE_LOADED);
	callback_switch(on, CUPTI_STATE, CUPTI_FATAL_ERROR);
	/* The marks that switch the recording on are heard while it is off. */
	if (tandem_capture_is_bounded()) {
		callback_switch(true, CUPTI_DRIVER, CUDA_DRIVER_cuProfilerStart);
		callback_switch(true, CUPTI_DRIVER, CUDA_DRIVER_cuProfilerStop);
	}
}
