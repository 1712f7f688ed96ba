/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "schema/lz4.h"

enum {
	LEAST = 4,
	FARTHEST = 65535,
	LAST_LITERALS = 5,
	LAST_MATCH = 12,
	TRIES = 1024,
	HASH_BITS = 16
};

struct matches {
	const char *text;
	size_t bytes;
	uint32_t *before;		 /* of each place, the one with its hash before it, + 1 */
	uint32_t latest[1 << HASH_BITS]; /* + 1; 0: none */
};

static uint32_t hash_of(const char *text)
{
	uint32_t word;

	memcpy(&word, text, sizeof(word));
	return word * 2654435761u >> (32 - HASH_BITS);
}

static void matches_add(struct matches *matches, size_t at)
{
	uint32_t *latest = &matches->latest[hash_of(matches->text + at)];

	matches->before[at] = *latest;
	*latest = (uint32_t)at + 1;
}

/* The longest one's length; 0: none. */
static size_t matches_find(const struct matches *matches, size_t at, size_t *back)
{
	const char *text = matches->text;
	size_t most = matches->bytes - LAST_LITERALS - at, best = LEAST - 1;
	uint32_t place = matches->latest[hash_of(text + at)];

	for (int i = 0; i < TRIES && place && at - (place - 1) <= FARTHEST; i++) {
		size_t length = 0;

		while (length < most && text[place - 1 + length] == text[at + length])
			length++;
		if (length > best) {
			best = length;
			*back = at - (place - 1);
		}
		place = matches->before[place - 1];
	}
	return best < LEAST ? 0 : best;
}

static uint8_t *put_length(uint8_t *at, size_t length)
{
	if (length < 15)
		return at;
	for (length -= 15; length >= 255; length -= 255)
		*at++ = 255;
	*at++ = (uint8_t)length;
	return at;
}

static unsigned half(size_t length)
{
	return length < 15 ? (unsigned)length : 15;
}

/* `length` 0: the last, which is literals alone. */
static uint8_t *put_sequence(uint8_t *at, const char *literals, size_t count, size_t back,
			     size_t length)
{
	*at++ = (uint8_t)(half(count) << 4 | (length ? half(length - LEAST) : 0));
	at = put_length(at, count);
	memcpy(at, literals, count);
	at += count;
	if (!length)
		return at;
	*at++ = (uint8_t)back;
	*at++ = (uint8_t)(back >> 8);
	return put_length(at, length - LEAST);
}

size_t lz4_pack(uint8_t *packed, const char *text, size_t bytes)
{
	struct matches *matches = calloc(1, sizeof(*matches));
	uint32_t *before = malloc((bytes + 1) * sizeof(*before));
	size_t literals = 0, at = 0, back = 0;
	uint8_t *end = packed;

	if (matches && before) {
		matches->text = text;
		matches->bytes = bytes;
		matches->before = before;
		while (at + LAST_MATCH <= bytes) {
			size_t length = matches_find(matches, at, &back),
			       next = at + (length ? length : 1);

			if (length) {
				end = put_sequence(end, text + literals, at - literals, back,
						   length);
				literals = next;
			}
			for (; at < next; at++)
				matches_add(matches, at);
		}
		end = put_sequence(end, text + literals, bytes - literals, 0, 0);
	}
	free(before);
	free(matches);
	return (size_t)(end - packed);
}
