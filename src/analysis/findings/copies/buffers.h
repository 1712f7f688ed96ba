/* SPDX-License-Identifier: MIT */
/* The buffers that transfers move, and what is known of each. Memory grows with buffers. One
 * thread.
 *
 *	struct copy_buffers buffers = {0};
 *
 *	copy_buffers_find(&buffers, ends.buffer, operation->process, &buffer);
 *	copy_buffers_free(&buffers);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_COPIES_BUFFERS_H
#define TANDEM_ANALYSIS_FINDINGS_COPIES_BUFFERS_H

#include "analysis/findings/copies/copy_time.h"
#include "util/map.h"

struct copy_buffer {
	uint32_t process;
	struct copy_time to_device, to_host;
	uint64_t inputs;	 /* those of the process, at the latest transfer to the host */
	uint64_t offset, bytes;	 /* written last */
	uint64_t same, replaced; /* writes of what was read to the same memory, and of others */
	bool given;		 /* something since it was read */
	bool goes_on;		 /* what was read of it last went to another buffer */
	uint32_t generation;	 /* +1: what parts of it were given before is no longer there */
};

struct copy_buffers {
	struct map buffer_of; /* transfer_ends.h -> row */
	struct copy_buffer *rows;
	size_t count, capacity;
};

/* The buffer, which is made where it is not known: valid until the next one is made. Returns 0 or
 * -ENOMEM; copy_buffers_free() is called either way. */
int copy_buffers_find(struct copy_buffers *buffers, uint64_t key, uint32_t process,
		      struct copy_buffer **buffer);

void copy_buffers_free(struct copy_buffers *buffers);

#endif
