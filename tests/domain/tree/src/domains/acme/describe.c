/* SPDX-License-Identifier: MIT */
#include "domains/acme/describe.h"

#include <string.h>

#include "core/object.h"
#include "core/stream/stream.h"
#include "schema/gen/core_records.h"

/* The only device has no handle. */
#define DEVICE ((void *)16)

static const struct acm_runtime *runtime;

void acme_device_begin(const struct acm_runtime *said)
{
	runtime = said;
}

static uint32_t device_number(void)
{
	return tandem_object_number(TANDEM_KIND(acme, device), DEVICE);
}

/* The device's clock and ours at one moment. */
static void clock_pair_write(uint32_t device)
{
	struct tandem_rec_clock_pair *record;
	uint64_t begin = tandem_ticks(), device_ns = runtime->device_clock_ns();
	uint64_t until = tandem_ticks();

	record = tandem_record_begin(TANDEM_EVENT_clock_pair, sizeof(*record));
	if (!record)
		return;
	record->device = device;
	record->domain = TANDEM_DOMAIN_acme;
	record->device_ns = device_ns;
	record->begin = begin;
	record->until = until;
	tandem_record_commit();
}

static void device_describe(uint32_t number)
{
	static const char name[] = "made-up device";
	struct tandem_rec_device *record = tandem_record_begin(
		TANDEM_EVENT_device, (uint32_t)(sizeof(*record) + sizeof(name) - 1));

	if (!record)
		return;
	memset(&record->device, 0, sizeof(*record) - sizeof(record->head));
	record->device = number;
	record->domain = TANDEM_DOMAIN_acme;
	record->type = TANDEM_DEVICE_TYPE_accelerator;
	record->compute_units = 1;
	record->name_count = sizeof(name) - 1;
	memcpy(record + 1, name, sizeof(name) - 1);
	tandem_record_commit();
	clock_pair_write(number);
}

static void queue_describe(const void *queue, uint32_t number)
{
	uint32_t device = device_number();
	struct tandem_rec_queue *record = tandem_record_begin(TANDEM_EVENT_queue, sizeof(*record));

	if (!record)
		return;
	memset(&record->queue, 0, sizeof(*record) - sizeof(record->head));
	record->queue = number;
	record->domain = TANDEM_DOMAIN_acme;
	record->handle = (uintptr_t)queue;
	record->device = device;
	record->timing = TANDEM_TIMING_forced;
	record->in_order = 1;
	tandem_record_commit();
}

void acme_describe(unsigned type, void *handle, uint32_t number)
{
	if (type == TANDEM_OBJECT_device)
		device_describe(number);
	else if (type == TANDEM_OBJECT_queue)
		queue_describe(handle, number);
}

uint32_t acme_queue_created(const void *queue)
{
	uint32_t number = tandem_object_assign(TANDEM_KIND(acme, queue), queue);

	if (number)
		queue_describe(queue, number);
	return number;
}

uint32_t acme_memory_created(const void *memory, uint64_t bytes)
{
	uint32_t number = tandem_object_assign(TANDEM_KIND(acme, memory), memory);
	uint32_t device = device_number();
	struct tandem_rec_memory *record;

	tandem_handle_set(TANDEM_HANDLE_STATE(acme), memory, bytes);
	record = number ? tandem_record_begin(TANDEM_EVENT_memory, sizeof(*record)) : NULL;
	if (!record)
		return number;
	memset(&record->memory, 0, sizeof(*record) - sizeof(record->head));
	record->memory = number;
	record->domain = TANDEM_DOMAIN_acme;
	record->kind = TANDEM_MEMORY_KIND_device;
	record->handle = (uintptr_t)memory;
	record->device = device;
	record->bytes = bytes;
	tandem_record_commit();
	return number;
}

void acme_memory_freed(const void *memory)
{
	uint32_t number = tandem_object_find(TANDEM_KIND(acme, memory), memory);
	struct tandem_rec_memory_free *record;

	tandem_object_forget(TANDEM_KIND(acme, memory), memory);
	record = number ? tandem_record_begin(TANDEM_EVENT_memory_free, sizeof(*record)) : NULL;
	if (!record)
		return;
	record->memory = number;
	record->domain = TANDEM_DOMAIN_acme;
	record->bytes = tandem_handle_get(TANDEM_HANDLE_STATE(acme), memory);
	tandem_record_commit();
}
