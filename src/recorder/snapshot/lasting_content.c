/* SPDX-License-Identifier: MIT */
#include "recorder/snapshot/lasting_content.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/directory.h"
#include "format/packet.h"
#include "schema/descriptions.h"
#include "schema/gen/core_records.h"
#include "schema/gen/lasting.h"
#include "util/folder/open_below.h"

#define TRIES 5u

static bool header_read(int fd, struct descriptions_header *header)
{
	return pread(fd, header, sizeof(*header), 0) == (ssize_t)sizeof(*header) &&
	       header->magic == DESCRIPTIONS_MAGIC && header->area_bytes <= DESCRIPTIONS_AREA_BYTES;
}

static int area_read(struct lasting_content *content, int fd)
{
	struct descriptions_header before, after;

	for (unsigned i = 0; i < TRIES && header_read(fd, &before); i++) {
		unsigned area = descriptions_area(before.generation);
		uint64_t place = DESCRIPTIONS_HEADER_BYTES + area * before.area_bytes;
		uint8_t *data;

		content->bytes = before.bytes[area];
		if (content->bytes > before.area_bytes)
			break;
		data = realloc(content->data, content->bytes + 1);
		if (!data)
			return -ENOMEM;
		content->data = data;
		if (pread(fd, data, content->bytes, (off_t)place) == (ssize_t)content->bytes &&
		    header_read(fd, &after) &&
		    descriptions_valid(before.generation, after.generation))
			return 0;
	}
	content->bytes = 0;
	return 0;
}

struct tandem_record *lasting_content_next(const struct lasting_content *content,
					   const struct tandem_record *record)
{
	const uint8_t *end = content->data + content->bytes;
	const uint8_t *at =
		record ? (const uint8_t *)record + TANDEM_ALIGNED(record->size) : content->data;
	const struct tandem_record *next = (const void *)at;

	if (!content->bytes || at + sizeof(*next) > end || next->size < sizeof(*next) ||
	    at + next->size > end)
		return NULL;
	return (struct tandem_record *)(uintptr_t)next;
}

static uint32_t number_of(const struct tandem_record *record)
{
	uint32_t number = 0;

	if (record->size >= sizeof(*record) + sizeof(number))
		memcpy(&number, record + 1, sizeof(number));
	return number;
}

uint64_t lasting_key(const struct tandem_record *record)
{
	const uint8_t *at = (const uint8_t *)&record->id;
	const uint8_t *end = (const uint8_t *)record + record->size;
	uint64_t hash = 0xcbf29ce484222325u;

	if (tandem_id_object(record->id))
		return (uint64_t)record->id << 32 | number_of(record);
	for (; at < end; at++)
		hash = (hash ^ *at) * 0x100000001b3u;
	return hash >> 1;
}

int lasting_content_trim(struct lasting_content *content, const struct map *seen)
{
	struct tandem_record *record = NULL, *next;
	struct map freed = {.count = 0};
	uint8_t *end = content->data;
	int error = 0;

	while (!error && (record = lasting_content_next(content, record)))
		if (record->id == TANDEM_EVENT_memory_free &&
		    map_get(seen, lasting_key(record)) == MAP_NONE)
			error = map_set(&freed, number_of(record), 1);
	record = lasting_content_next(content, NULL);
	for (; !error && record; record = next) {
		uint16_t size = record->size;

		next = lasting_content_next(content, record);
		if (map_get(seen, lasting_key(record)) != MAP_NONE ||
		    record->id == TANDEM_EVENT_memory_free ||
		    (record->id == TANDEM_EVENT_memory &&
		     map_get(&freed, number_of(record)) != MAP_NONE))
			continue;
		memmove(end, record, size);
		end += TANDEM_ALIGNED(size);
	}
	content->bytes = (size_t)(end - content->data);
	map_free(&freed);
	return error;
}

int lasting_content_read(struct lasting_content *content, int folder)
{
	char name[DIRECTORY_NAME_BYTES];
	int fd, error;

	*content = (struct lasting_content){.data = NULL};
	directory_put(name, DIRECTORY_DESCRIPTIONS, 1, 0);
	fd = open_below(folder, name);
	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	error = area_read(content, fd);
	close(fd);
	if (error)
		lasting_content_free(content);
	return error;
}

void lasting_content_free(struct lasting_content *content)
{
	free(content->data);
	*content = (struct lasting_content){.data = NULL};
}
