/* SPDX-License-Identifier: MIT */
#include "schema/lz4.h"

#include <string.h>

/* Half of a token, with the bytes that go on where it is 15. */
static size_t length_at(unsigned half, const uint8_t **at, const uint8_t *end)
{
	size_t length = half;
	uint8_t more = half == 15 ? 255 : 0;

	while (more == 255 && *at < end)
		length += more = *(*at)++;
	return length;
}

size_t lz4_unpack(char *text, size_t room, const uint8_t *packed, size_t bytes)
{
	const uint8_t *at = packed, *end = packed + bytes;
	size_t used = 0;

	while (at < end) {
		uint8_t token = *at++;
		size_t length = length_at(token >> 4, &at, end), back;

		if (length > (size_t)(end - at) || length > room - used)
			return 0;
		memcpy(text + used, at, length);
		used += length;
		at += length;
		if (at == end)
			return used;
		if (end - at < 2)
			return 0;
		back = at[0] | (size_t)at[1] << 8;
		at += 2;
		length = length_at(token & 15, &at, end) + 4;
		if (!back || back > used || length > room - used)
			return 0;
		/* Byte by byte: what is copied may be what was just written. */
		for (; length; length--, used++)
			text[used] = text[used - back];
	}
	return 0;
}
