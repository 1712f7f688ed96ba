#include "core/stream.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "core/process.h"
#include "core/system.h"
#include "core/window.h"
#include "schema/gen/core_records.h"

__thread struct tandem_thread tandem_thread __attribute__((tls_model("initial-exec"))) = {
	.packet = UINT64_MAX,
};

#define ALIGNED(bytes) (((bytes) + TANDEM_RECORD_ALIGN - 1) & ~(uint64_t)(TANDEM_RECORD_ALIGN - 1))

static _Atomic uint32_t stream_numbers;
static pthread_key_t stream_key;
static _Atomic int stream_key_made;

/* A thread that ends with a stream closes it. The value says nothing: the
 * stream is thread-local anyway. */
static void stream_thread_ends(void *value)
{
	(void)value;
	tandem_stream_close();
}

__attribute__((constructor)) static void stream_key_make(void)
{
	if (!pthread_key_create(&stream_key, stream_thread_ends))
		atomic_store(&stream_key_made, 1);
}

static bool space_take(uint64_t bytes)
{
	uint64_t limit = tandem_control.limit_bytes;
	uint64_t used = atomic_fetch_add(&tandem_control.used_bytes, bytes);

	if (limit && used + bytes > limit) {
		atomic_fetch_sub(&tandem_control.used_bytes, bytes);
		return false;
	}
	return true;
}

static void space_give(uint64_t bytes)
{
	atomic_fetch_sub(&tandem_control.used_bytes, bytes);
}

/* A packet with nothing in it. content_bits first: from then on what the
 * window held before is no longer in it. */
static void window_begin(struct tandem_thread *thread, uint64_t sequence)
{
	struct tandem_packet_header *window = thread->window;
	uint64_t ticks, ns;
	uint32_t error;

	window->content_bits = sizeof(*window) * 8;
	tandem_barrier();
	tandem_ticks_pair(&ticks, &ns, &error);
	window->packet_seq_num = sequence;
	window->timestamp_begin = ticks;
	window->timestamp_end = ticks;
	window->ticks = ticks;
	window->ticks_error = error;
	window->monotonic_ns = ns;
	prctl(PR_GET_NAME, window->thread_name, 0, 0, 0);
	window->thread_name[sizeof(window->thread_name) - 1] = 0;
	thread->cursor = (uint8_t *)(window + 1);
	thread->end = (uint8_t *)window + thread->window_bytes;
}

/* A stream starts with a small window, so that a thousand threads that make a
 * few calls each cost little, and gets a larger one each time it fills one. */
static uint32_t window_first_bytes(void)
{
	uint32_t bytes = tandem_control.window_bytes / 16 & ~4095u;

	return bytes < 16384 ? (tandem_control.window_bytes < 16384 ? tandem_control.window_bytes
								     : 16384) : bytes;
}

static int stream_open(struct tandem_thread *thread)
{
	char path[TANDEM_PATH_BYTES + 64];
	struct tandem_packet_header *window;
	uint32_t bytes = window_first_bytes();
	uint32_t number;
	int error = tandem_process_open();

	if (error)
		return error;
	if (!space_take(bytes))
		return -EFBIG;
	number = atomic_fetch_add(&stream_numbers, 1) + 1;
	tandem_process_path(path, "window", number);
	error = window_map(path, O_CREAT | O_EXCL, bytes, NULL, (void **)&window);
	if (error) {
		space_give(bytes);
		return error;
	}
	window->magic = TANDEM_CTF_MAGIC;
	memcpy(window->uuid, tandem_process_uuid, sizeof(window->uuid));
	window->stream_id = 0;
	window->stream_instance_id = number;
	window->packet_bits = (uint64_t)bytes * 8;
	window->events_discarded = 0;
	window->tid = (uint32_t)syscall(SYS_gettid);
	thread->window = window;
	thread->window_bytes = bytes;
	thread->number = number;
	thread->packet = TANDEM_PACKET(number & 0xffff, 0);
	window_begin(thread, 0);
	atomic_fetch_add(&tandem_control.threads, 1);
	if (atomic_load(&stream_key_made))
		pthread_setspecific(stream_key, thread);
	return 0;
}

/* Appends the window to stream-K, as a packet no longer than its content (up to
 * the alignment, so that every packet starts aligned in the file too). */
static int window_append(struct tandem_thread *thread)
{
	char path[TANDEM_PATH_BYTES + 64];
	uint64_t content = thread->window->content_bits / 8;
	uint64_t bytes = ALIGNED(content);
	uint64_t offset = TANDEM_PACKET_OFFSET(thread->packet);
	int fd, error;

	if (!space_take(bytes))
		return -EFBIG;
	tandem_process_path(path, "stream", thread->number);
	fd = system_open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	error = fd < 0 ? fd : window_write(fd, thread->window, content, bytes, offset);
	if (error) {
		space_give(bytes);
		if (fd >= 0 && ftruncate(fd, (off_t)offset)) {
			/* The next try writes at the same offset. */
		}
	}
	if (fd >= 0)
		system_close(fd);
	return error;
}

static enum tandem_loss loss_of(int error)
{
	switch (error) {
	case -ENOSPC:
	case -EDQUOT:
		return TANDEM_LOSS_disk_full;
	case -EFBIG:
		return TANDEM_LOSS_size_limit;
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
	if (thread->window)
		thread->window->events_discarded++;
}

/* A handler that calls a traced function while windows change would find busy
 * set and lose its records; that takes long enough to be worth two system calls.
 * And a write beyond the program's RLIMIT_FSIZE, which would kill it, is ours to
 * take back. */
struct signals {
	sigset_t before;
	bool limit_pending;
};

static void signals_hold(struct signals *signals)
{
	sigset_t all, pending;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &signals->before);
	signals->limit_pending = !sigpending(&pending) && sigismember(&pending, SIGXFSZ) == 1;
}

static void signals_release(struct signals *signals)
{
	struct timespec now = { 0 };
	sigset_t limit, pending;

	if (!signals->limit_pending && !sigpending(&pending) &&
	    sigismember(&pending, SIGXFSZ) == 1) {
		sigemptyset(&limit);
		sigaddset(&limit, SIGXFSZ);
		sigtimedwait(&limit, NULL, &now);
	}
	pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
}

/* The first record of a window after a loss says what was lost. */
static void lost_record(struct tandem_thread *thread)
{
	struct tandem_rec_lost *record = (void *)thread->cursor;

	if (!thread->lost)
		return;
	record->head.id = TANDEM_EVENT_lost;
	record->head.size = sizeof(*record);
	record->head.timestamp = thread->window->timestamp_begin;
	record->reason = thread->lost_reason;
	record->count = thread->lost;
	thread->lost = 0;
	tandem_barrier();
	thread->window->content_bits =
		(uint64_t)(thread->cursor - (uint8_t *)thread->window + sizeof(*record)) * 8;
	thread->cursor += ALIGNED(sizeof(*record));
}

/* Four times the window, if there is room; else it stays as it is. */
static void window_grow(struct tandem_thread *thread)
{
	char path[TANDEM_PATH_BYTES + 64];
	uint32_t bytes = thread->window_bytes * 4;
	void *window;

	if (bytes > tandem_control.window_bytes)
		bytes = tandem_control.window_bytes;
	if (bytes <= thread->window_bytes || !space_take(bytes - thread->window_bytes))
		return;
	tandem_process_path(path, "window", thread->number);
	if (window_map(path, 0, bytes, thread->window, &window)) {
		space_give(bytes - thread->window_bytes);
		return;
	}
	thread->window->packet_bits = (uint64_t)bytes * 8;
	thread->window_bytes = bytes;
}

static int stream_next_window(struct tandem_thread *thread)
{
	uint64_t content = ALIGNED(thread->window->content_bits / 8);
	int error = window_append(thread);

	if (error)
		return error;
	thread->packet += content;
	window_grow(thread);
	window_begin(thread, thread->window->packet_seq_num + 1);
	lost_record(thread);
	return 0;
}

int tandem_stream_advance(struct tandem_thread *thread, uint32_t bytes)
{
	int saved = errno;
	struct signals signals;
	int error;

	if (bytes > UINT16_MAX || bytes + sizeof(struct tandem_packet_header) + 64 >
					  tandem_control.window_bytes) {
		count_lost(thread, TANDEM_LOSS_too_large);
		return -EMSGSIZE;
	}
	if (thread->retry) {
		thread->retry--;
		count_lost(thread, thread->lost_reason);
		return -EAGAIN;
	}
	signals_hold(&signals);
	error = thread->window ? stream_next_window(thread) : stream_open(thread);
	/* A long record may want a window that has grown twice. */
	for (int i = 0; i < 3 && !error && (size_t)(thread->end - thread->cursor) < bytes; i++)
		error = stream_next_window(thread);
	if (!error && (size_t)(thread->end - thread->cursor) < bytes)
		error = -EMSGSIZE;
	signals_release(&signals);
	if (error == -EMSGSIZE) {
		count_lost(thread, TANDEM_LOSS_too_large);
	} else if (error) {
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

	if (tandem_likely(thread->window))
		return 0;
	if (thread->busy)
		return -EBUSY;
	thread->busy = 1;
	tandem_barrier();
	error = tandem_stream_advance(thread, 0);
	tandem_barrier();
	thread->busy = 0;
	return error;
}

void tandem_stream_close(void)
{
	struct tandem_thread *thread = &tandem_thread;
	char path[TANDEM_PATH_BYTES + 64];
	struct tandem_packet_header *window = thread->window;
	uint32_t bytes = thread->window_bytes;
	struct signals signals;
	int saved = errno;

	if (!window || thread->busy)
		return;
	thread->busy = 1;
	tandem_barrier();
	signals_hold(&signals);
	/* The window's space is given first, so that a limit that held it holds
	 * what it is appended as. */
	space_give(bytes);
	if (!window_append(thread)) {
		tandem_process_path(path, "window", thread->number);
		unlink(path);
	} else {
		atomic_fetch_add(&tandem_control.used_bytes, bytes);
	}
	munmap(window, tandem_control.window_bytes);
	tandem_stream_forget();
	signals_release(&signals);
	errno = saved;
}

void tandem_stream_forget(void)
{
	struct tandem_thread *thread = &tandem_thread;

	*thread = (struct tandem_thread){ .packet = UINT64_MAX };
}

void tandem_stream_patch(uint64_t packet, uint64_t place, const void *data, uint32_t bytes)
{
	struct tandem_thread *thread = &tandem_thread;
	char path[TANDEM_PATH_BYTES + 64];
	struct iovec part = { (void *)(uintptr_t)data, bytes };
	int saved = errno;
	int fd;

	if (thread->packet == UINT64_MAX ||
	    TANDEM_PACKET_STREAM(packet) != TANDEM_PACKET_STREAM(thread->packet))
		return;
	tandem_process_path(path, "stream", thread->number);
	fd = system_open(path, O_WRONLY | O_CLOEXEC, 0);
	if (fd >= 0) {
		system_pwritev(fd, &part, 1, TANDEM_PACKET_OFFSET(packet) + place);
		system_close(fd);
	}
	errno = saved;
}
