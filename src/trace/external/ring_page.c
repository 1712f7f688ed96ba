/* SPDX-License-Identifier: MIT */
#include "trace/external/ring_page.h"

#include <string.h>

/* In the word that says how much of the page is used. */
#define USED_MASK 0x7ffffffu
#define MISSED_STORED (1u << 30) /* behind the events: how many are missing */

/* Lengths of events that are no lengths (enum ring_buffer_type). */
enum { TYPE_LONG = 0, TYPE_PADDING = 29, TYPE_TIME_EXTEND = 30, TYPE_TIME_STAMP = 31 };

static uint32_t word_at(const uint8_t *page, uint32_t at)
{
	uint32_t word;

	memcpy(&word, page + at, sizeof(word));
	return word;
}

/* Bytes of the event behind its first word; UINT64_MAX: more than there are. */
static uint64_t event_bytes(const uint8_t *page, uint32_t at, uint32_t left)
{
	uint32_t type = word_at(page, at) & 31, length;

	if (type == TYPE_TIME_EXTEND || type == TYPE_TIME_STAMP)
		return 4;
	if (type != TYPE_LONG && type != TYPE_PADDING)
		return (uint64_t)type * 4;
	if (left < 8)
		return UINT64_MAX;
	length = word_at(page, at + 4);
	if (type == TYPE_PADDING)
		return length;
	/* It counts its own word, and is rounded up. */
	return length < 4 ? UINT64_MAX : 4 + (((uint64_t)length - 4 + 3) & ~UINT64_C(3));
}

bool ring_page_trim(uint8_t *page, uint32_t page_bytes, unsigned long_bytes)
{
	uint32_t start = 8 + long_bytes, flags = word_at(page, 8), used = flags & USED_MASK;
	uint32_t at = start, end;
	bool whole = used <= page_bytes - start;

	end = whole ? start + used : page_bytes;
	while (end - at >= 4) {
		uint64_t bytes = event_bytes(page, at, end - at);
		/* One that fills the last word of a page says no length. */
		bool filler = end - at == 4 && word_at(page, at) == TYPE_PADDING;

		if (filler || bytes > end - at - 4) {
			whole = whole && filler;
			break;
		}
		at += 4 + (uint32_t)bytes;
	}
	whole = whole && (end - at < 4 || word_at(page, at) == TYPE_PADDING);
	flags = (flags & ~USED_MASK) | (at - start);
	if (at != start + used || page_bytes - at < long_bytes)
		flags &= ~MISSED_STORED;
	memcpy(page + 8, &flags, sizeof(flags));
	return whole;
}
