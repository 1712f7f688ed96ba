/* SPDX-License-Identifier: MIT */
/* What a thread recorded before the session begins, as far as it concerns the session: descriptions,
 * and calls that had not returned. A snapshot of rings begins where all of them are complete, and
 * some go back further. Kept until the first event of the session comes, then put into the
 * thread's stream in the order in which it was added. One thread.
 *
 *	place = early_records_add(&early, &record);
 *	early_records_drop(&early, place);              it has returned
 *	early_records_put(&early, stream);
 *	... = early.of[place].put                       where it went
 *	early_records_free(&early);
 */
#ifndef TANDEM_TRACE_LTTNG_EARLY_RECORDS_H
#define TANDEM_TRACE_LTTNG_EARLY_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/external/lttng/session_writer.h"

#define EARLY_NOWHERE SIZE_MAX

struct early_record {
	uint16_t id;
	bool call;
	uint64_t ns;
	uint8_t *bytes; /* NULL: it was dropped */
	size_t count;
	uint64_t put; /* as session_stream_put() says */
};

struct early_records {
	struct early_record *of;
	size_t count, capacity;
};

/* A copy, whose place is returned; EARLY_NOWHERE: no memory. */
size_t early_records_add(struct early_records *early, const struct early_record *record);
void early_records_drop(struct early_records *early, size_t place);

/* How many of them could not be put. */
uint64_t early_records_put(struct early_records *early, struct session_stream *stream);
void early_records_free(struct early_records *early);

#endif
