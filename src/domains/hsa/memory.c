/* SPDX-License-Identifier: MIT */
#include "domains/hsa/memory.h"

#include "core/stream/stream.h"
#include "domains/hsa/object.h"
#include "domains/hsa/state.h"
#include "schema/gen/core_records.h"

void hsa_memory_allocated(const void *address, uint64_t bytes, uint64_t pool)
{
	uint64_t agent =
		pool ? tandem_handle_get(TANDEM_HANDLE_STATE(hsa), (const void *)(uintptr_t)pool)
		     : 0;
	struct tandem_rec_memory *record;
	uint32_t number, device;
	bool gpu;

	if (!address || !hsa_wanted(TANDEM_HSA_memory))
		return;
	device = hsa_agent(agent);
	gpu = hsa_agent_is_gpu(agent);
	number = tandem_object_assign(TANDEM_KIND(hsa, memory), address);
	/* For the free, which says only where. */
	tandem_handle_set(TANDEM_KIND(hsa, launch_config), address, bytes);
	record = tandem_record_begin(TANDEM_EVENT_memory, sizeof(*record));
	if (!record)
		return;
	record->memory = number;
	record->domain = TANDEM_DOMAIN_hsa;
	record->kind = gpu ? TANDEM_MEMORY_KIND_device : TANDEM_MEMORY_KIND_host;
	record->handle = (uintptr_t)address;
	record->context = 0;
	record->device = device;
	record->parent = 0;
	record->flags = 0;
	record->bytes = bytes;
	tandem_record_commit();
}

void hsa_memory_freed(const void *address)
{
	uint32_t number = address ? tandem_object_find(TANDEM_KIND(hsa, memory), address) : 0;
	struct tandem_rec_memory_free *record;

	if (!number)
		return;
	tandem_object_forget(TANDEM_KIND(hsa, memory), address);
	record = tandem_record_begin(TANDEM_EVENT_memory_free, sizeof(*record));
	if (!record)
		return;
	record->memory = number;
	record->domain = TANDEM_DOMAIN_hsa;
	record->bytes = tandem_handle_get(TANDEM_KIND(hsa, launch_config), address);
	tandem_record_commit();
}
