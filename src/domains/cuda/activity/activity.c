/* SPDX-License-Identifier: MIT */
/* CUPTI's activity buffers. CUPTI asks for one when a thread's first device
 * operation wants a place, and gives it back filled, in a thread of its own; what
 * was in it is written and it goes back to the pool. Memory is what is out at once:
 * a few buffers, however long the program runs.
 *
 * Device times are stamped with the session's own ticks: CUPTI asks our function
 * for the host's time and converts the device's to it. */
#include "domains/cuda/activity/activity.h"

#include <pthread.h>
#include <string.h>

#include "core/pool.h"
#include "domains/cuda/activity/external.h"
#include "domains/cuda/activity/operation.h"
#include "domains/cuda/activity/unified.h"
#include "domains/cuda/cupti/library.h"
#include "domains/cuda/cupti/refused.h"
#include "domains/cuda/state.h"
#include "domains/cuda/thread.h"

/* Small enough to be full soon (300 kernels), large enough that its delivery does
 * not show in the cost of a launch: 16 KiB did, 1 MiB was no better. A program with
 * many threads has one out for each. */
#define BUFFER_BYTES (64u * 1024)
#define SMALL_BYTES (32u * 1024)
#define LARGE_MOST 32u

static struct tandem_pool large = TANDEM_POOL(BUFFER_BYTES);
static struct tandem_pool small = TANDEM_POOL(SMALL_BYTES);
static _Atomic uint32_t outstanding;
static uint64_t refused_kinds; /* 1 << kind, which CUPTI does not take */
static pthread_mutex_t delivering = PTHREAD_MUTEX_INITIALIZER;

bool cuda_activity_outstanding(void)
{
	return atomic_load(&outstanding) != 0;
}

static uint64_t ticks(void)
{
	return tandem_ticks();
}

static void requested(uint8_t **buffer, size_t *bytes, size_t *most_records)
{
	bool is_large = atomic_fetch_add(&outstanding, 1) < LARGE_MOST;

	*buffer = tandem_pool_take(is_large ? &large : &small);
	*bytes = *buffer ? is_large ? BUFFER_BYTES : SMALL_BYTES : 0;
	*most_records = 0; /* as many as fit */
	if (!*buffer) {
		atomic_fetch_sub(&outstanding, 1);
		tandem_lost(TANDEM_LOSS_no_memory, 1);
	}
}

static void overhead_write(const struct cupti_overhead *overhead)
{
	static const uint8_t kinds[] = {
		TANDEM_OVERHEAD_KIND_unknown,
		TANDEM_OVERHEAD_KIND_buffer_flush,
		TANDEM_OVERHEAD_KIND_instrumentation,
		TANDEM_OVERHEAD_KIND_resource,
		TANDEM_OVERHEAD_KIND_module_loading,
		TANDEM_OVERHEAD_KIND_lazy_function_loading,
		TANDEM_OVERHEAD_KIND_command_buffer_full,
		TANDEM_OVERHEAD_KIND_buffer_request,
		TANDEM_OVERHEAD_KIND_um_activity,
	};
	uint32_t kind = overhead->overhead_kind >> 16;
	struct tandem_cuda_overhead *record =
		tandem_record_begin(TANDEM_CUDA_EVENT_overhead, sizeof(*record));

	if (!record)
		return;
	record->kind = overhead->overhead_kind == 1 ? TANDEM_OVERHEAD_KIND_compiler
		       : kind < sizeof(kinds)	    ? kinds[kind]
						    : TANDEM_OVERHEAD_KIND_unknown;
	record->begin = overhead->start;
	record->end = overhead->end;
	record->tid = overhead->object_kind == CUPTI_OBJECT_THREAD ? overhead->object[1] : 0;
	tandem_record_commit();
}

static void activity_write(const void *activity)
{
	switch (*(const uint32_t *)activity) {
	case CUPTI_KIND_KERNEL:
	case CUPTI_KIND_CONCURRENT_KERNEL:
		cuda_operation_kernel(activity);
		break;
	case CUPTI_KIND_COPY:
		cuda_operation_copy(activity);
		break;
	case CUPTI_KIND_PEER_COPY:
		cuda_operation_peer_copy(activity);
		break;
	case CUPTI_KIND_MEMSET:
		cuda_operation_memset(activity);
		break;
	case CUPTI_KIND_GRAPH:
		cuda_operation_graph(activity);
		break;
	case CUPTI_KIND_UNIFIED_MEMORY:
		cuda_unified_write(activity);
		break;
	case CUPTI_KIND_OVERHEAD:
		overhead_write(activity);
		break;
	case CUPTI_KIND_EXTERNAL:
		cuda_external_number(activity);
		break;
	case CUPTI_KIND_RUNTIME:
	case CUPTI_KIND_DRIVER:
		cuda_external_call(activity);
		break;
	default:
		break;
	}
}

/* A record that CUPTI itself can't read ends the buffer: what comes after it is lost.
 * One that it hands out twice would never end. */
static void activities_read(uint8_t *buffer, size_t valid_bytes)
{
	void *activity = NULL, *last = NULL;
	int32_t status = CUPTI_NO_MORE;

	while (valid_bytes) {
		status = cupti.cuptiActivityGetNextRecord(buffer, valid_bytes, &activity);
		if (status || !activity || activity == last)
			break;
		last = activity;
		activity_write(activity);
	}
	if (status != CUPTI_NO_MORE)
		tandem_lost(TANDEM_LOSS_operations, 1);
}

static void completed(void *context, uint32_t stream, uint8_t *buffer, size_t bytes,
		      size_t valid_bytes)
{
	size_t dropped = 0;

	/* What was asked for and not given comes back too, with some versions. */
	if (!buffer)
		return;
	cuda_in_tool_begin();
	pthread_mutex_lock(&delivering);
	activities_read(buffer, valid_bytes);
	if (!cupti.cuptiActivityGetNumDroppedRecords(context, stream, &dropped) && dropped)
		tandem_lost(TANDEM_LOSS_operations, dropped);
	pthread_mutex_unlock(&delivering);
	tandem_pool_give(bytes == BUFFER_BYTES ? &large : &small, buffer);
	atomic_fetch_sub(&outstanding, 1);
	cuda_in_tool_end();
}

static void kind_switch(bool on, uint32_t kind, enum tandem_cuda_activity_kind what)
{
	int32_t status;

	if (refused_kinds >> kind & 1)
		return;
	status = on ? cupti.cuptiActivityEnable(kind) : cupti.cuptiActivityDisable(kind);
	if (status && on) {
		refused_kinds |= (uint64_t)1 << kind;
		cuda_refused(what, status);
	}
}

void cuda_activity_switch(bool on)
{
	if (cuda_wanted(TANDEM_CUDA_kernels)) {
		kind_switch(on, CUPTI_KIND_CONCURRENT_KERNEL, TANDEM_CUDA_ACTIVITY_KIND_kernel);
		kind_switch(on, CUPTI_KIND_COPY, TANDEM_CUDA_ACTIVITY_KIND_copy);
		kind_switch(on, CUPTI_KIND_PEER_COPY, TANDEM_CUDA_ACTIVITY_KIND_peer_copy);
		kind_switch(on, CUPTI_KIND_MEMSET, TANDEM_CUDA_ACTIVITY_KIND_memset);
		/* While graphs are traced whole, their nodes are not. */
		if (!cuda_wanted(TANDEM_CUDA_graphs))
			kind_switch(on, CUPTI_KIND_GRAPH, TANDEM_CUDA_ACTIVITY_KIND_graph);
	}
	if (cuda_wanted(TANDEM_CUDA_overhead))
		kind_switch(on, CUPTI_KIND_OVERHEAD, TANDEM_CUDA_ACTIVITY_KIND_overhead);
	if (cuda_wanted(TANDEM_CUDA_external)) {
		kind_switch(on, CUPTI_KIND_RUNTIME, TANDEM_CUDA_ACTIVITY_KIND_external);
		kind_switch(on, CUPTI_KIND_DRIVER, TANDEM_CUDA_ACTIVITY_KIND_external);
		kind_switch(on, CUPTI_KIND_EXTERNAL, TANDEM_CUDA_ACTIVITY_KIND_external);
	}
}

/* Counting unified memory's events costs every program, and only programs with
 * managed memory have any: it begins with the first of that. */
void cuda_activity_unified(void)
{
	static const uint32_t counters[] = {CUPTI_UNIFIED_HTOD, CUPTI_UNIFIED_DTOH,
					    CUPTI_UNIFIED_CPU_FAULTS, CUPTI_UNIFIED_GPU_FAULTS,
					    CUPTI_UNIFIED_DTOD};
	static _Atomic int begun;
	struct cupti_unified_config config[sizeof(counters) / sizeof(counters[0])];
	int32_t status;

	if (!cuda_wanted(TANDEM_CUDA_um) || !cupti.cuptiActivityConfigureUnifiedMemoryCounter ||
	    atomic_exchange(&begun, 1))
		return;
	for (uint32_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		config[i] = (struct cupti_unified_config){1, counters[i], 0, 1};
	cuda_in_tool_begin();
	status = cupti.cuptiActivityConfigureUnifiedMemoryCounter(
		config, sizeof(counters) / sizeof(counters[0]));
	if (!status)
		status = cupti.cuptiActivityEnable(CUPTI_KIND_UNIFIED_MEMORY);
	cuda_in_tool_end();
	if (status)
		cuda_refused(TANDEM_CUDA_ACTIVITY_KIND_unified_memory, status);
}

void cuda_activity_begin(void)
{
	int32_t status = CUPTI_NOT_READY;

	if (cupti.cuptiSetThreadIdType)
		cupti.cuptiSetThreadIdType(CUPTI_THREAD_ID_SYSTEM);
	if (cupti.cuptiActivityRegisterTimestampCallback)
		status = cupti.cuptiActivityRegisterTimestampCallback(ticks);
	if (status) {
		cuda_operation_own_clock = true;
		cuda_notice(TANDEM_CUDA_NOTICE_clock);
	}
	status = cupti.cuptiActivityRegisterCallbacks(requested, completed);
	if (status)
		cuda_refused(TANDEM_CUDA_ACTIVITY_KIND_other, status);
	if (cuda_wanted(TANDEM_CUDA_latency) && cupti.cuptiActivityEnableLatencyTimestamps)
		cupti.cuptiActivityEnableLatencyTimestamps(1);
}
