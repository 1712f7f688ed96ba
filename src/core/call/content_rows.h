/* SPDX-License-Identifier: MIT */
/* What a transfer moves where its rows may lie apart in the host's memory, as those of a part of a picture: its
 * hash, and its words (content_hash.h), which are those of the same bytes behind each other. Any thread.
 *
 *	struct content_rows rows = {.data = data, .width = 64, .rows = 64, .pitch = 4096, .slices = 1};
 *	uint64_t bytes = content_rows_join(&rows);
 *	hash = content_rows_hash(&rows, bytes, samples, &hashed);
 */
#ifndef TANDEM_CORE_CALL_CONTENT_ROWS_H
#define TANDEM_CORE_CALL_CONTENT_ROWS_H

#include <stdbool.h>
#include <stdint.h>

struct content_rows {
	const uint8_t *data;	     /* the first row, which can be read as all others */
	uint64_t width;		     /* bytes of a row */
	uint64_t rows, slices;	     /* rows of a slice */
	uint64_t pitch, slice_pitch; /* bytes from one to the next; 0: they lie behind each other */
};

/* Bytes that lie behind each other. */
static inline struct content_rows content_rows_one(const void *data, uint64_t bytes)
{
	return (struct content_rows){.data = data, .width = bytes, .rows = 1, .slices = 1};
}

/* Rows that lie behind each other are one from now on. Returns the bytes of all, 0 if there are too many. */
uint64_t content_rows_join(struct content_rows *rows);

/* Of all bytes, or of some rows with `samples`, and of rows that are shorter than a line of memory. `*hashed`: of
 * so many. One row has the hash of content_hash(). */
uint64_t content_rows_hash(const struct content_rows *rows, uint64_t bytes, bool samples,
			   uint64_t *hashed);

uint64_t content_rows_words(const struct content_rows *rows, uint64_t bytes);

#endif
