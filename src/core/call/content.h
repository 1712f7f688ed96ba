/* SPDX-License-Identifier: MIT */
/* What a transfer moved, as a record behind its call: `content` to the device, `content_read` to the
 * host. The same hash for the same bytes, in both. Only where all arguments are recorded. */
#ifndef TANDEM_CORE_CALL_CONTENT_H
#define TANDEM_CORE_CALL_CONTENT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/call/content_rows.h"

/* Less is moved again in no time, and not recorded. */
#define CONTENT_LEAST 1024u

/* `bytes` of host memory at `data`, which can be read, of operation `op`; `offset`: where to, in
 * the memory object. To be called when the call has returned: the driver took the data then, which
 * have to stay as they are until the command is complete, of which the program can learn by what
 * this call returns only. */
void tandem_content_record(uint64_t op, const void *data, uint64_t offset, uint64_t bytes);

/* Same, of what came to `data` from `offset` of the memory object, where it is there when the call has
 * returned, as with a blocking one. */
void tandem_content_read_record(uint64_t op, const void *data, uint64_t offset, uint64_t bytes);

/* The same of rows that may lie apart. */
void tandem_content_rows_record(uint64_t op, struct content_rows rows, uint64_t offset);
void tandem_content_rows_read_record(uint64_t op, struct content_rows rows, uint64_t offset);

/* As tandem_content_record(), of memory that can no longer be read when the call has returned: looked at
 * before its record is begun, which is told (`content_mapped`), and recorded behind it.
 *
 *	struct tandem_content_look look;
 *	bool looked = tandem_content_look(&look, rows, offset);
 *	... the call
 *	if (looked)
 *		tandem_content_look_record(&look, op);
 */
struct tandem_content_look {
	uint64_t offset, bytes, hashed, hash, words;
};

/* False: it is not wanted. */
bool tandem_content_look(struct tandem_content_look *look, struct content_rows rows,
			 uint64_t offset);
void tandem_content_look_record(const struct tandem_content_look *look, uint64_t op);

#endif
