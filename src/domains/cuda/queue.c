/* SPDX-License-Identifier: MIT */
#include "domains/cuda/queue.h"

#include <string.h>

#include "core/object.h"
#include "core/process.h"
#include "core/stream/stream.h"
#include "domains/cuda/cupti/driver.h"
#include "domains/cuda/cupti/library.h"
#include "domains/cuda/device.h"
#include "domains/cuda/object.h"
#include "domains/cuda/thread.h"
#include "schema/gen/core_records.h"
#include "schema/traits.h"

static uint32_t cuda_context(uint32_t id, uint32_t device)
{
	const void *address = cuda_address_of(0, id, TAG_CONTEXT);
	uint32_t number = tandem_object_find(TANDEM_KIND(cuda, context), address);
	struct tandem_rec_context *record;
	uint32_t device_number;

	if (tandem_likely(number))
		return number;
	device_number = cuda_device(device);
	number = tandem_object_assign(TANDEM_KIND(cuda, context), address);
	record = tandem_record_begin(TANDEM_EVENT_context,
				     (uint32_t)(sizeof(*record) + sizeof(device_number)));
	if (!record)
		return number;
	record->context = number;
	record->domain = TANDEM_DOMAIN_cuda;
	record->handle = id;
	record->devices_count = 1;
	memcpy(record + 1, &device_number, sizeof(device_number));
	tandem_record_commit();
	return number;
}

/* What activity alone does not say of a stream. */
struct queue_kind {
	uint32_t flags;
	bool legacy; /* the legacy default stream: blocking ones wait for it, and it for them */
};

static void queue_describe(uint32_t number, uint32_t context, uint32_t device, uint64_t handle,
			   struct queue_kind kind)
{
	struct tandem_rec_queue *record = tandem_record_begin(TANDEM_EVENT_queue, sizeof(*record));

	if (!record)
		return;
	record->queue = number;
	record->domain = TANDEM_DOMAIN_cuda;
	record->handle = handle;
	record->context = context;
	record->device = device;
	record->properties = kind.flags;
	record->timing = TANDEM_TIMING_forced;
	record->in_order = kind.legacy ? TANDEM_IN_ORDER_all : TANDEM_IN_ORDER_queue;
	tandem_record_commit();
}

/* Its handle in the description is CUPTI's number of the stream: activity knows no
 * other, and the handles of the program are reused. One that is known is described anew where its
 * kind is given. */
static uint32_t queue_of(uint32_t device, uint32_t context, uint32_t stream,
			 const struct queue_kind *kind)
{
	const void *address = cuda_address_of(context, stream, TAG_ID);
	uint32_t number = tandem_object_find(TANDEM_KIND(cuda, queue), address);
	uint32_t context_number;

	if (tandem_likely(number && !kind))
		return number;
	context_number = cuda_context(context, device);
	if (!number)
		number = tandem_object_assign(TANDEM_KIND(cuda, queue), address);
	queue_describe(number, context_number, cuda_device(device), stream,
		       kind ? *kind : (struct queue_kind){0});
	return number;
}

uint32_t cuda_queue(uint32_t device, uint32_t context, uint32_t stream)
{
	return queue_of(device, context, stream, NULL);
}

/* Where the pages of unified memory move: no stream, but a row of the device. */
uint32_t cuda_unified_queue(uint32_t device)
{
	const void *address = cuda_address_of(0, device, TAG_UNIFIED);
	uint32_t number = tandem_object_find(TANDEM_KIND(cuda, queue), address);

	if (number)
		return number;
	number = tandem_object_assign(TANDEM_KIND(cuda, queue), address);
	queue_describe(number, 0, cuda_device(device), 0, (struct queue_kind){0});
	return number;
}

/* Handles that are no objects: the legacy default stream (0 or 1) and the thread's
 * own one (2), of whatever context is current. */
static bool is_special(const void *stream)
{
	return (uintptr_t)stream < 16;
}

static uint32_t queue_ask(void *context, uint32_t context_id, const void *stream, bool per_thread)
{
	const struct queue_kind kind = {
		.flags = is_special(stream) ? 0 : cuda_driver_stream_flags(stream),
		.legacy = is_special(stream),
	};
	uint32_t id = 0;
	int32_t status;

	cuda_in_tool_begin();
	status = cupti.cuptiGetStreamIdEx(context, (void *)(uintptr_t)stream, per_thread, &id);
	cuda_in_tool_end();
	return status ? TANDEM_OBJECT_UNKNOWN
		      : queue_of(cuda_device_id(context), context_id, id,
				 per_thread ? NULL : &kind);
}

static uint32_t queue_find(void *context, uint32_t context_id, const void *stream, bool per_thread)
{
	const void *address =
		is_special(stream) ? cuda_address_of(context_id, 0, TAG_LEGACY) : stream;
	uint32_t number;

	if (!context)
		return TANDEM_OBJECT_UNKNOWN; /* the call is about to make it */
	if ((uintptr_t)stream == 2 || (!stream && per_thread))
		return queue_ask(context, context_id, stream, true);
	number = tandem_object_find(TANDEM_KIND(cuda, queue), address);
	if (number)
		return number;
	number = queue_ask(context, context_id, stream, false);
	if (number != TANDEM_OBJECT_UNKNOWN)
		tandem_object_alias(TANDEM_KIND(cuda, queue), address, number);
	return number;
}

/* What a thread remembers of its latest stream holds until any is destroyed: the
 * handle may be another's then. */
static _Atomic uint32_t queues_destroyed;

static uint64_t queues_valid(void)
{
	return (uint64_t)tandem_process_statedump() << 32 |
	       atomic_load_explicit(&queues_destroyed, memory_order_relaxed);
}

uint32_t cuda_queue_of(void *context, uint32_t context_id, const void *stream, bool per_thread)
{
	struct cuda_thread *thread = &cuda_thread;
	const void *handle = !stream && per_thread ? (const void *)2 : stream;
	uint64_t valid = queues_valid();

	if (tandem_unlikely(!thread->queue_number || thread->queue_handle != handle ||
			    thread->queue_context != context_id || thread->queue_valid != valid)) {
		thread->queue_number = queue_find(context, context_id, stream, per_thread);
		thread->queue_handle = handle;
		thread->queue_context = context_id;
		thread->queue_valid = valid;
		if (thread->queue_number == TANDEM_OBJECT_UNKNOWN) {
			thread->queue_number = 0;
			return TANDEM_OBJECT_UNKNOWN;
		}
	}
	return thread->queue_number;
}

void cuda_queue_created(void *context, void *stream)
{
	uint32_t context_id = 0, number;

	int32_t status;

	if (!context || is_special(stream))
		return;
	cuda_in_tool_begin();
	status = cupti.cuptiGetContextId(context, &context_id);
	cuda_in_tool_end();
	if (status)
		return;
	number = queue_ask(context, context_id, stream, false);
	if (number != TANDEM_OBJECT_UNKNOWN)
		tandem_object_alias(TANDEM_KIND(cuda, queue), stream, number);
	/* Calls that name no stream use the legacy one, of which activity says nothing but its number. */
	queue_find(context, context_id, NULL, false);
}

void cuda_queue_destroyed(void *stream)
{
	if (is_special(stream))
		return;
	tandem_object_forget(TANDEM_KIND(cuda, queue), stream);
	atomic_fetch_add(&queues_destroyed, 1);
}
