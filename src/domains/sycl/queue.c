/* SPDX-License-Identifier: MIT */
#include "domains/sycl/queue.h"

#include "core/stream/stream.h"
#include "domains/sycl/graph/construct.h"
#include "schema/gen/sycl_records.h"

void sycl_graph_create(xpti_event_data_t *event)
{
	struct tandem_sycl_graph_create *record;
	struct sycl_place place;

	sycl_place_of(&place, event);
	record = tandem_record_begin(TANDEM_SYCL_EVENT_graph_create,
				     (uint32_t)sizeof(*record) + place.name.bytes);
	if (!record)
		return;
	record->name_count = (uint16_t)place.name.bytes;
	sycl_text_put(record + 1, &place.name);
	tandem_record_commit();
}

void sycl_queue_create(xpti_event_data_t *event)
{
	struct tandem_sycl_queue_create *record;
	struct sycl_metadata metadata;
	uint64_t queue, handle, in_order;
	struct sycl_text device;

	sycl_metadata_read(&metadata, event);
	queue = sycl_metadata_number(&metadata, SYCL_KEY_queue_id, 0);
	handle = sycl_metadata_number(&metadata, SYCL_KEY_queue_handle, 0);
	in_order = sycl_metadata_number(&metadata, SYCL_KEY_is_inorder, 0);
	sycl_metadata_text(&metadata, SYCL_KEY_sycl_device_name, &device);
	record = tandem_record_begin(TANDEM_SYCL_EVENT_queue_create,
				     (uint32_t)sizeof(*record) + device.bytes);
	if (!record)
		return;
	record->queue = queue;
	record->handle = handle;
	record->in_order = in_order != 0;
	record->device_count = (uint16_t)device.bytes;
	sycl_text_put(record + 1, &device);
	tandem_record_commit();
}

void sycl_queue_destroy(xpti_event_data_t *event)
{
	struct tandem_sycl_queue_destroy *record;
	struct sycl_metadata metadata;
	uint64_t queue;

	sycl_metadata_read(&metadata, event);
	queue = sycl_metadata_number(&metadata, SYCL_KEY_queue_id, 0);
	record = tandem_record_begin(TANDEM_SYCL_EVENT_queue_destroy, sizeof(*record));
	if (!record)
		return;
	record->queue = queue;
	tandem_record_commit();
}

void sycl_diagnostic(xpti_event_data_t *event, const char *message)
{
	struct sycl_text text = sycl_text(message, SYCL_TEXT_MOST);
	struct tandem_sycl_diagnostic *record;
	struct sycl_place place;

	sycl_place_of(&place, event);
	record = tandem_record_begin(TANDEM_SYCL_EVENT_diagnostic,
				     (uint32_t)sizeof(*record) + text.bytes + place.file.bytes);
	if (!record)
		return;
	record->line = place.line;
	record->message_count = (uint16_t)text.bytes;
	record->file_count = (uint16_t)place.file.bytes;
	sycl_text_put(sycl_text_put(record + 1, &text), &place.file);
	tandem_record_commit();
}
