/* SPDX-License-Identifier: MIT */
/* How much a session's directory holds, for the recorder's last line and for
 * `tandem status`: counts records by stepping over them, without a look inside.
 *
 * One thread. A damaged or growing stream ends the count of that stream.
 */
#ifndef TANDEM_RECORDER_COUNT_RECORDS_H
#define TANDEM_RECORDER_COUNT_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

/* Beyond so many bytes the rest is estimated from what was counted: stepping
 * over 256 MiB takes about 50 ms. */
#define COUNT_EXACT_BYTES (UINT64_C(256) << 20)

struct record_count {
	uint64_t events;
	uint64_t bytes; /* of content: packets with their headers */
	/* The same of the operating system's side. */
	uint64_t kernel_events, kernel_bytes;
	bool estimated; /* events are extrapolated */
};

/* Counts what DIR holds now. Returns 0 or -errno (DIR cannot be read). */
int count_records(const char *directory, struct record_count *total);

#endif
