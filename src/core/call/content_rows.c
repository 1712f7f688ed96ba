/* SPDX-License-Identifier: MIT */
#include "core/call/content_rows.h"

#include "core/call/content_hash.h"

#define CONTENT_LINE 64u
#define ROW_PRIME UINT64_C(0xff51afd7ed558ccd)

uint64_t content_rows_join(struct content_rows *rows)
{
	uint64_t slice, bytes;

	if (__builtin_mul_overflow(rows->width, rows->rows, &slice) ||
	    __builtin_mul_overflow(slice, rows->slices, &bytes))
		return 0;
	if (!rows->pitch)
		rows->pitch = rows->width;
	if (!rows->slice_pitch)
		rows->slice_pitch = rows->pitch * rows->rows;
	if (rows->rows == 1 || rows->pitch == rows->width) {
		rows->width = slice;
		rows->rows = rows->slices;
		rows->pitch = rows->slice_pitch;
		rows->slices = 1;
	}
	if (rows->slices == 1 && (rows->rows == 1 || rows->pitch == rows->width)) {
		rows->width = bytes;
		rows->rows = 1;
	}
	return bytes;
}

static const uint8_t *row_at(const struct content_rows *rows, uint64_t row)
{
	return rows->data + row / rows->rows * rows->slice_pitch + row % rows->rows * rows->pitch;
}

/* Every so many rows are looked at. */
static uint64_t row_step(const struct content_rows *rows, bool samples)
{
	uint64_t row = rows->width < CONTENT_LINE ? CONTENT_LINE : rows->width;
	uint64_t most = CONTENT_SAMPLES / row, count = rows->rows * rows->slices;

	if (!samples && rows->width >= CONTENT_LINE)
		return 1;
	return !most ? count : (count + most - 1) / most;
}

uint64_t content_rows_hash(const struct content_rows *rows, uint64_t bytes, bool samples,
			   uint64_t *hashed)
{
	uint64_t count = rows->rows * rows->slices, step = row_step(rows, samples), hash = bytes;
	bool parts = samples && rows->width > CONTENT_WHOLE;
	uint64_t looked = parts ? CONTENT_SAMPLES : rows->width;

	if (count == 1) {
		*hashed = samples ? CONTENT_SAMPLES : bytes;
		return content_hash(rows->data, bytes, samples);
	}
	*hashed = 0;
	for (uint64_t i = 0; i < count; i += step) {
		hash = (hash << 29 | hash >> 35) ^
		       content_hash(row_at(rows, i), rows->width, parts);
		hash *= ROW_PRIME;
		*hashed += looked;
	}
	return hash;
}

uint64_t content_rows_words(const struct content_rows *rows, uint64_t bytes)
{
	uint64_t words[CONTENT_WORDS];

	if (bytes < sizeof(words))
		return 0;
	for (unsigned i = 0; i < CONTENT_WORDS; i++) {
		uint64_t place = content_word_place(bytes, i);
		uint8_t *word = (uint8_t *)&words[i];

		for (unsigned j = 0; j < sizeof(*words); j++, place++)
			word[j] = row_at(rows, place / rows->width)[place % rows->width];
	}
	return content_words_sign(words);
}
