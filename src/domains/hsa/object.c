/* SPDX-License-Identifier: MIT */
#include "domains/hsa/object.h"

#include <stdlib.h>
#include <string.h>

#include "core/device.h"
#include "core/process.h"
#include "core/stream/stream.h"
#include "domains/hsa/abi.h"
#include "domains/hsa/attach/runtime.h"
#include "domains/hsa/functions.h"
#include "domains/hsa/gen/ids.h"
#include "domains/hsa/state.h"
#include "schema/gen/core_records.h"
#include "schema/gen/hsa_records.h"

static bool agent_info(uint64_t agent, uint32_t what, void *value)
{
	return hsa_has(HSA_ID_hsa_agent_get_info) &&
	       !HSA_CALL(hsa_agent_get_info, int32_t, (uint64_t, uint32_t, void *))(agent, what,
										    value);
}

static uint32_t agent_number(uint64_t agent, uint32_t what)
{
	uint32_t value = 0;

	return agent_info(agent, what, &value) ? value : 0;
}

bool hsa_agent_is_gpu(uint64_t agent)
{
	return agent && agent_number(agent, HSA_AGENT_DEVICE) == HSA_DEVICE_GPU;
}

uint32_t hsa_agent_gfx(uint64_t agent)
{
	char name[HSA_NAME_BYTES + 1] = "", *end;
	unsigned long number;

	agent_info(agent, HSA_AGENT_NAME, name);
	name[HSA_NAME_BYTES] = 0;
	if (strncmp(name, "gfx", 3) != 0 || strlen(name) > 7)
		return 0;
	number = strtoul(name + 3, &end, 16);
	return *end ? 0 : (uint32_t)number;
}

uint32_t hsa_agent_wave_items(uint64_t agent)
{
	return agent_number(agent, HSA_AGENT_WAVE_ITEMS);
}

static uint64_t pool_number(uint64_t pool, uint32_t what)
{
	uint64_t value = 0;

	HSA_CALL(hsa_amd_memory_pool_get_info, int32_t, (uint64_t, uint32_t, void *))
	(pool, what, &value);
	return value;
}

static void pools_iterate(uint64_t agent, int32_t (*found)(uint64_t pool, void *data), void *data)
{
	if (hsa_has(HSA_ID_hsa_amd_agent_iterate_memory_pools) &&
	    hsa_has(HSA_ID_hsa_amd_memory_pool_get_info))
		HSA_CALL(hsa_amd_agent_iterate_memory_pools, int32_t,
			 (uint64_t, int32_t(*)(uint64_t, void *), void *))
	(agent, found, data);
}

static int32_t local_found(uint64_t pool, void *bytes)
{
	if ((uint32_t)pool_number(pool, HSA_POOL_SEGMENT) == HSA_SEGMENT_GROUP)
		*(uint32_t *)bytes = (uint32_t)pool_number(pool, HSA_POOL_SIZE);
	return 0;
}

static void instruction_set_describe(uint64_t agent, uint32_t number)
{
	struct tandem_hsa_instruction_set set = {.device = number};
	struct tandem_hsa_instruction_set *record;

	set.gfx = hsa_agent_gfx(agent);
	set.warp_items = hsa_agent_wave_items(agent);
	set.items = agent_number(agent, HSA_AGENT_WAVES) * set.warp_items;
	pools_iterate(agent, local_found, &set.shared_bytes);
	record = set.gfx && set.items && set.shared_bytes
			 ? tandem_record_begin(TANDEM_HSA_EVENT_instruction_set, sizeof(*record))
			 : NULL;
	if (!record)
		return;
	set.head = record->head;
	*record = set;
	tandem_record_commit();
}

static void agent_describe(uint64_t agent, uint32_t number)
{
	char name[HSA_NAME_BYTES + 1] = "", vendor[HSA_NAME_BYTES + 1] = "";
	char product[HSA_NAME_BYTES + 1] = "";
	bool gpu = hsa_agent_is_gpu(agent);
	struct tandem_rec_device fixed = {
		.device = number,
		.domain = TANDEM_DOMAIN_hsa,
		.type = gpu ? TANDEM_DEVICE_TYPE_gpu : TANDEM_DEVICE_TYPE_cpu,
		.handle = agent,
		.ordinal = agent_number(agent, HSA_AGENT_NODE),
		.compute_units = agent_number(agent, HSA_AGENT_COMPUTE_UNITS),
		.clock_mhz = agent_number(agent, HSA_AGENT_CLOCK_MHZ),
	};

	agent_info(agent, HSA_AGENT_NAME, name);
	agent_info(agent, HSA_AGENT_VENDOR, vendor);
	if (!agent_info(agent, HSA_AGENT_PRODUCT, product) || !product[0])
		strcpy(product, name);
	tandem_device_describe(fixed,
			       &(struct tandem_device_texts){product, "HSA", vendor, name, NULL});
	if (gpu)
		instruction_set_describe(agent, number);
}

uint32_t hsa_agent(uint64_t agent)
{
	const void *handle = (const void *)(uintptr_t)agent;
	uint32_t number = agent ? tandem_object_find(TANDEM_KIND(hsa, device), handle) : 0;

	if (!number && agent) {
		number = tandem_object_assign(TANDEM_KIND(hsa, device), handle);
		agent_describe(agent, number);
	}
	return number;
}

static uint32_t queue_describe(const void *address, uint64_t agent)
{
	uint32_t device = hsa_agent(agent);
	uint32_t number = tandem_object_assign(TANDEM_KIND(hsa, queue), address);
	struct tandem_rec_queue *record = tandem_record_begin(TANDEM_EVENT_queue, sizeof(*record));

	if (!record)
		return number;
	record->queue = number;
	record->domain = TANDEM_DOMAIN_hsa;
	record->handle = (uintptr_t)address;
	record->context = 0;
	record->device = device;
	record->properties = 0;
	record->timing = TANDEM_TIMING_forced;
	record->in_order = 0; /* packets without a barrier overlap */
	tandem_record_commit();
	return number;
}

uint32_t hsa_queue_described(const void *queue, uint64_t agent)
{
	return tandem_object_find(TANDEM_KIND(hsa, queue), queue) ?: queue_describe(queue, agent);
}

uint32_t hsa_queue(const void *queue)
{
	uint32_t number = queue ? tandem_object_find(TANDEM_KIND(hsa, queue), queue) : 0;

	return number || !queue ? number : queue_describe(queue, 0);
}

void hsa_queue_destroyed(const void *queue)
{
	tandem_object_forget(TANDEM_KIND(hsa, queue), queue);
}

/* No queue is at such an address: they are aligned. */
uint32_t hsa_copy_queue(uint64_t agent)
{
	return hsa_queue_described((const void *)(uintptr_t)(agent << 4 | 9), agent);
}

static int32_t pool_describe(uint64_t pool, void *agent)
{
	uint32_t device = hsa_agent(*(const uint64_t *)agent);
	uint32_t segment = (uint32_t)pool_number(pool, HSA_POOL_SEGMENT);
	uint32_t flags = (uint32_t)pool_number(pool, HSA_POOL_FLAGS);
	uint64_t bytes = pool_number(pool, HSA_POOL_SIZE);
	struct tandem_hsa_memory_pool *record =
		tandem_record_begin(TANDEM_HSA_EVENT_memory_pool, sizeof(*record));

	/* Of which agent it is: for allocations from it. */
	tandem_handle_set(TANDEM_HANDLE_STATE(hsa), (const void *)(uintptr_t)pool,
			  *(const uint64_t *)agent);
	if (!record)
		return 0;
	record->handle = pool;
	record->device = device;
	record->segment = segment;
	record->flags = flags;
	record->bytes = bytes;
	tandem_record_commit();
	return 0;
}

static int32_t agent_found(uint64_t agent, void *unused)
{
	(void)unused;
	hsa_agent(agent);
	pools_iterate(agent, pool_describe, &agent);
	return 0;
}

void hsa_objects_describe(void)
{
	static _Atomic uint32_t described; /* the statedump + 1 */
	uint32_t now = tandem_process_statedump() + 1;

	if (tandem_likely(atomic_load_explicit(&described, memory_order_relaxed) == now) ||
	    atomic_exchange(&described, now) == now)
		return;
	tandem_process_uses(TANDEM_DOMAIN_hsa);
	hsa_runtime_describe();
	hsa_in_tool++;
	if (hsa_has(HSA_ID_hsa_iterate_agents))
		HSA_CALL(hsa_iterate_agents, int32_t, (int32_t(*)(uint64_t, void *), void *))
	(agent_found, NULL);
	hsa_in_tool--;
}
