/* SPDX-License-Identifier: MIT */
/* What a packet holds: records, one for each event (CTF 1.8.3, section 6.1). Little
 * endian, as the machine. What they hold is in the descriptors (schema/schema.h).
 */
#ifndef TANDEM_SCHEMA_RECORD_H
#define TANDEM_SCHEMA_RECORD_H

#include <stdint.h>

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
 * id), that number counts instead, under a thread number that no thread has, of each
 * domain: no table from the one to the other, nothing to outgrow or to lose. The
 * thread is the one in whose stream the call is. Older sessions have one such number,
 * of CUDA. */
#define TANDEM_OP_RUNTIME_THREAD 0xffff00u
#define TANDEM_OP_RUNTIME_THREAD_BEFORE 0xfffffeu
#define TANDEM_OP_RUNTIME(domain) \
	((uint64_t)(TANDEM_OP_RUNTIME_THREAD | TANDEM_DOMAIN_##domain) << 40)
#define TANDEM_OP_COUNT_MASK (((uint64_t)1 << 40) - 1)

/* Event ids are dealt out in pages: 64 of 1,024 ids. A domain's first page has its own
 * number; one that needs more takes pages that no domain's number is
 * (tandem_pages, schema/schema.h). The first id of a page is no event. */
#define TANDEM_PAGES 64u
#define TANDEM_PAGE_EVENTS 1024u
#define TANDEM_ID(page, event) ((uint16_t)((page) << 10 | (event)))
#define TANDEM_ID_PAGE(id) ((id) >> 10)
#define TANDEM_ID_EVENT(id) ((id)&0x3ff)

#endif
