/* SPDX-License-Identifier: MIT */
/* A thread that records: its stream (stream.h), what it may write there without asking, and
 * what sinks keep of it. Only the thread itself writes to it, but for `end`
 * (stream_threads.h). */
#ifndef TANDEM_CORE_THREAD_H
#define TANDEM_CORE_THREAD_H

#include <stdint.h>

#include "format/packet.h"

struct stream_file;
struct tap;

struct tandem_thread {
	uint8_t *cursor; /* where the next record goes; NULL: no stream yet */
	uint8_t *end;	 /* of what is reserved; NULL: a sink is attached (sinks/sink.h) */
	struct tandem_packet_header *packet; /* the current one */
	uintptr_t busy;			     /* a record is being made: the stack pointer there */
	uint64_t stream;     /* which stream this is, of all in the process; UINT64_MAX: none.
			      * A flight recorder's counts its sub-buffers in the lower half */
	uint64_t operations; /* the last operation's sequence number */
	struct stream_file *file;
	uint8_t *reserved_end; /* what `end` is without a sink */
	struct tap *tap;       /* for sinks; NULL: none was attached yet */
	const void *lasting;   /* the record that TANDEM_AFTER_LASTING is about */
	uint32_t after;	       /* what follows the commit: TANDEM_AFTER_* */
	uint32_t number;       /* K, from 1 */
	uint32_t retry;	       /* records to drop before the next try after a failure */
	uint32_t backoff;
	uint8_t *blocked_at; /* the cursor when `busy` kept so many records out ... */
	uint32_t blocked;    /* ... one after another */
	uint32_t lost;	     /* since the last record `lost`: events_discarded */
	uint8_t lost_reason;
	uint8_t counted; /* in the control page's number of threads */
	uint8_t ending;	 /* how often its key destructor has run */
};

/* This thread's stream. Initial-exec: one instruction to reach, no allocation. */
extern __thread struct tandem_thread tandem_thread
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

#endif
