/* SPDX-License-Identifier: MIT */
#include "core/stream/stream.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "core/constructors.h"
#include "core/process.h"
#include "core/sandbox/sandbox.h"
#include "core/stream/stream_file.h"
#include "core/stream/stream_ring.h"
#include "core/stream/stream_threads.h"
#include "schema/gen/core_records.h"
#include "util/system.h"

__thread struct tandem_thread tandem_thread __attribute__((tls_model("initial-exec"))) = {
	.stream = UINT64_MAX,
};

#define HEADER_BYTES sizeof(struct tandem_packet_header)
/* Behind `end` there is always room for a packet's header. */
#define MARGIN_BYTES TANDEM_ALIGNED(HEADER_BYTES)

static _Atomic uint64_t stream_count;
static pthread_key_t stream_key;
static _Atomic int stream_key_made;

/* The round of key destructors in which a thread's stream is closed: late, since other
 * keys' destructors may record; not in the last, in which sanitizers take a thread down. */
#define LAST_ROUND (PTHREAD_DESTRUCTOR_ITERATIONS - 1)

static void stream_thread_ends(void *value)
{
	if (++tandem_thread.ending < LAST_ROUND && !pthread_setspecific(stream_key, value))
		return;
	tandem_thread.ending = LAST_ROUND;
	tandem_stream_close();
	tandem_tap_free(&tandem_thread);
}

__attribute__((constructor(CONSTRUCTOR_STREAMS))) static void stream_key_make(void)
{
	if (!pthread_key_create(&stream_key, stream_thread_ends))
		atomic_store(&stream_key_made, 1);
}

static void thread_reserved(struct tandem_thread *thread)
{
	const struct stream_file *file = thread->file;
	uint8_t *end = file->base + file->reserved;

	if (!file->ring.subbuffers) {
		end -= MARGIN_BYTES;
	} else {
		uint8_t *subbuffer_end = ring_subbuffer_end(&file->ring, thread->packet);

		end = end < subbuffer_end ? end : subbuffer_end;
	}
	tandem_record_limit(thread, end);
}

static uint64_t file_offset(const struct tandem_thread *thread, const void *place)
{
	return (uint64_t)((const uint8_t *)place - thread->file->base);
}

/* This thread's number, without a system call: the C library knows it. */
static uint32_t mutex_owner(void)
{
	uint32_t owner = 0;
#ifdef __GLIBC__
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&mutex);
	owner = (uint32_t)mutex.__data.__owner;
	pthread_mutex_unlock(&mutex);
#endif
	return owner;
}

/* Who records, and makes it the current packet. */
static void packet_take(struct tandem_thread *thread, struct tandem_packet_header *packet)
{
	if (sandbox_allows(SANDBOX_THREAD)) {
		packet->tid = (uint32_t)syscall(SYS_gettid);
		prctl(PR_GET_NAME, packet->thread_name, 0, 0, 0);
		packet->thread_name[sizeof(packet->thread_name) - 1] = 0;
	} else if (thread->packet) {
		packet->tid = thread->packet->tid;
		memcpy(packet->thread_name, thread->packet->thread_name,
		       sizeof(packet->thread_name));
	} else {
		packet->tid = mutex_owner();
	}
	thread->packet = packet;
	thread->cursor = (uint8_t *)(packet + 1);
}

static int stream_open(struct tandem_thread *thread)
{
	struct stream_file *file;
	struct tandem_packet_header *packet;
	int error = tandem_process_open();

	if (!error)
		error = stream_file_take(&file);
	if (error)
		return error;
	if (file->packet && file->ring.subbuffers) {
		error = stream_file_ring_packet(file, file->packet, 0, &packet);
		/* There was room for what it holds. */
		if (error) {
			stream_file_leave(file);
			return error;
		}
		file->packet = NULL;
	} else if (file->packet) {
		packet = stream_file_next_packet(file, file->packet);
		file->packet = NULL;
	} else {
		/* It may have been made long ago. */
		packet = (struct tandem_packet_header *)file->base;
		stream_packet_begin(packet, file->number, file->bytes);
	}
	packet->events_discarded += thread->lost;
	file->next = NULL;
	thread->file = file;
	thread->number = file->number;
	thread->operations = file->operations;
	packet_take(thread, packet);
	thread->stream = atomic_fetch_add(&stream_count, 1);
	if (file->ring.subbuffers)
		thread->stream <<= 32;
	/* Nobody learns when the memory of one that has been closed goes. */
	if (thread->ending < LAST_ROUND)
		stream_thread_add(thread);
	thread_reserved(thread);
	if (!thread->counted)
		atomic_fetch_add(&tandem_session->threads, 1);
	thread->counted = 1;
	tandem_stream_watch(thread);
	return 0;
}

void tandem_stream_watch(struct tandem_thread *thread)
{
	if (atomic_load(&stream_key_made) && thread->ending < LAST_ROUND)
		pthread_setspecific(stream_key, thread);
}

static void stream_next_packet(struct tandem_thread *thread)
{
	uint64_t from = file_offset(thread, thread->packet);

	packet_take(thread, stream_file_next_packet(thread->file, thread->packet));
	stream_file_release(thread->file, from, file_offset(thread, thread->packet));
}

/* The file has no more room: the next part. The one before stays mapped for the calls
 * that have not returned. */
static int stream_continue(struct tandem_thread *thread)
{
	struct stream_file *file;
	int error = stream_file_continue(thread->file, thread->packet->packet_seq_num + 1, &file);

	if (error)
		return error;
	stream_file_release(thread->file, 0, thread->file->reserved);
	file->next = thread->file;
	((struct tandem_packet_header *)file->base)->events_discarded =
		thread->packet->events_discarded;
	thread->file = file;
	packet_take(thread, (struct tandem_packet_header *)file->base);
	thread_reserved(thread);
	return 0;
}

static int stream_reserve(struct tandem_thread *thread, ptrdiff_t need)
{
	int error = stream_file_reserve(thread->file, (uint64_t)need + MARGIN_BYTES);

	if (error == -EMSGSIZE) {
		error = stream_continue(thread);
		if (!error && thread->reserved_end - thread->cursor < need)
			error = stream_file_reserve(thread->file, (uint64_t)need);
	}
	if (!error)
		thread_reserved(thread);
	return error;
}

static enum tandem_loss loss_of(int error)
{
	switch (error) {
	case -ENOSPC:
	case -EDQUOT:
		return TANDEM_LOSS_disk_full;
	case -EFBIG: /* ours, or the process's own (RLIMIT_FSIZE) */
		return tandem_control.limit_bytes ? TANDEM_LOSS_size_limit : TANDEM_LOSS_io_error;
	case -ENOMEM:
		return TANDEM_LOSS_no_memory;
	case -EMSGSIZE:
		return TANDEM_LOSS_too_large;
	default:
		return TANDEM_LOSS_io_error;
	}
}

static void count_lost(struct tandem_thread *thread, enum tandem_loss reason)
{
	tandem_lost(reason, 1);
	thread->lost++;
	thread->lost_reason = (uint8_t)reason;
	if (thread->packet)
		thread->packet->events_discarded++;
}

/* The first record of a packet after a loss says what was lost. */
static void lost_record(struct tandem_thread *thread)
{
	struct tandem_rec_lost *record;

	record = (void *)thread->cursor;
	record->head.id = TANDEM_EVENT_lost;
	record->head.size = sizeof(*record);
	record->head.timestamp = thread->packet->timestamp_begin;
	record->reason = thread->lost_reason;
	record->count = thread->lost;
	thread->lost = 0;
	thread->cursor += TANDEM_ALIGNED(sizeof(*record));
	tandem_barrier();
	thread->packet->content_bits = (HEADER_BYTES + sizeof(*record)) * 8;
}

/* Its file has been cut, or is another session's: on with another one. */
static void stream_give_up(struct tandem_thread *thread)
{
	uint32_t lost = thread->lost;
	uint8_t reason = thread->lost_reason;
	uintptr_t busy = thread->busy;

	stream_thread_remove(thread);
	for (struct stream_file *file = thread->file, *next; file; file = next) {
		next = file->next;
		stream_file_close(file, file->bytes);
	}
	*thread = (struct tandem_thread){.stream = UINT64_MAX,
					 .counted = 1,
					 .tap = thread->tap,
					 .ending = thread->ending,
					 .busy = busy,
					 .lost = lost,
					 .lost_reason = reason,
					 .after = thread->after};
}

bool tandem_stream_holds(const struct tandem_thread *thread, uint64_t stream)
{
	return stream == thread->stream ||
	       (thread->file && thread->stream - stream < thread->file->ring.subbuffers);
}

/* On in the sub-buffer if there is room, else in the next one. */
static int ring_advance(struct tandem_thread *thread, uint32_t bytes)
{
	struct stream_file *file = thread->file;
	const uint8_t *end = ring_subbuffer_end(&file->ring, thread->packet);
	ptrdiff_t need =
		(ptrdiff_t)(TANDEM_ALIGNED(bytes) + TANDEM_ALIGNED(sizeof(struct tandem_rec_lost)));
	struct tandem_packet_header *packet;
	int error;

	if (thread->lost || end - thread->cursor < need)
		error = stream_file_ring_packet(file, thread->packet, (uint64_t)need, &packet);
	else
		error = stream_file_ring_reserve(
			file, thread->packet, file_offset(thread, thread->cursor + need), &packet);
	if (error)
		return error;
	if (packet != thread->packet) {
		packet_take(thread, packet);
		/* Calls whose records are overwritten by now can be told from others. */
		if (ring_subbuffer_end(&file->ring, packet) != end)
			thread->stream++;
		if (thread->lost)
			lost_record(thread);
	}
	thread_reserved(thread);
	return 0;
}

static int stream_advance(struct tandem_thread *thread, uint32_t bytes)
{
	/* What may come before the record. */
	uint32_t more = (uint32_t)(MARGIN_BYTES + TANDEM_ALIGNED(sizeof(struct tandem_rec_lost)));
	ptrdiff_t need = (ptrdiff_t)(bytes + more);
	int error = 0;

	if (thread->packet && (thread->file->gone || stream_file_is_over(thread->file)))
		stream_give_up(thread);
	if (!thread->packet)
		error = stream_open(thread);
	if (!error && thread->file->ring.subbuffers)
		return ring_advance(thread, bytes);
	/* Behind a packet's header the cursor may be past the end. */
	if (!error && thread->reserved_end - thread->cursor < need)
		error = stream_reserve(thread, need);
	if (error)
		return error;
	if (thread->lost) {
		stream_next_packet(thread);
		lost_record(thread);
	} else if (thread->packet->content_bits / 8 >= tandem_control.subbuffer_bytes) {
		stream_next_packet(thread);
	}
	return 0;
}

struct signals {
	sigset_t mask;
	bool blocked;
};

static void signals_block(struct signals *before)
{
	sigset_t all;

	before->blocked = sandbox_allows(SANDBOX_SIGNALS);
	if (!before->blocked)
		return;
	sigfillset(&all);
	sigdelset(&all, SIGBUS); /* bus_error.h */
	pthread_sigmask(SIG_SETMASK, &all, &before->mask);
}

static void signals_restore(const struct signals *before)
{
	if (before->blocked)
		pthread_sigmask(SIG_SETMASK, &before->mask, NULL);
}

int tandem_stream_advance(struct tandem_thread *thread, uint32_t bytes)
{
	int saved = errno;
	struct signals before;
	int error;

	if (bytes > UINT16_MAX || bytes + HEADER_BYTES + 64 > tandem_control.subbuffer_bytes) {
		count_lost(thread, TANDEM_LOSS_too_large);
		return -EMSGSIZE;
	}
	if (thread->retry) {
		thread->retry--;
		count_lost(thread, thread->lost_reason);
		return -EAGAIN;
	}
	/* A handler that calls a traced function meanwhile would find busy set and lose
	 * its records; this takes long enough to be worth two system calls. */
	signals_block(&before);
	error = stream_advance(thread, bytes);
	signals_restore(&before);
	if (error) {
		thread->backoff = thread->backoff < 1024 ? thread->backoff * 2 + 1 : 1024;
		thread->retry = thread->backoff;
		count_lost(thread, loss_of(error));
	} else {
		thread->backoff = 0;
	}
	errno = saved;
	return error;
}

int tandem_stream_open(void)
{
	struct tandem_thread *thread = &tandem_thread;
	int error = 0;

	if (tandem_likely(thread->packet))
		return 0;
	if (!tandem_session_dir[0])
		return tandem_tap_open(thread);
	/* Sinks alone want it: a number is enough. */
	if (!atomic_load(&tandem_session->recording) && !tandem_tap_open(thread))
		return 0;
	if (thread->busy)
		return -EBUSY;
	tandem_busy_set(thread);
	error = tandem_stream_advance(thread, 0);
	tandem_barrier();
	thread->busy = 0;
	return error;
}

/* Of more threads than streams are left for others. A flight recorder's is taken away: files
 * must not become more with each thread. */
static void stream_left_over(struct tandem_thread *thread, struct stream_file *file)
{
	struct tandem_packet_header *rest;

	if (file->ring.subbuffers) {
		stream_file_discard(file);
		return;
	}
	rest = stream_file_next_packet(file, file->packet);
	stream_file_close(file, file_offset(thread, rest));
}

/* The next thread goes on with the stream, in a packet of its own. */
void tandem_stream_close(void)
{
	struct tandem_thread *thread = &tandem_thread;
	struct stream_file *file = thread->file;
	struct signals before;
	int saved = errno;

	if (!file || thread->busy)
		return;
	tandem_busy_set(thread);
	signals_block(&before);
	for (struct stream_file *part = file->next, *next; part; part = next) {
		next = part->next;
		stream_file_close(part, part->bytes);
	}
	file->next = NULL;
	file->packet = thread->packet;
	file->operations = thread->operations;
	if (file->gone) {
		stream_file_close(file, file->bytes);
	} else if (!stream_file_leave(file)) {
		stream_left_over(thread, file);
	}
	stream_thread_remove(thread);
	*thread = (struct tandem_thread){
		.stream = UINT64_MAX, .counted = 1, .tap = thread->tap, .ending = thread->ending};
	signals_restore(&before);
	errno = saved;
}

void tandem_stream_prepare(void)
{
	struct tandem_thread *thread = &tandem_thread;
	struct signals before;
	int saved = errno;

	if (!thread->packet || thread->busy || thread->file->gone)
		return;
	tandem_busy_set(thread);
	signals_block(&before);
	stream_files_prepare(thread->file);
	signals_restore(&before);
	tandem_barrier();
	thread->busy = 0;
	errno = saved;
}

void tandem_stream_replaced(uint8_t *base, uint64_t bytes)
{
	struct tandem_thread *thread = &tandem_thread;

	if (thread->busy)
		tandem_lost(TANDEM_LOSS_io_error, 1);
	if (thread->cursor < base || thread->cursor > base + bytes)
		return;
	thread->reserved_end = thread->cursor;
	thread->end = thread->cursor;
}

void tandem_stream_forget(void)
{
	struct tandem_thread *thread = &tandem_thread;

	for (struct stream_file *file = thread->file; file; file = file->next)
		sandbox_unmap(file->base, file->bytes);
	tandem_tap_forget(thread);
	*thread = (struct tandem_thread){.stream = UINT64_MAX, .tap = thread->tap};
}
