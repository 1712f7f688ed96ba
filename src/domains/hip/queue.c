/* SPDX-License-Identifier: MIT */
#include "domains/hip/queue.h"

#include "core/stream/stream.h"
#include "domains/hip/device.h"
#include "domains/hip/object.h"
#include "schema/gen/core_records.h"
#include "schema/traits.h"

/* Null: the default stream, which blocking ones wait for, and it for them. */
static uint32_t queue_new(const void *address, uint64_t handle, uint32_t device, bool null)
{
	uint32_t device_number = hip_device(device);
	uint32_t number = tandem_object_assign(HIP_KIND(queue), address);
	struct tandem_rec_queue *record = tandem_record_begin(TANDEM_EVENT_queue, sizeof(*record));

	if (!record)
		return number;
	record->queue = number;
	record->domain = TANDEM_DOMAIN_hip;
	record->handle = handle;
	record->context = 0;
	record->device = device_number;
	record->properties = 0;
	record->timing = TANDEM_TIMING_forced;
	record->in_order = null ? TANDEM_IN_ORDER_all : TANDEM_IN_ORDER_queue;
	tandem_record_commit();
	return number;
}

/* hipStreamLegacy is 1, hipStreamPerThread 2. */
static bool is_special(const void *stream)
{
	return (uintptr_t)stream < 16;
}

uint32_t hip_queue(const void *stream)
{
	const void *address = stream;
	uint32_t number;

	if (stream == HIP_STREAM_PER_THREAD)
		address = hip_address_of(tandem_thread.number, hip_device_current(),
					 HIP_TAG_PER_THREAD);
	else if (is_special(stream))
		address = hip_address_of(0, hip_device_current(), HIP_TAG_DEFAULT);
	number = tandem_object_find(HIP_KIND(queue), address);
	if (tandem_likely(number))
		return number;
	return queue_new(address, (uintptr_t)stream, hip_device_current(),
			 is_special(stream) && stream != HIP_STREAM_PER_THREAD);
}

void hip_queue_created(const void *stream)
{
	if (!is_special(stream))
		queue_new(stream, (uintptr_t)stream, hip_device_current(), false);
}

void hip_queue_destroyed(const void *stream)
{
	if (!is_special(stream))
		tandem_object_forget(HIP_KIND(queue), stream);
}

/* Node numbers are not HIP's ordinals: which device it is, is not known here. */
uint32_t hip_queue_hardware(uint32_t device, uint64_t queue)
{
	const void *address = hip_address_of(device, (uint32_t)queue, HIP_TAG_HARDWARE);
	uint32_t number = tandem_object_find(HIP_KIND(queue), address);

	return tandem_likely(number) ? number : queue_new(address, queue, 0, false);
}
