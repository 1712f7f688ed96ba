/* SPDX-License-Identifier: MIT */
#include "format/ring.h"

#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

/* Every record fits into the least. */
#define SUBBUFFER_LEAST_BYTES (128u * 1024)
#define SUBBUFFER_MOST_BYTES (1024u * 1024)
/* A packet with less room for records is not worth its header. */
#define ROOM_LEAST_BYTES 1024u

uint32_t ring_subbuffer_bytes(uint64_t ring_bytes)
{
	uint32_t bytes = SUBBUFFER_LEAST_BYTES;

	while (bytes < SUBBUFFER_MOST_BYTES && ring_bytes / bytes > 8)
		bytes *= 2;
	return bytes;
}

uint32_t ring_subbuffers(uint64_t ring_bytes, uint32_t subbuffer_bytes)
{
	return (uint32_t)((ring_bytes + subbuffer_bytes - 1) / subbuffer_bytes) + 2;
}

struct tandem_packet_header *ring_place(const struct ring *ring,
					const struct tandem_packet_header *last, uint64_t need)
{
	uint8_t *end = ring_subbuffer_end(ring, last);
	uint8_t *behind = (uint8_t *)(uintptr_t)last + TANDEM_ALIGNED(last->content_bits / 8);

	if (need < ROOM_LEAST_BYTES)
		need = ROOM_LEAST_BYTES;
	if ((uint64_t)(end - behind) >= sizeof(*last) + need)
		return (struct tandem_packet_header *)(void *)behind;
	if (end == ring->base + ring_bytes(ring))
		end = ring->base;
	return (struct tandem_packet_header *)(void *)end;
}

void ring_begin(struct ring *ring, struct tandem_packet_header *packet,
		struct tandem_packet_header *last,
		void (*fill)(struct tandem_packet_header *packet, uint64_t bytes, void *user),
		void *user)
{
	uint8_t *end = ring_subbuffer_end(ring, packet), *last_end = ring_subbuffer_end(ring, last);
	/* The place may be that of `last` itself, in a ring that a full disk made small. */
	uint64_t sequence = last->packet_seq_num + 1, discarded = last->events_discarded;
	uint32_t tid = last->tid;

	if (end == last_end && packet > last)
		last_end = (uint8_t *)packet;
	if (packet < last)
		ring->full = true;
	packet->content_bits = sizeof(*packet) * 8;
	atomic_thread_fence(memory_order_seq_cst);
	packet->packet_seq_num = sequence;
	atomic_thread_fence(memory_order_seq_cst);
	packet->events_discarded = discarded;
	packet->tid = tid;
	fill(packet,
	     (uint64_t)((ring->full ? end : ring->base + ring_bytes(ring)) - (uint8_t *)packet),
	     user);
	atomic_thread_fence(memory_order_seq_cst);
	last->packet_bits = (uint64_t)(last_end - (uint8_t *)last) * 8;
}

static bool header_is_valid(const struct tandem_packet_header *header)
{
	return header->magic == TANDEM_CTF_MAGIC && header->content_bits >= sizeof(*header) * 8 &&
	       header->packet_bits >= header->content_bits && !(header->packet_bits % 64);
}

static bool sequence_read(int fd, uint64_t place, uint64_t *sequence)
{
	place += offsetof(struct tandem_packet_header, packet_seq_num);
	return pread(fd, sequence, sizeof(*sequence), (off_t)place) == (ssize_t)sizeof(*sequence);
}

uint32_t ring_read(int fd, uint64_t place, uint32_t subbuffer_bytes, uint8_t *copy)
{
	uint64_t before, after;
	uint32_t at = 0;
	ssize_t bytes;

	if (!sequence_read(fd, place, &before))
		return 0;
	/* In the order of addresses: what a header covers is read after it. */
	bytes = pread(fd, copy, subbuffer_bytes, (off_t)place);
	if (bytes <= 0 || !sequence_read(fd, place, &after) || before != after)
		return 0;
	while (at + sizeof(struct tandem_packet_header) <= (size_t)bytes) {
		const struct tandem_packet_header *header = (void *)(copy + at);
		uint64_t rest = (uint64_t)bytes - at;

		if (!header_is_valid(header) || header->content_bits / 8 > rest)
			break;
		at += (uint32_t)(header->packet_bits / 8 < rest ? header->packet_bits / 8 : rest);
	}
	return at;
}
