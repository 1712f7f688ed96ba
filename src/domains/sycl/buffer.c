/* SPDX-License-Identifier: MIT */
#include "domains/sycl/buffer.h"

#include <stdatomic.h>
#include <string.h>

#include "core/stream/stream.h"
#include "domains/sycl/graph/construct.h"
#include "domains/sycl/table.h"
#include "schema/gen/sycl_records.h"

static struct sycl_table known; /* handle -> number */
static _Atomic uint32_t numbers;

#define FORMAT_BYTES 24u

struct shape {
	enum tandem_sycl_memory kind;
	uint64_t handle, host, range[3];
	uint32_t element_bytes, dimensions;
	struct sycl_text element;
};

uint32_t sycl_buffer_of(uint64_t handle)
{
	return (uint32_t)sycl_table_get(&known, handle);
}

static void create(xpti_event_data_t *event, const struct shape *shape)
{
	uint32_t number = atomic_fetch_add_explicit(&numbers, 1, memory_order_relaxed) + 1;
	struct tandem_sycl_buffer_create *record;
	struct sycl_place place;

	sycl_table_set(&known, shape->handle, number);
	sycl_place_of(&place, event);
	record = tandem_record_begin(TANDEM_SYCL_EVENT_buffer_create, (uint32_t)sizeof(*record) +
									      shape->element.bytes +
									      place.file.bytes);
	if (!record)
		return;
	record->buffer = number;
	record->kind = (uint8_t)shape->kind;
	record->handle = shape->handle;
	record->host = shape->host;
	record->element_bytes = shape->element_bytes;
	record->dimensions = shape->dimensions;
	record->x = shape->range[0];
	record->y = shape->range[1];
	record->z = shape->range[2];
	record->line = place.line;
	record->element_count = (uint16_t)shape->element.bytes;
	record->file_count = (uint16_t)place.file.bytes;
	sycl_text_put(sycl_text_put(record + 1, &shape->element), &place.file);
	tandem_record_commit();
}

static void destroy(uint64_t handle)
{
	uint32_t number = sycl_buffer_of(handle);
	struct tandem_sycl_buffer_destroy *record;

	record = tandem_record_begin(TANDEM_SYCL_EVENT_buffer_destroy, sizeof(*record));
	if (number)
		sycl_table_set(&known, handle, 0);
	if (!record)
		return;
	record->buffer = number;
	tandem_record_commit();
}

static void associate(const xpti_offload_association_data_t *data, uint16_t id)
{
	struct tandem_sycl_buffer_associate *record = tandem_record_begin(id, sizeof(*record));

	if (!record)
		return;
	record->buffer = sycl_buffer_of(data->user_object_handle);
	record->memory = data->mem_object_handle;
	tandem_record_commit();
}

uint8_t sycl_access(uint64_t mode)
{
	static const uint8_t words[] = {TANDEM_ACCESS_read,	     TANDEM_ACCESS_write,
					TANDEM_ACCESS_read_write,    TANDEM_ACCESS_discard_write,
					TANDEM_ACCESS_discard_write, TANDEM_ACCESS_read_write};

	return mode >= 1024 && mode - 1024 < sizeof(words) ? words[mode - 1024]
							   : TANDEM_ACCESS_none;
}

static void accessor(xpti_event_data_t *event, const xpti_offload_accessor_data_t *data)
{
	struct tandem_sycl_accessor *record;
	struct sycl_place place;

	sycl_place_of(&place, event);
	record = tandem_record_begin(TANDEM_SYCL_EVENT_accessor,
				     (uint32_t)sizeof(*record) + place.file.bytes);
	if (!record)
		return;
	record->buffer = sycl_buffer_of(data->buffer_handle);
	record->access = sycl_access(data->mode);
	record->target = data->target;
	record->handle = data->accessor_handle;
	record->line = place.line;
	record->file_count = (uint16_t)place.file.bytes;
	sycl_text_put(record + 1, &place.file);
	tandem_record_commit();
}

/* What is the same of buffers and images: false where one is constructed. */
static bool event_of_either(uint16_t type, xpti_event_data_t *event, const void *data)
{
	if (!data)
		return true;
	switch (type) {
	case xpti_offload_alloc_memory_object_construct:
		return false;
	case xpti_offload_alloc_memory_object_destruct:
		destroy(((const xpti_offload_association_data_t *)data)->user_object_handle);
		break;
	case xpti_offload_alloc_memory_object_associate:
		associate(data, TANDEM_SYCL_EVENT_buffer_associate);
		break;
	case xpti_offload_alloc_memory_object_release:
		associate(data, TANDEM_SYCL_EVENT_buffer_release);
		break;
	case xpti_offload_alloc_accessor:
		accessor(event, data);
		break;
	default:
		break;
	}
	return true;
}

void sycl_buffer_event(uint16_t type, xpti_event_data_t *event, const void *data)
{
	const xpti_offload_buffer_data_t *buffer = data;
	struct shape shape;

	if (event_of_either(type, event, data))
		return;
	shape = (struct shape){
		.kind = TANDEM_SYCL_MEMORY_buffer,
		.handle = buffer->user_object_handle,
		.host = buffer->host_object_handle,
		.element_bytes = buffer->element_size,
		.dimensions = buffer->dim,
		.range = {buffer->range[0], buffer->range[1], buffer->range[2]},
		.element = sycl_text(buffer->element_type, SYCL_TEXT_MOST),
	};
	create(event, &shape);
}

/* An image's element is told by a number of the runtime's own. */
static const char *format_words(char words[FORMAT_BYTES], uint32_t format)
{
	static const char before[] = "image format ";
	char digits[10], *at = words + sizeof(before) - 1;
	unsigned count = 0;

	memcpy(words, before, sizeof(before) - 1);
	do
		digits[count++] = (char)('0' + format % 10);
	while ((format /= 10));
	while (count)
		*at++ = digits[--count];
	*at = '\0';
	return words;
}

void sycl_image_event(uint16_t type, xpti_event_data_t *event, const void *data)
{
	const xpti_offload_image_data_t *image = data;
	char format[FORMAT_BYTES];
	struct shape shape;

	if (event_of_either(type, event, data))
		return;
	shape = (struct shape){
		.kind = TANDEM_SYCL_MEMORY_image,
		.handle = image->user_object_handle,
		.host = image->host_object_handle,
		.dimensions = image->dim,
		.range = {image->range[0], image->range[1], image->range[2]},
		.element = sycl_text(format_words(format, image->format), SYCL_TEXT_MOST),
	};
	create(event, &shape);
}
