/* SPDX-License-Identifier: MIT */
#include "core/stream/stream_ring.h"

static void ring_fill(struct tandem_packet_header *packet, uint64_t bytes, void *user)
{
	const struct stream_file *file = user;

	stream_packet_begin(packet, file->number, bytes);
}

/* On at the ring's begin, and from now on with as many sub-buffers as there are before `at`. */
static int ring_restart(struct stream_file *file, struct tandem_packet_header *last, uint64_t at,
			int error, struct tandem_packet_header **packet)
{
	uint64_t filled = at / file->ring.subbuffer_bytes;

	if (filled < 2 || file->ring.full)
		return error;
	file->ring.subbuffers = (uint32_t)filled;
	*packet = (struct tandem_packet_header *)(void *)file->base;
	ring_begin(&file->ring, *packet, last, ring_fill, file);
	return 0;
}

int stream_file_ring_packet(struct stream_file *file, struct tandem_packet_header *last,
			    uint64_t need, struct tandem_packet_header **packet)
{
	uint64_t at, until;
	int error = 0;

	*packet = ring_place(&file->ring, last, need);
	at = (uint64_t)((uint8_t *)*packet - file->base);
	until = at + sizeof(**packet) + need;
	if (until > file->reserved)
		error = stream_file_reserve(file, until - file->reserved);
	if (error)
		return ring_restart(file, last, at, error, packet);
	ring_begin(&file->ring, *packet, last, ring_fill, file);
	return 0;
}

int stream_file_ring_reserve(struct stream_file *file, struct tandem_packet_header *last,
			     uint64_t until, struct tandem_packet_header **packet)
{
	int error = until > file->reserved ? stream_file_reserve(file, until - file->reserved) : 0;

	*packet = last;
	return error ? ring_restart(file, last, (uint64_t)((uint8_t *)last - file->base), error,
				    packet)
		     : 0;
}
