/* SPDX-License-Identifier: MIT */
/* A flight recorder's stream: packets in a ring of sub-buffers (format/ring.h). */
#ifndef TANDEM_CORE_STREAM_RING_H
#define TANDEM_CORE_STREAM_RING_H

#include "core/stream/stream_file.h"

/* As stream_file_next_packet() in a ring, behind `last` or at the next sub-buffer, with room for so many bytes of
 * records. Where the disk has no room for the whole ring, it becomes a smaller one. */
int stream_file_ring_packet(struct stream_file *file, struct tandem_packet_header *last,
			    uint64_t need, struct tandem_packet_header **packet);

/* Reserves a ring's file up to there, within the sub-buffer of `last`. Where the disk has no room,
 * `packet` is another than `last`, as above. */
int stream_file_ring_reserve(struct stream_file *file, struct tandem_packet_header *last,
			     uint64_t until, struct tandem_packet_header **packet);

#endif
