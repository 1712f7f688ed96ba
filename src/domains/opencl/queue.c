/* SPDX-License-Identifier: MIT */
#include "domains/opencl/queue.h"

#include <errno.h>
#include <string.h>

#include "core/call/call.h"
#include "core/pool.h"
#include "core/process.h"
#include "domains/opencl/cl.h"
#include "domains/opencl/query.h"
#include "domains/opencl/recording.h"
#include "schema/gen/core_records.h"

_Atomic uint32_t opencl_hiding;
struct opencl_queue *_Atomic opencl_queues;

static struct tandem_pool queue_pool = TANDEM_POOL(sizeof(struct opencl_queue));

static void (*first_function)(void);
static _Atomic int first_called;

void opencl_queue_at_first(void (*function)(void))
{
	first_function = function;
}

struct opencl_queue *opencl_queue_find(void *handle)
{
	return handle ? (void *)(uintptr_t)tandem_handle_get(TANDEM_HANDLE_STATE(opencl), handle)
		      : NULL;
}

/* States are kept for the process's life: a completion may come late. */
static struct opencl_queue *queue_new(void *handle)
{
	struct opencl_queue *queue = tandem_pool_take(&queue_pool);

	if (!queue) {
		tandem_lost(TANDEM_LOSS_no_memory, 1);
		return NULL;
	}
	memset(queue, 0, sizeof(*queue));
	queue->handle = handle;
	queue->in_order = true;
	queue->look_at = 32;
	queue->timer.due = OPENCL_TIMER_NONE;
	if (tandem_handle_set(TANDEM_HANDLE_STATE(opencl), handle, (uint64_t)(uintptr_t)queue))
		return NULL;
	queue->next = atomic_load(&opencl_queues);
	while (!atomic_compare_exchange_weak(&opencl_queues, &queue->next, queue)) {
	}
	if (first_function && !atomic_exchange(&first_called, 1))
		first_function();
	return queue;
}

static void queue_describe(struct opencl_queue *queue)
{
	struct tandem_rec_queue *record;
	uint64_t real = opencl_info_u64(opencl_next.clGetCommandQueueInfo, queue->handle,
					CL_QUEUE_PROPERTIES);
	void *context = (void *)(uintptr_t)opencl_info_u64(opencl_next.clGetCommandQueueInfo,
							   queue->handle, CL_QUEUE_CONTEXT);
	void *device = (void *)(uintptr_t)opencl_info_u64(opencl_next.clGetCommandQueueInfo,
							  queue->handle, CL_QUEUE_DEVICE);
	uint32_t context_number = tandem_object_number(TANDEM_KIND(opencl, context), context);
	uint32_t device_number = tandem_object_number(TANDEM_KIND(opencl, device), device);

	if (queue->timing == TANDEM_TIMING_unavailable && real & CL_QUEUE_PROFILING_ENABLE)
		queue->timing = TANDEM_TIMING_asked;
	if (!tandem_control.device_timing)
		queue->timing = TANDEM_TIMING_off;
	if (queue->timing == TANDEM_TIMING_unavailable)
		atomic_fetch_add(&tandem_session->untimed_queues, 1);
	queue->in_order = !(real & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	queue->statedump = tandem_process_statedump();

	record = tandem_record_begin(TANDEM_EVENT_queue, sizeof(*record));
	if (!record)
		return;
	record->queue = queue->number;
	record->domain = TANDEM_DOMAIN_opencl;
	record->handle = (uint64_t)(uintptr_t)queue->handle;
	record->context = context_number;
	record->device = device_number;
	record->properties = queue->timing == TANDEM_TIMING_forced
				     ? real & ~(uint64_t)CL_QUEUE_PROFILING_ENABLE
				     : real;
	record->timing = queue->timing;
	record->in_order = queue->in_order;
	tandem_record_commit();
	if (queue->timing == TANDEM_TIMING_forced || queue->timing == TANDEM_TIMING_asked)
		opencl_timer_start(&queue->timer, device);
}

struct opencl_queue *opencl_queue_get(void *handle)
{
	struct opencl_queue *queue = opencl_queue_find(handle);
	int saved;

	if (tandem_likely(queue && queue->statedump == tandem_process_statedump() && queue->number))
		return queue;
	if (!handle)
		return NULL;
	if (!queue)
		queue = queue_new(handle);
	if (!queue)
		return NULL;
	saved = errno;
	queue->number = tandem_object_assign(TANDEM_KIND(opencl, queue), handle);
	queue_describe(queue);
	errno = saved;
	return queue;
}

/* The real queue has been made: `forced` with profiling that the program did
 * not ask for. Its list of properties, if it gave one, is kept to be shown. */
uint32_t opencl_queue_made(void *handle, uint8_t timing, const uint64_t *properties, size_t count)
{
	struct opencl_queue *queue = queue_new(handle);

	if (!queue)
		return TANDEM_OBJECT_UNKNOWN;
	queue->timing = timing;
	if (timing == TANDEM_TIMING_forced)
		atomic_store(&opencl_hiding, 1);
	if (properties && count <= sizeof(queue->properties) / sizeof(queue->properties[0])) {
		queue->array = true;
		queue->property_count = (uint8_t)count;
		memcpy(queue->properties, properties, count * sizeof(properties[0]));
	}
	/* Else it is described when it is next met. */
	if (!opencl_recording())
		return 0;
	queue->number = tandem_object_assign(TANDEM_KIND(opencl, queue), handle);
	queue_describe(queue);
	return queue->number;
}

uint32_t opencl_created_command_buffer(void *command_buffer, enum opencl_fn fn, uint32_t count,
				       const void *queues)
{
	(void)fn;
	if (!command_buffer)
		return 0;
	if (count && queues)
		tandem_handle_set(TANDEM_HANDLE_STATE(opencl), command_buffer,
				  (uint64_t)(uintptr_t) * (void *const *)queues);
	return tandem_object_assign(TANDEM_KIND(opencl, command_buffer), command_buffer);
}

void *opencl_command_buffer_queue(uint32_t count, const void *queues, const void *command_buffer)
{
	if (count && queues)
		return *(void *const *)queues;
	return (void *)(uintptr_t)tandem_handle_get(TANDEM_HANDLE_STATE(opencl), command_buffer);
}
