/* SPDX-License-Identifier: MIT */
#include "domains/sycl/memory.h"

#include "domains/sycl/graph/construct.h"
#include "domains/sycl/span.h"
#include "schema/gen/sycl_records.h"

static void usm_alloc(xpti_event_data_t *event, const char *what)
{
	struct sycl_text kind = sycl_text(what, SYCL_TEXT_MOST);
	struct tandem_sycl_sycl_malloc *record;
	struct sycl_metadata metadata;
	uint32_t construct;
	uint64_t bytes;

	sycl_metadata_read(&metadata, event);
	construct = sycl_construct_of(event, &metadata, what);
	bytes = sycl_metadata_number(&metadata, SYCL_KEY_memory_size, 0);
	record = sycl_span_begin(xpti_mem_alloc_begin, TANDEM_SYCL_EVENT_sycl_malloc,
				 (uint32_t)sizeof(*record) + kind.bytes);
	if (!record)
		return;
	record->address = 0;
	record->bytes = bytes;
	record->construct = construct;
	record->kind_count = (uint16_t)kind.bytes;
	sycl_text_put(record + 1, &kind);
	tandem_record_commit();
}

static void usm_free(xpti_event_data_t *event, const char *what)
{
	struct tandem_sycl_sycl_free *record;
	struct sycl_metadata metadata;
	uint32_t construct;
	uint64_t address;

	sycl_metadata_read(&metadata, event);
	construct = sycl_construct_of(event, &metadata, what);
	address = sycl_metadata_number(&metadata, SYCL_KEY_memory_ptr, 0);
	record = sycl_span_begin(xpti_mem_release_begin, TANDEM_SYCL_EVENT_sycl_free,
				 sizeof(*record));
	if (!record)
		return;
	record->address = address;
	record->construct = construct;
	tandem_record_commit();
}

static void buffer_alloc(const xpti_mem_alloc_data_t *data)
{
	struct tandem_sycl_sycl_buffer_alloc *record = sycl_span_begin(
		xpti_mem_alloc_begin, TANDEM_SYCL_EVENT_sycl_buffer_alloc, sizeof(*record));

	if (!record)
		return;
	record->address = 0;
	record->bytes = data->alloc_size;
	record->memory = data->mem_object_handle;
	tandem_record_commit();
}

static void buffer_free(const xpti_mem_alloc_data_t *data)
{
	struct tandem_sycl_sycl_buffer_free *record = sycl_span_begin(
		xpti_mem_release_begin, TANDEM_SYCL_EVENT_sycl_buffer_free, sizeof(*record));

	if (!record)
		return;
	record->address = data->alloc_pointer;
	record->memory = data->mem_object_handle;
	tandem_record_commit();
}

static void alloc_end(xpti_event_data_t *event, const xpti_mem_alloc_data_t *data)
{
	struct sycl_metadata metadata;
	uint64_t address = 0;

	if (event) {
		sycl_metadata_read(&metadata, event);
		address = sycl_metadata_number(&metadata, SYCL_KEY_memory_ptr, 0);
	} else if (data) {
		address = data->alloc_pointer;
	}
	sycl_span_end(xpti_mem_alloc_begin, &address, sizeof(address));
}

void sycl_memory_event(uint16_t type, xpti_event_data_t *event, const void *data)
{
	switch (type) {
	case xpti_mem_alloc_begin:
		if (event)
			usm_alloc(event, data);
		else if (data)
			buffer_alloc(data);
		break;
	case xpti_mem_alloc_end:
		alloc_end(event, data);
		break;
	case xpti_mem_release_begin:
		if (event)
			usm_free(event, data);
		else if (data)
			buffer_free(data);
		break;
	case xpti_mem_release_end:
		sycl_span_end(xpti_mem_release_begin, NULL, 0);
		break;
	default:
		break;
	}
}
