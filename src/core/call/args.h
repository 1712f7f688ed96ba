/* SPDX-License-Identifier: MIT */
/* Copies a call's array and string arguments behind a record's fixed part.
 *
 * For the generated opencl_begin_*() and their like: first NOUN_count() says how
 * many elements will be recorded (bounded, 0 for NULL), then the record is
 * begun with room for them, then NOUN_put() writes them and returns the place
 * behind. No function here reads more of the program's memory than the API
 * lets the driver read.
 *
 *   uint32_t n = args_count(num_events, events, ARGS_MAX);
 *   struct layout *record = tandem_call_begin(call, id, sizeof(*record) + n * 8);
 *   if (record) { record->wait_count = n; args_ops_put(record + 1, kind, events, n); ... }
 *
 * Any thread; no malloc, no lock, no system call.
 */
#ifndef TANDEM_CORE_ARGS_H
#define TANDEM_CORE_ARGS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/control.h"
#include "core/object.h"

/* size_t, intptr_t and addresses are recorded as they lie. */
_Static_assert(sizeof(size_t) == 8 && sizeof(void *) == 8, "a 64-bit machine");

/* Objects and events of one argument; their lists are short. */
#define ARGS_MAX 255u

/* As many elements of so many bytes as --cut lets through, and as fit into a
 * count. */
static inline uint32_t args_cut(uint32_t element_bytes)
{
	uint32_t most = tandem_control.max_string_bytes / element_bytes;

	return most < UINT16_MAX ? most : UINT16_MAX;
}

static inline uint32_t args_count(uint64_t count, const void *list, uint32_t most)
{
	if (!list)
		return 0;
	return count < most ? (uint32_t)count : most;
}

static inline uint32_t args_text_count(const void *text, uint32_t most)
{
	return text ? (uint32_t)strnlen(text, most) : 0;
}

/* Words of a list of (name, value) pairs up to a name of 0. */
static inline uint32_t args_pairs_count(const void *list, uint32_t most)
{
	const uint64_t *word = list;
	uint32_t n = 0;

	while (word && n + 1 < most && word[n])
		n += 2;
	return n;
}

/* Words of a list up to a 0. */
static inline uint32_t args_list0_count(const void *list, uint32_t most)
{
	const uint64_t *word = list;
	uint32_t n = 0;

	while (word && n < most && word[n])
		n++;
	return n;
}

static inline uint64_t args_sizes_sum(uint32_t count, const void *sizes)
{
	const size_t *size = sizes;
	uint64_t sum = 0;

	for (uint32_t i = 0; size && i < count; i++)
		sum += size[i];
	return sum;
}

/* Several strings are recorded as one. Their lengths may be missing, or 0 for
 * one that ends in a NUL. */
static inline size_t args_text_bytes(const char *text, const size_t *lengths, uint32_t i,
				     size_t most)
{
	if (!text)
		return 0;
	if (lengths && lengths[i])
		return lengths[i] < most ? lengths[i] : most;
	return strnlen(text, most);
}

static inline uint64_t args_texts_bytes(uint32_t count, const void *texts, const void *lengths)
{
	const char *const *text = texts;
	uint64_t sum = 0;

	for (uint32_t i = 0; text && i < count; i++)
		sum += args_text_bytes(text[i], lengths, i, PTRDIFF_MAX);
	return sum;
}

#define ARGS_HASH_START UINT64_C(0x9e3779b97f4a7c15)

/* One more piece of what is hashed, some 3 bytes a ns. */
static inline uint64_t args_hash(uint64_t hash, const void *bytes, size_t count)
{
	const uint8_t *at = bytes;
	uint64_t word;

	for (; at && count; at += sizeof(word), count -= sizeof(word)) {
		size_t some = count < sizeof(word) ? count : sizeof(word);

		word = 0;
		memcpy(&word, at, some);
		hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
		hash ^= hash >> 32;
		if (some < sizeof(word))
			break;
	}
	return hash;
}

/* Never 0, unless there is none. */
static inline uint64_t args_texts_hash(uint32_t count, const void *texts, const void *lengths)
{
	const char *const *text = texts;
	uint64_t hash = ARGS_HASH_START;

	for (uint32_t i = 0; text && i < count; i++)
		hash = args_hash(hash, text[i], args_text_bytes(text[i], lengths, i, PTRDIFF_MAX));
	return text ? hash | 1 : 0;
}

static inline uint64_t args_binaries_hash(uint32_t count, const void *binaries, const void *lengths)
{
	const void *const *binary = binaries;
	const size_t *bytes = lengths;
	uint64_t hash = ARGS_HASH_START;

	for (uint32_t i = 0; binary && bytes && i < count; i++)
		hash = args_hash(hash, binary[i], bytes[i]);
	return binary && bytes ? hash | 1 : 0;
}

static inline uint32_t args_texts_count(uint32_t count, const void *texts, const void *lengths,
					uint32_t most)
{
	const char *const *text = texts;
	size_t sum = 0;

	for (uint32_t i = 0; text && i < count && sum < most; i++)
		sum += args_text_bytes(text[i], lengths, i, most - sum);
	return (uint32_t)sum;
}

static inline uint8_t *args_texts_put(void *to, uint32_t count, const void *texts,
				      const void *lengths, uint32_t bytes)
{
	const char *const *text = texts;
	uint8_t *at = to;

	for (uint32_t i = 0; i < count && bytes; i++) {
		size_t n = args_text_bytes(text[i], lengths, i, bytes);

		if (n)
			memcpy(at, text[i], n);
		at += n;
		bytes -= (uint32_t)n;
	}
	return at + bytes;
}

static inline uint8_t *args_bytes_put(void *to, const void *from, uint32_t bytes)
{
	if (bytes)
		memcpy(to, from, bytes);
	return (uint8_t *)to + bytes;
}

static inline uint8_t *args_objects_put(void *to, struct tandem_kind kind, const void *handles,
					uint32_t count)
{
	void *const *handle = handles;
	uint8_t *at = to;

	for (uint32_t i = 0; i < count; i++, at += sizeof(uint32_t)) {
		uint32_t number = tandem_object_number(kind, handle[i]);

		memcpy(at, &number, sizeof(number));
	}
	return at;
}

static inline uint8_t *args_ops_put(void *to, struct tandem_kind kind, const void *events,
				    uint32_t count)
{
	void *const *event = events;
	uint8_t *at = to;

	for (uint32_t i = 0; i < count; i++, at += sizeof(uint64_t)) {
		uint64_t op = tandem_event_op(kind, event[i]);

		memcpy(at, &op, sizeof(op));
	}
	return at;
}

#endif
