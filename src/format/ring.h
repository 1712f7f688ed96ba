/* SPDX-License-Identifier: MIT */
/* A stream of a flight recorder (`record --snapshot`): a file of sub-buffers that are filled one
 * after another, again and again. A sub-buffer holds whole packets (packet.h), the last of which
 * reaches to its end; in the first round, to the end of the file. A packet's sequence number goes
 * on counting, so that the first packet of a sub-buffer says which of them is the oldest.
 *
 * Overwriting: the first header of the sub-buffer becomes that of an empty packet, then its
 * sequence number changes, and only then anything else. Who copies a sub-buffer and finds the
 * same number before and after has what it held.
 *
 *	next = ring_place(&ring, packet, need);                     the writer
 *	ring_begin(&ring, next, packet, fill, NULL);
 *	bytes = ring_read(fd, place, subbuffer_bytes, copy);        whoever reads meanwhile
 */
#ifndef TANDEM_FORMAT_RING_H
#define TANDEM_FORMAT_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "format/packet.h"

/* What may be asked for of a stream; and what is usual. */
#define RING_LEAST_BYTES (256u * 1024)
#define RING_MOST_BYTES (UINT64_C(4) << 30)
#define RING_USUAL_BYTES (4u << 20)

/* Of a ring that is to hold the last `ring_bytes`: one of its sub-buffers, and how many there
 * are: with the one that is being filled, and the one that a snapshot leaves out, as it is
 * overwritten next. */
uint32_t ring_subbuffer_bytes(uint64_t ring_bytes);
uint32_t ring_subbuffers(uint64_t ring_bytes, uint32_t subbuffer_bytes);

struct ring {
	uint8_t *base;
	uint32_t subbuffer_bytes;
	uint32_t subbuffers;
	bool full; /* all were filled once: what follows overwrites */
};

static inline uint64_t ring_bytes(const struct ring *ring)
{
	return (uint64_t)ring->subbuffer_bytes * ring->subbuffers;
}

/* Where the sub-buffer ends in which a packet is. */
static inline uint8_t *ring_subbuffer_end(const struct ring *ring,
					  const struct tandem_packet_header *packet)
{
	uint64_t at = (uint64_t)((const uint8_t *)packet - ring->base);

	return ring->base + (at / ring->subbuffer_bytes + 1) * ring->subbuffer_bytes;
}

/* Where the packet after `last` begins: behind its records, if so many bytes of records fit
 * there and nothing asks for a sub-buffer of its own, else at the next sub-buffer. */
struct tandem_packet_header *ring_place(const struct ring *ring,
					const struct tandem_packet_header *last, uint64_t need);

/* Makes the place that of an empty packet after `last`, from which it has its number and
 * losses, and ends that. `fill` makes the rest of the header, of so many bytes. What is written
 * there before it returns is not read. */
void ring_begin(struct ring *ring, struct tandem_packet_header *packet,
		struct tandem_packet_header *last,
		void (*fill)(struct tandem_packet_header *packet, uint64_t bytes, void *user),
		void *user);

/* Reads the sub-buffer at a place of the file while it may be overwritten. Returns how many
 * bytes of packets are in `copy` then, of which the last may have fewer than its packet_bits
 * say; 0: nothing was ever there, or it was overwritten meanwhile. */
uint32_t ring_read(int fd, uint64_t place, uint32_t subbuffer_bytes, uint8_t *copy);

#endif
