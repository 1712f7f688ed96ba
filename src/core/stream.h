/* A stream: what one thread records, and the rules of a guest in somebody
 * else's house that everything in src/core and src/domains keeps.
 *
 *  1. The program's behaviour is untouched: results, errno, properties. What
 *     can't be recorded is counted (losses.h) and the call goes through.
 *     Never exit, abort, or print to the program's stdout.
 *  2. Between entry and exit of a traced call: no malloc, no lock, no stdio,
 *     no system call but those of tandem_stream_advance(), once per window.
 *  3. Not recording costs one branch on tandem_control.recording.
 *  4. No helper thread.
 *  5. A record is in the file as soon as it is committed. The window is a
 *     mapped file whose blocks were reserved before: it can't raise SIGBUS
 *     when the disk is full.
 *  6. Every loss is counted, by reason.
 *  7. fork, exec, threads that outlive main, signals in the middle are normal.
 *
 * The window (DIR/process-PID/window-K) is one CTF packet, reused: when it is
 * full it is appended to stream-K by one write and begins anew. It stays warm
 * in the cache, and no fresh page is ever touched on the hot path (doc/INTERNALS.md
 * has the figures that decided it).
 *
 * A record is reserved at `cursor`, filled, and published by commit, which
 * moves content_bits over it. `busy` is set meanwhile: a signal handler that
 * calls a traced function just then passes through and is counted
 * (`reentrant`). A call's record stays open during the call; its end is stored
 * into it when the call returns, wherever the record then is: in the window,
 * or already in stream-K at the packet's offset.
 */
#ifndef TANDEM_CORE_STREAM_H
#define TANDEM_CORE_STREAM_H

#include <stdatomic.h>
#include <stdint.h>

#include "core/control.h"
#include "core/ticks.h"
#include "schema/packet.h"

struct tandem_thread {
	uint8_t *cursor; /* where the next record goes; NULL: no stream yet */
	uint8_t *end;	 /* of the window */
	struct tandem_packet_header *window;
	uint32_t busy;	     /* a record is being made */
	uint32_t undescribed;/* objects to describe after the commit (object.h) */
	uint64_t packet;     /* TANDEM_PACKET(): which packet the window holds */
	uint64_t operations; /* the last operation's sequence number */
	uint32_t number;     /* K, from 1 */
	uint32_t window_bytes;
	uint32_t retry;	     /* records to drop before the next try after a failure */
	uint32_t backoff;
	uint32_t lost;	     /* in this window: events_discarded, and the record `lost` */
	uint8_t lost_reason;
};

/* This thread's stream. Initial-exec: one instruction to reach, no allocation. */
extern __thread struct tandem_thread tandem_thread
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* A packet's name: the stream (a number that differs for each stream opened
 * in the process, modulo 2^16) and the packet's offset in stream-K. */
#define TANDEM_PACKET(stream, offset) ((uint64_t)(stream) << 48 | (offset))
#define TANDEM_PACKET_OFFSET(packet) ((packet) & 0xffffffffffffu)
#define TANDEM_PACKET_STREAM(packet) ((packet) >> 48)

#define tandem_barrier() atomic_signal_fence(memory_order_seq_cst)

/* The unusual: opens the stream, or appends a full window and begins the next.
 * 0: `bytes` now fit at the cursor. -errno: not recorded, and counted.
 * busy is set by the caller and stays set. */
int tandem_stream_advance(struct tandem_thread *thread, uint32_t bytes);

/* A record of `bytes` in all, or NULL when it can't be recorded (counted).
 * After a record: fill it, then tandem_record_commit(). Nothing that records
 * may be called in between. */
static inline __attribute__((always_inline)) void *tandem_record_begin(uint16_t id, uint32_t bytes)
{
	struct tandem_thread *thread = &tandem_thread;
	struct tandem_record *record;

	if (tandem_unlikely(thread->busy)) {
		tandem_lost(TANDEM_LOSS_reentrant, 1);
		return NULL;
	}
	thread->busy = 1;
	tandem_barrier();
	if (tandem_unlikely((size_t)(thread->end - thread->cursor) < bytes) &&
	    tandem_stream_advance(thread, bytes)) {
		tandem_barrier();
		thread->busy = 0;
		return NULL;
	}
	record = (struct tandem_record *)thread->cursor;
	record->id = id;
	record->size = (uint16_t)bytes;
	return record;
}

/* Describes what was left to describe (object.h); may record. */
void tandem_describe_pending(void);

/* Stamps the record that was begun and publishes it. */
static inline __attribute__((always_inline)) void tandem_record_commit(void)
{
	struct tandem_thread *thread = &tandem_thread;
	struct tandem_record *record = (struct tandem_record *)thread->cursor;
	struct tandem_packet_header *window = thread->window;
	uint32_t bytes = record->size;
	uint64_t end = (uint64_t)(thread->cursor - (uint8_t *)window) + bytes;
	uint64_t now;

	thread->cursor += (bytes + TANDEM_RECORD_ALIGN - 1) & ~(TANDEM_RECORD_ALIGN - 1);
	now = tandem_ticks();
	record->timestamp = now;
	window->timestamp_end = now;
	tandem_barrier();
	window->content_bits = end * 8;
	tandem_barrier();
	thread->busy = 0;
	if (tandem_unlikely(thread->undescribed))
		tandem_describe_pending();
}

/* A new operation id: this thread's number and the next sequence number.
 * Unique in the process; 0 before the thread's stream is open. */
static inline uint64_t tandem_operation_next(void)
{
	struct tandem_thread *thread = &tandem_thread;

	return (uint64_t)thread->number << 40 | ++thread->operations;
}

/* Makes sure that the thread has a stream (and a number). 0 or -errno. */
int tandem_stream_open(void);

/* Ends this thread's stream: what the window holds is appended, the window
 * file goes. A later record opens a new stream. */
void tandem_stream_close(void);

/* In the child of a fork: forgets the parent's stream without touching it. */
void tandem_stream_forget(void);

/* Stores into a record that has left the window: `place` bytes into `packet`.
 * Nothing happens when that packet is of another stream (a fork in a callback). */
void tandem_stream_patch(uint64_t packet, uint64_t place, const void *data, uint32_t bytes);

#endif
