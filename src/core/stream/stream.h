/* SPDX-License-Identifier: MIT */
/* A stream: what one thread records, and the rules of a guest in somebody
 * else's house that everything in src/core and src/domains keeps.
 *
 *  1. The program's behaviour is untouched: results, errno, properties. What
 *     can't be recorded is counted (losses.h) and the call goes through.
 *     Never exit, abort, or print to the program's stdout.
 *  2. Between entry and exit of a traced call: no malloc, no lock, no stdio,
 *     no system call but those of tandem_stream_advance(), once in 1 MiB.
 *  3. Not recording costs one branch on tandem_control.recording.
 *  4. No helper thread.
 *  5. A record is in the file as soon as it is committed. The file is mapped and
 *     its blocks were reserved before: it can't raise SIGBUS when the disk is full.
 *  6. Every loss is counted, by reason.
 *  7. fork, exec, threads that outlive main, signals in the middle, closefrom(),
 *     chroot, setuid and sandboxes are normal. No descriptor is ever open in the
 *     program's table (fdtable.h); a system call that the program's filter would answer by
 *     ending it is not made (sandbox.h).
 *
 * A stream is a file, DIR/process-PID/stream-K, mapped as a whole and filled from
 * the front (stream_file.h): CTF packets one after another, of which the last, the
 * current one, reaches to the end of the file. A new packet begins after subbuffer_bytes
 * of content: its header is written behind the records, and one store then shortens
 * the packet before it. So the file is sound at every moment, whatever kills the
 * process, and nobody has to repair it. doc/INTERNALS.md has the figures.
 *
 * A flight recorder's file is as large as the ring that it is (format/ring.h): a new packet
 * begins at the next sub-buffer, and after the last at the first. What is recorded costs the
 * same; a call that ends when its record has been overwritten is not stored.
 *
 * A record is reserved at `cursor`, filled, and published by commit, which moves
 * content_bits over it. `busy` is set meanwhile: a signal handler that calls a
 * traced function just then passes through and is counted (`reentrant`). It holds
 * the stack pointer, by which a later record sees that the handler never returned
 * (siglongjmp). A call's record stays open during the call; its end is stored into
 * it when the call returns, in whatever packet it then is.
 */
#ifndef TANDEM_CORE_STREAM_H
#define TANDEM_CORE_STREAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/control.h"
#include "core/stream/thread.h"
#include "core/ticks.h"
#include "format/packet.h"
#include "schema/gen/lasting.h"
#include "schema/record.h"

#define tandem_barrier() atomic_signal_fence(memory_order_seq_cst)

/* The unusual: opens the stream, reserves more of its file, begins the next packet.
 * 0: `bytes` now fit at the cursor. -errno: not recorded, and counted.
 * busy is set by the caller and stays set. */
int tandem_stream_advance(struct tandem_thread *thread, uint32_t bytes);

/* Objects to describe (object.h), at most so many; and the record goes to sinks. */
#define TANDEM_AFTER_OBJECTS 0xffffu
#define TANDEM_AFTER_SINKS 0x10000u
/* The record outlasts the sub-buffer that it is in (lasting.h). */
#define TANDEM_AFTER_LASTING 0x20000u

/* With the id, for sinks; a call's record has TANDEM_RECORD_CALL as well. */
#define TANDEM_RECORD_CALL 0x10000u
int tandem_record_advance(struct tandem_thread *thread, uint32_t bytes, uint32_t what);

/* What sinks keep of a thread (sinks/tap.h): it gets a number where no session has given
 * it one (0, or -ENOENT: no sink is attached, -ENOMEM); it ends, is the child of a fork, or
 * has left a record by siglongjmp(). */
int tandem_tap_open(struct tandem_thread *thread);
void tandem_tap_free(struct tandem_thread *thread);
void tandem_tap_forget(struct tandem_thread *thread);
void tandem_tap_abandon(struct tandem_thread *thread);

/* busy is set already. 0: whoever set it was left by siglongjmp() and is done with.
 * -EBUSY: a handler has interrupted it; not recorded, and counted. */
int tandem_record_blocked(struct tandem_thread *thread);

static inline __attribute__((always_inline)) void tandem_busy_set(struct tandem_thread *thread)
{
#if defined(__x86_64__)
	__asm__ volatile("movq %%rsp, %0" : "=m"(thread->busy));
#elif defined(__aarch64__)
	uintptr_t pointer;

	__asm__ volatile("mov %0, sp" : "=r"(pointer));
	thread->busy = pointer;
#else
	thread->busy = (uintptr_t)__builtin_frame_address(0);
#endif
	tandem_barrier();
}

/* A record of `bytes` in all, or NULL when it can't be recorded (counted).
 * After a record: fill it, then tandem_record_commit(). Nothing that records
 * may be called in between. */
static inline __attribute__((always_inline)) void *record_begin(uint16_t id, uint32_t bytes,
								uint32_t kind)
{
	struct tandem_thread *thread = &tandem_thread;
	struct tandem_record *record;

	if (tandem_unlikely(thread->busy) && tandem_record_blocked(thread))
		return NULL;
	tandem_busy_set(thread);
	if (tandem_unlikely(__atomic_load_n(&thread->end, __ATOMIC_RELAXED) - thread->cursor <
			    (ptrdiff_t)bytes) &&
	    tandem_record_advance(thread, bytes, id | kind)) {
		tandem_barrier();
		thread->busy = 0;
		return NULL;
	}
	record = (struct tandem_record *)thread->cursor;
	record->id = id;
	record->size = (uint16_t)bytes;
	return record;
}

static inline __attribute__((always_inline)) void *tandem_record_begin(uint16_t id, uint32_t bytes)
{
	void *record = record_begin(id, bytes, 0);

	if (tandem_id_lasts(id) && tandem_unlikely(tandem_control.ring_bytes) && record) {
		tandem_thread.lasting = record;
		tandem_thread.after |= TANDEM_AFTER_LASTING;
	}
	return record;
}

/* Gives the record to sinks, and describes what was left to describe (object.h); may
 * record. */
void tandem_record_after(struct tandem_thread *thread);

/* Stamps the record that was begun and publishes it. What follows is left to the caller:
 * tandem_record_after() where thread->after is not 0. */
static inline __attribute__((always_inline)) void record_publish(bool call)
{
	struct tandem_thread *thread = &tandem_thread;
	struct tandem_record *record = (struct tandem_record *)thread->cursor;
	struct tandem_packet_header *packet = thread->packet;
	uint32_t bytes = record->size;
	uint64_t end = (uint64_t)(thread->cursor - (uint8_t *)packet) + bytes;
	uint64_t now = call ? tandem_call_ticks() : tandem_ticks();

	/* In this order: a record that the cursor has passed is whole. */
	record->timestamp = now;
	packet->timestamp_end = now;
	tandem_barrier();
	thread->cursor += TANDEM_ALIGNED(bytes);
	tandem_barrier();
	packet->content_bits = end * 8;
	tandem_barrier();
	thread->busy = 0;
}

static inline __attribute__((always_inline)) void tandem_record_publish(void)
{
	record_publish(false);
}

/* The same, in the frame in which the record was begun: no jump may take its place, as sinks'
 * functions are known by their stack, which is below it (sinks/sink_record.c). */
static inline __attribute__((always_inline)) void tandem_record_give(struct tandem_thread *thread)
{
	tandem_record_after(thread);
	tandem_barrier();
}

static inline __attribute__((always_inline)) void tandem_record_commit(void)
{
	tandem_record_publish();
	if (tandem_unlikely(tandem_thread.after))
		tandem_record_give(&tandem_thread);
}

/* A new operation id: this thread's number and the next sequence number.
 * Unique in the process; 0 before the thread's stream is open. */
static inline uint64_t tandem_operation_next(void)
{
	struct tandem_thread *thread = &tandem_thread;

	return (uint64_t)thread->number << 40 | ++thread->operations;
}

/* Whether what was recorded in `stream`, as a thread's was then, is still where it was. */
bool tandem_stream_holds(const struct tandem_thread *thread, uint64_t stream);

/* Makes sure that the thread has a stream (and a number). 0 or -errno. */
int tandem_stream_open(void);

/* tandem_stream_close() when the thread ends. */
void tandem_stream_watch(struct tandem_thread *thread);

/* This thread records no more: its stream is left to the next thread that begins. A
 * later record opens a stream again. */
void tandem_stream_close(void);

/* A sandbox comes that lets nothing be made any more: what can be made ready is. */
void tandem_stream_prepare(void);

/* In the child of a fork: forgets the parent's stream without touching it. */
void tandem_stream_forget(void);

/* A stream's file was cut, and memory is in its place (bus_error.h): the record that this
 * thread makes there is lost, and its next one asks for room. In a signal handler. */
void tandem_stream_replaced(uint8_t *base, uint64_t bytes);

#endif
