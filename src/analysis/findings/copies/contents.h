/* SPDX-License-Identifier: MIT */
/* What was written to parts of buffers and read from them, by its hash (core/call/content.h), to
 * recognise it when it comes again. Memory grows with parts and buffers. One thread.
 *
 *	struct contents contents = {0};
 *
 *	contents_written(&contents, key, buffer, content, &same);	each record `content`
 *	contents_read(&contents, key, content, &same);			each record `content_read`
 *	contents_released(&contents, key);				each buffer that is freed
 *	contents_free(&contents);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_COPIES_CONTENTS_H
#define TANDEM_ANALYSIS_FINDINGS_COPIES_CONTENTS_H

#include "analysis/findings/copies/buffers.h"
#include "schema/gen/core_records.h"
#include "util/map.h"

struct contents_part;

struct contents {
	struct map written;  /* buffer, bytes and a part of the hash -> hash of what was written */
	struct map given;    /* process, place and hash -> the buffer that was given it last */
	struct map released; /* buffers -> 1 */
	struct map part_of;  /* part of a buffer -> its place in `parts` */
	struct contents_part *parts;
	size_t count, capacity;
};

/* Return 0 or -ENOMEM; contents_free() is called either way. `key`: the buffer (transfer_ends.h). */

/* Whether the same bytes were written there before, whatever was written over them since: each
 * could have a buffer of its own, if that is so of a quarter of what is written there. A write of
 * another part that overlaps is the end of that. Or whether they were written to the same place of a buffer that was released since, which could have stayed. */
int contents_written(struct contents *contents, uint64_t key, struct copy_buffer *buffer,
		     const struct tandem_rec_content *content, bool *same);

/* Whether a part of a buffer gave what it had given. Where it mostly changes, samples do not show that
 * it did not. */
int contents_read(struct contents *contents, uint64_t key,
		  const struct tandem_rec_content_read *content, bool *same);

int contents_released(struct contents *contents, uint64_t key);

void contents_free(struct contents *contents);

#endif
