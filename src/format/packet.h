/* SPDX-License-Identifier: MIT */
/* A stream as it lies on disk: CTF 1.8 packets, each a header and then records, and the
 * one writer of headers.
 *
 *   DIR/process-PID[.N]/metadata      TSDL text, written when the process starts
 *   DIR/process-PID[.N]/stream-K      packets of a thread, and of others after it, a
 *                                     mapped file meanwhile; stream-K.2 ... go on with it
 *   DIR/process-PID[.N]/window-K      in older sessions, the packet being written
 *
 * A record is in the file as soon as content_bits covers it. The last packet of a file
 * reaches to its end, so that the file is whole packets at any moment (doc/FORMAT.md).
 * They all carry the same stream_instance_id, so that any CTF reader joins them.
 *
 * content_bits ends with the last record, without the padding before a next
 * one (readers take what is left for the start of an event).
 *
 * Fields and names: CTF 1.8.3, sections 5.1 (packet header), 5.2 (packet
 * context). Little endian, as the machine. Everything is naturally aligned.
 *
 *	packet_begin(header, uuid, stream, ticks, bytes);
 *	header->packet_seq_num = sequence++;
 *	packet_clock(header, &pair);
 *	packet_thread(header, tid, name);
 *	... records ...
 *	packet_end(header, last_ticks, content_bytes, bytes);
 */
#ifndef TANDEM_FORMAT_PACKET_H
#define TANDEM_FORMAT_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/ticks.h"

#define TANDEM_CTF_MAGIC 0xC1FC1FC1u

struct tandem_packet_header {
	/* packet.header */
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t stream_id;	     /* always 0: one stream class */
	uint64_t stream_instance_id; /* K, from 1 */
	/* packet.context */
	uint64_t timestamp_begin; /* ticks */
	uint64_t timestamp_end;	  /* ticks of the last record's begin */
	uint64_t content_bits;	  /* content_size: the commit word */
	uint64_t packet_bits;	  /* packet_size */
	uint64_t packet_seq_num;  /* from 0 */
	uint64_t events_discarded;
	/* What follows is in recorded streams only, not in exported ones. */
	uint64_t monotonic_ns; /* CLOCK_MONOTONIC and the counter ... */
	uint64_t ticks;	       /* ... read together, when the packet was begun */
	uint32_t ticks_error;  /* the pair's width in ticks: how far apart at most */
	uint32_t tid;
	char thread_name[16];
};

_Static_assert(sizeof(struct tandem_packet_header) == 120, "packet header and context");

/* The header of an exported packet: as far as every tracer's goes. */
#define PACKET_EXPORTED_BYTES offsetof(struct tandem_packet_header, monotonic_ns)

/* Packets and records begin at multiples of so many bytes. */
#define TANDEM_RECORD_ALIGN 8u
#define TANDEM_ALIGNED(bytes) \
	(((bytes) + TANDEM_RECORD_ALIGN - 1) & ~((__typeof__(bytes))TANDEM_RECORD_ALIGN - 1))

/* Makes `header` that of an empty packet of `bytes`. Its commit word is the first that is
 * stored: what was there before is gone. Sequence number, losses, clock pair and thread
 * stay as they are. A signal handler may call it. */
void packet_begin(struct tandem_packet_header *header, const uint8_t uuid[16], uint64_t stream,
		  uint64_t ticks, uint64_t bytes);

void packet_clock(struct tandem_packet_header *header, const struct ticks_pair *pair);

/* The name is cut at 15 bytes. */
void packet_thread(struct tandem_packet_header *header, uint32_t tid, const char *name);

/* What is known once all records are in: of `bytes`, `content_bytes` with the header. */
void packet_end(struct tandem_packet_header *header, uint64_t last_ticks, uint64_t content_bytes,
		uint64_t bytes);

/* Whether `found` is what a process that was killed while it appended `window` leaves
 * of the packet's header, if anything less than all of it: its first bytes, up to the
 * end of a page of the file, and zeros. `bytes`: from there to the end of stream-K. */
bool packet_is_partial(const struct tandem_packet_header *found,
		       const struct tandem_packet_header *window, uint64_t bytes);

#endif
