/* SPDX-License-Identifier: MIT */
#include "domains/hip/memory.h"

#include "core/stream/stream.h"
#include "domains/hip/device.h"
#include "domains/hip/object.h"
#include "domains/hip/state.h"
#include "schema/gen/core_records.h"

void hip_memory_allocated(uint8_t kind, const void *address, uint64_t bytes)
{
	struct tandem_rec_memory *record;
	uint32_t number, device;

	if (!address || !hip_wanted(TANDEM_HIP_memory))
		return;
	device = hip_device(hip_device_current());
	number = tandem_object_assign(HIP_KIND(memory), address);
	/* For the free, which says only where. */
	tandem_handle_set(HIP_STATE, address, bytes);
	record = tandem_record_begin(TANDEM_EVENT_memory, sizeof(*record));
	if (!record)
		return;
	record->memory = number;
	record->domain = TANDEM_DOMAIN_hip;
	record->kind = kind;
	record->handle = (uintptr_t)address;
	record->context = 0;
	record->device = device;
	record->parent = 0;
	record->flags = 0;
	record->bytes = bytes;
	tandem_record_commit();
}

void hip_memory_freed(const void *address)
{
	uint32_t number = address ? tandem_object_find(HIP_KIND(memory), address) : 0;
	struct tandem_rec_memory_free *record;

	if (!number || !hip_wanted(TANDEM_HIP_memory))
		return;
	tandem_object_forget(HIP_KIND(memory), address);
	record = tandem_record_begin(TANDEM_EVENT_memory_free, sizeof(*record));
	if (!record)
		return;
	record->memory = number;
	record->domain = TANDEM_DOMAIN_hip;
	record->bytes = tandem_handle_get(HIP_STATE, address);
	tandem_record_commit();
}
