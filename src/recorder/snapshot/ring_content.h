/* SPDX-License-Identifier: MIT */
/* What a flight recorder's stream holds, read while its thread may be overwriting it: whole
 * packets, in the order in which they were recorded, without a gap.
 *
 *	struct ring_content content;
 *
 *	error = ring_content_read(&content, fd, subbuffer_bytes, 0);
 *	while ((packet = ring_content_next(&content, packet)))
 *		...
 *	ring_content_free(&content);
 */
#ifndef TANDEM_RECORDER_SNAPSHOT_RING_CONTENT_H
#define TANDEM_RECORDER_SNAPSHOT_RING_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/packet.h"

struct ring_content {
	uint8_t *data;
	size_t bytes;	  /* of packets, one after the other */
	bool overwritten; /* the stream had begun before */
};

/* 0 or -errno. A stream that holds nothing has no bytes. What is in sub-buffers that were full before
 * `since` (in ticks, 0: never) may be left out. */
int ring_content_read(struct ring_content *content, int fd, uint32_t subbuffer_bytes,
		      uint64_t since);
void ring_content_free(struct ring_content *content);

/* The packet after `packet`, the first one after NULL; NULL: there is none. Records of it are
 * within content_bits. */
struct tandem_packet_header *ring_content_next(const struct ring_content *content,
					       const struct tandem_packet_header *packet);

#endif
