/* SPDX-License-Identifier: MIT */
#include "export/perfetto/proto.h"

#include <string.h>

enum wire { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_LENGTH = 2 };

#define VARINT_MOST 10u

static size_t varint_put(uint8_t *at, uint64_t value)
{
	size_t count = 0;

	while (value >= 0x80) {
		at[count++] = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	at[count++] = (uint8_t)value;
	return count;
}

static void add_varint(struct text *message, uint64_t value)
{
	uint8_t bytes[VARINT_MOST];

	text_add(message, (const char *)bytes, varint_put(bytes, value));
}

static void add_tag(struct text *message, uint32_t field, enum wire wire)
{
	add_varint(message, (uint64_t)field << 3 | wire);
}

void proto_number(struct text *message, uint32_t field, uint64_t value)
{
	add_tag(message, field, WIRE_VARINT);
	add_varint(message, value);
}

void proto_fixed(struct text *message, uint32_t field, uint64_t value)
{
	/* Little endian, as the traces are. */
	add_tag(message, field, WIRE_FIXED64);
	text_add(message, (const char *)&value, sizeof(value));
}

void proto_double(struct text *message, uint32_t field, double value)
{
	add_tag(message, field, WIRE_FIXED64);
	text_add(message, (const char *)&value, sizeof(value));
}

void proto_bytes(struct text *message, uint32_t field, const void *bytes, size_t length)
{
	add_tag(message, field, WIRE_LENGTH);
	add_varint(message, length);
	text_add(message, bytes, length);
}

void proto_string(struct text *message, uint32_t field, const char *string, size_t length)
{
	size_t begun;

	if (utf8_valid(string, length)) {
		proto_bytes(message, field, string, length);
		return;
	}
	begun = proto_begin(message, field);
	text_add_utf8(message, string, length);
	proto_end(message, begun);
}

size_t proto_begin(struct text *message, uint32_t field)
{
	/* Most messages are shorter than 128 bytes: one byte for the length. */
	add_tag(message, field, WIRE_LENGTH);
	text_add_char(message, '\0');
	return message->length;
}

void proto_end(struct text *message, size_t begun)
{
	size_t length = message->length - begun;
	uint8_t bytes[VARINT_MOST];
	size_t count;

	if (message->failed)
		return;
	count = varint_put(bytes, length);
	if (count > 1) {
		text_add(message, (const char *)bytes, count - 1);
		if (message->failed)
			return;
		memmove(message->data + begun + count - 1, message->data + begun, length);
	}
	memcpy(message->data + begun - 1, bytes, count);
}
