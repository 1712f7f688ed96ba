/* SPDX-License-Identifier: MIT */
#include "core/device.h"

#include <string.h>

#include "core/stream/stream.h"

static uint16_t length_of(const char *text)
{
	return text ? (uint16_t)strlen(text) : 0;
}

static uint8_t *put(uint8_t *at, const char *text, uint16_t length)
{
	if (length)
		memcpy(at, text, length);
	return at + length;
}

void tandem_device_describe(struct tandem_rec_device device,
			    const struct tandem_device_texts *texts)
{
	struct tandem_rec_device *record;
	uint8_t *at;

	device.name_count = length_of(texts->name);
	device.platform_name_count = length_of(texts->platform);
	device.vendor_count = length_of(texts->vendor);
	device.version_count = length_of(texts->version);
	device.driver_count = length_of(texts->driver);
	record = tandem_record_begin(TANDEM_EVENT_device,
				     (uint32_t)sizeof(*record) + device.name_count +
					     device.platform_name_count + device.vendor_count +
					     device.version_count + device.driver_count);
	if (!record)
		return;
	device.head = record->head;
	*record = device;
	at = put((uint8_t *)(record + 1), texts->name, device.name_count);
	at = put(at, texts->platform, device.platform_name_count);
	at = put(at, texts->vendor, device.vendor_count);
	at = put(at, texts->version, device.version_count);
	put(at, texts->driver, device.driver_count);
	tandem_record_commit();
}
