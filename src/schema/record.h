/* SPDX-License-Identifier: MIT */
/* A stream as it lies on disk: CTF 1.8 packets, each a header and then records.
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
 */
#ifndef TANDEM_SCHEMA_RECORD_H
#define TANDEM_SCHEMA_RECORD_H

#include <stdbool.h>
#include <stdint.h>

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
	uint64_t monotonic_ns; /* CLOCK_MONOTONIC and the counter ... */
	uint64_t ticks;	       /* ... read together, when the packet was begun */
	uint32_t ticks_error;  /* the pair's width in ticks: how far apart at most */
	uint32_t tid;
	char thread_name[16];
};

_Static_assert(sizeof(struct tandem_packet_header) == 120, "packet header and context");

/* Whether `found` is what a process that was killed while it appended `window` leaves
 * of the packet's header, if anything less than all of it: its first bytes, up to the
 * end of a page of the file, and zeros. `bytes`: from there to the end of stream-K. */
static inline bool tandem_packet_begun(const struct tandem_packet_header *found,
				       const struct tandem_packet_header *window, uint64_t bytes)
{
	struct tandem_packet_header whole = *window;
	const unsigned char *is = (const unsigned char *)found;
	const unsigned char *was = (const unsigned char *)&whole;
	unsigned at = 0;

	whole.content_bits = sizeof(whole) * 8;
	whole.packet_bits = bytes * 8;
	while (at < sizeof(whole) && is[at] == was[at])
		at++;
	if (at == sizeof(whole))
		return false;
	while (at < sizeof(whole) && !is[at])
		at++;
	return at == sizeof(whole) && bytes <= window->packet_bits / 8;
}

/* CTF's event.header (timestamp, id) and event.context (size). The timestamp is
 * aligned to 8 bytes, so records are too. */
struct tandem_record {
	uint64_t timestamp; /* ticks: when the call began, or when this was seen */
	uint16_t id;	    /* domain << 10 | event, ids.h */
	uint16_t size;	    /* bytes of the record with header, before padding to 8 */
} __attribute__((packed));

/* Every API call's record begins so. `end` is 0 while the call has not
 * returned; it is patched in place when it does. */
struct tandem_call_record {
	struct tandem_record head;
	int32_t result;
	uint64_t end; /* ticks */
} __attribute__((packed));

/* `result` of a call that ended without its status being seen. */
#define TANDEM_RESULT_UNKNOWN INT32_MIN

_Static_assert(sizeof(struct tandem_record) == 12, "event header");
_Static_assert(sizeof(struct tandem_call_record) == 24, "a call without arguments");

/* An operation id is `thread number << 40 | count`. Where a runtime numbers its
 * commands itself and its device records know nothing else (CUPTI's correlation
 * id), that number counts instead, under a thread number that no thread has: no
 * table from the one to the other, nothing to outgrow or to lose. The thread is
 * the one in whose stream the call stands. */
#define TANDEM_OP_RUNTIME ((uint64_t)0xfffffe << 40)
#define TANDEM_OP_COUNT_MASK (((uint64_t)1 << 40) - 1)

#define TANDEM_RECORD_ALIGN 8u

/* Event ids are dealt out in pages: 64 of 1,024 ids. A domain's first page has its own
 * number; one that needs more takes pages that no domain's number is
 * (tandem_domain.pages). The first id of a page is no event. */
#define TANDEM_PAGES 64u
#define TANDEM_PAGE_EVENTS 1024u
#define TANDEM_ID(page, event) ((uint16_t)((page) << 10 | (event)))
#define TANDEM_ID_PAGE(id) ((id) >> 10)
#define TANDEM_ID_DOMAIN(id) ((id) >> 10)
#define TANDEM_ID_EVENT(id) ((id)&0x3ff)

#endif
