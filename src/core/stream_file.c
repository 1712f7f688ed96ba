/* SPDX-License-Identifier: MIT */
#include "core/stream_file.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "core/bus_error.h"
#include "core/control.h"
#include "core/fdtable.h"
#include "core/process.h"
#include "core/system.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

/* A stream's first file, and the largest, in packets of the largest size. Only
 * address space is taken ahead. */
#define FILE_PACKETS 64u
#define FILE_PACKETS_MOST 256u
#define FILE_LEAST_BYTES 65536u
/* What is reserved at once: for a thread with a few calls as much as it needs, then what
 * a second-level cache holds next to the program's own data. */
#define STEP_FIRST_BYTES 32768u
#define STEP_MOST_BYTES (256u * 1024)
#define PAGE_BYTES 4096u
#define BATCH_MOST 32u
#define PAIR_TRIES 4u

static struct tandem_pool pool = TANDEM_POOL(sizeof(struct stream_file));
static _Atomic uint32_t file_numbers;
static struct stream_file *_Atomic spares[BATCH_MOST]; /* made ahead */
static struct stream_file *_Atomic left[BATCH_MOST];   /* by threads that have ended */
static _Atomic uint32_t next_batch = 1;
static _Atomic uint32_t making, waiting; /* one thread makes files, the others wait */

struct batch {
	struct stream_file *files[BATCH_MOST];
	uint32_t count;
	uint64_t stream, sequence; /* of the first packets; stream 0: that of each file */
};

static int space_take(uint64_t bytes)
{
	uint64_t limit = tandem_control.limit_bytes;
	uint64_t used = atomic_fetch_add(&tandem_session->used_bytes, bytes);

	if (limit && used + bytes > limit) {
		atomic_fetch_sub(&tandem_session->used_bytes, bytes);
		return -EFBIG;
	}
	return 0;
}

static void space_give(uint64_t bytes)
{
	atomic_fetch_sub(&tandem_session->used_bytes, bytes);
}

static void file_path(char *path, const char *name, const struct stream_file *file)
{
	tandem_process_path(path, name, file->number, file->part > 1 ? file->part : 0);
}

void stream_packet_begin(struct tandem_packet_header *header, uint64_t stream, uint64_t bytes)
{
	struct ticks_pair pair;

	ticks_pair_read(&pair, tandem_control.clock_source, PAIR_TRIES);
	packet_begin(header, tandem_process_uuid, stream, pair.ticks, bytes);
	packet_clock(header, &pair);
}

/* The file's size and mapping. A limit of the program's (RLIMIT_FSIZE, RLIMIT_AS) makes
 * it smaller. */
static int file_map(struct stream_file *file, int fd)
{
	struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
	int error = -ENOMEM;

	getrlimit(RLIMIT_FSIZE, &limit);
	while (limit.rlim_cur < file->bytes && file->bytes > FILE_LEAST_BYTES)
		file->bytes /= 2;
	/* The program's limit, not the session's. */
	if (limit.rlim_cur < file->bytes)
		return -EIO;
	for (; file->bytes >= FILE_LEAST_BYTES; file->bytes /= 4) {
		if (syscall(SYS_ftruncate, fd, (off_t)file->bytes))
			return -errno;
		file->base = mmap(NULL, file->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (file->base != MAP_FAILED)
			return 0;
		error = -errno;
	}
	return error;
}

/* Reserves by touching, which needs no descriptor. -EINVAL: this kernel can't. */
static int pages_reserve(const struct stream_file *file, uint64_t bytes)
{
	if (!madvise(file->base + file->reserved, bytes, MADV_POPULATE_WRITE))
		return 0;
	/* Where a store would have been answered by a signal. */
	return errno == EFAULT ? -ENOSPC : -errno;
}

/* Blocks that were written are reserved, and their pages are there. */
static int zeros_write(int fd, uint64_t from, uint64_t bytes)
{
	static const char zeros[STEP_FIRST_BYTES];
	int error = 0;

	for (uint64_t at = from; at < from + bytes && !error; at += sizeof(zeros)) {
		uint64_t rest = from + bytes - at;
		struct iovec part = {(void *)(uintptr_t)zeros,
				     rest < sizeof(zeros) ? rest : sizeof(zeros)};

		error = system_pwritev(fd, &part, 1, at);
	}
	return error;
}

static int blocks_reserve(int fd, uint64_t from, uint64_t bytes)
{
	if (!syscall(SYS_fallocate, fd, 0, (off_t)from, (off_t)bytes))
		return 0;
	return errno == EOPNOTSUPP || errno == ENOSYS ? zeros_write(fd, from, bytes) : -errno;
}

static void file_unmap(struct stream_file *file)
{
	bus_error_remove(file->base);
	munmap(file->base, file->bytes);
}

static int file_make(struct stream_file *file, uint64_t stream, uint64_t sequence)
{
	char hidden[TANDEM_PATH_BYTES + 64], path[TANDEM_PATH_BYTES + 64];
	struct tandem_packet_header *header;
	int fd, error;

	file_path(hidden, ".stream", file);
	file_path(path, "stream", file);
	fd = system_open(hidden, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return fd;
	error = file_map(file, fd);
	if (!error) {
		/* A first touch of a file without pages reads around it, as much as the disk is
		 * set to read ahead: megabytes of zeros. Most threads get by with these. */
		error = zeros_write(fd, 0, STEP_FIRST_BYTES);
		if (!error) {
			file->reserved = STEP_FIRST_BYTES;
			header = (struct tandem_packet_header *)file->base;
			header->packet_seq_num = sequence;
			stream_packet_begin(header, stream ? stream : file->number, file->bytes);
			if (syscall(SYS_renameat, AT_FDCWD, hidden, AT_FDCWD, path))
				error = -errno;
		}
		if (error)
			file_unmap(file);
		else
			bus_error_add(file->base, file->bytes, &file->gone);
	}
	system_close(fd);
	if (error)
		syscall(SYS_unlinkat, AT_FDCWD, hidden, 0);
	return error;
}

/* In a child of fdtable_run(). As many files as can be made. */
static int batch_make(void *data)
{
	struct batch *batch = data;
	int error = 0;

	for (uint32_t i = 0; i < batch->count && !error; i++) {
		error = file_make(batch->files[i], batch->stream, batch->sequence);
		if (error)
			batch->files[i]->reserved = 0;
	}
	return error;
}

static int file_new(uint64_t packets, struct stream_file **made)
{
	struct stream_file *file;
	int error = space_take(STEP_FIRST_BYTES);

	if (error)
		return error;
	file = tandem_pool_take(&pool);
	if (!file) {
		space_give(STEP_FIRST_BYTES);
		return -ENOMEM;
	}
	*file = (struct stream_file){.bytes = packets * tandem_control.window_bytes, .part = 1};
	*made = file;
	return 0;
}

static void file_drop(struct stream_file *file)
{
	space_give(STEP_FIRST_BYTES);
	tandem_pool_give(&pool, file);
}

static struct stream_file *shelf_take(struct stream_file *_Atomic shelf[BATCH_MOST])
{
	for (uint32_t i = 0; i < BATCH_MOST; i++) {
		struct stream_file *file = atomic_load(&shelf[i]);

		if (file && atomic_compare_exchange_strong(&shelf[i], &file, NULL))
			return file;
	}
	return NULL;
}

static bool shelf_put(struct stream_file *_Atomic shelf[BATCH_MOST], struct stream_file *file)
{
	struct stream_file *none = NULL;

	for (uint32_t i = 0; i < BATCH_MOST; i++, none = NULL)
		if (atomic_compare_exchange_strong(&shelf[i], &none, file))
			return true;
	return false;
}

static struct stream_file *shelves_take(void)
{
	struct stream_file *file = shelf_take(left);

	return file ? file : shelf_take(spares);
}

/* Nobody has recorded into it. */
static void file_discard(struct stream_file *file)
{
	char path[TANDEM_PATH_BYTES + 64];

	file_path(path, "stream", file);
	syscall(SYS_unlinkat, AT_FDCWD, path, 0);
	file_unmap(file);
	file_drop(file);
}

bool stream_file_leave(struct stream_file *file)
{
	return shelf_put(left, file);
}

struct tandem_packet_header *stream_file_next_packet(struct stream_file *file,
						     struct tandem_packet_header *last)
{
	uint64_t content = TANDEM_ALIGNED(last->content_bits / 8);
	uint64_t place = (uint64_t)((uint8_t *)last - file->base) + content;
	struct tandem_packet_header *packet = (void *)(file->base + place);

	packet->packet_seq_num = last->packet_seq_num + 1;
	packet->events_discarded = last->events_discarded;
	packet->tid = last->tid;
	stream_packet_begin(packet, file->number, file->bytes - place);
	atomic_thread_fence(memory_order_release);
	last->packet_bits = content * 8;
	return packet;
}

uint32_t stream_file_number(void)
{
	return atomic_fetch_add(&file_numbers, 1) + 1;
}

/* The first of a batch is the caller's, the others are spares. */
static int batch_take(struct stream_file **file)
{
	struct batch batch = {.count = 0};
	uint32_t want = atomic_load(&next_batch), threads = atomic_load(&waiting) + 1;
	int error = 0;

	if (want < threads)
		want = threads < BATCH_MOST ? threads : BATCH_MOST;
	for (; batch.count < want; batch.count++) {
		struct stream_file *made;

		error = file_new(FILE_PACKETS, &made);
		if (error)
			break;
		made->number = stream_file_number();
		batch.files[batch.count] = made;
	}
	if (batch.count)
		error = fdtable_run(batch_make, &batch);
	for (uint32_t i = 0; i < batch.count; i++) {
		if (!batch.files[i]->reserved)
			file_drop(batch.files[i]);
		else if (!*file)
			*file = batch.files[i];
		else if (!shelf_put(spares, batch.files[i]))
			file_discard(batch.files[i]);
	}
	/* One for whoever has one thread; then more and more. */
	if (atomic_load(&next_batch) < BATCH_MOST)
		atomic_store(&next_batch, atomic_load(&next_batch) * 2);
	return *file ? 0 : error ? error : -EIO;
}

int stream_file_take(struct stream_file **file)
{
	static const struct timespec second = {.tv_sec = 1};
	uint32_t none = 0;
	int error;

	while (!(*file = shelves_take()) && !atomic_compare_exchange_strong(&making, &none, 1)) {
		/* Many threads that begin at once: a child for each would take longer. */
		atomic_fetch_add(&waiting, 1);
		syscall(SYS_futex, &making, FUTEX_WAIT_PRIVATE, 1, &second, NULL, 0);
		atomic_fetch_sub(&waiting, 1);
		none = 0;
	}
	if (*file)
		return 0;
	error = batch_take(file);
	atomic_store(&making, 0);
	if (atomic_load(&waiting))
		syscall(SYS_futex, &making, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
	return error;
}

int stream_file_continue(const struct stream_file *last, uint64_t sequence,
			 struct stream_file **file)
{
	uint64_t packets = last->bytes / tandem_control.window_bytes * 4;
	struct batch batch = {.count = 1, .stream = last->number, .sequence = sequence};
	int error;

	if (packets > FILE_PACKETS_MOST || !packets)
		packets = FILE_PACKETS_MOST;
	error = file_new(packets, file);
	if (error)
		return error;
	(*file)->number = last->number;
	(*file)->part = last->part + 1;
	batch.files[0] = *file;
	error = fdtable_run(batch_make, &batch);
	if (error || !(*file)->reserved) {
		file_drop(*file);
		return error ? error : -EIO;
	}
	return 0;
}

struct reserve {
	const struct stream_file *file;
	uint64_t bytes;
};

static int reserve_by_descriptor(void *data)
{
	const struct reserve *reserve = data;
	char path[TANDEM_PATH_BYTES + 64];
	int fd, error;

	file_path(path, "stream", reserve->file);
	fd = system_open(path, O_RDWR | O_CLOEXEC, 0);
	if (fd < 0)
		return fd;
	error = blocks_reserve(fd, reserve->file->reserved, reserve->bytes);
	system_close(fd);
	return error;
}

int stream_file_reserve(struct stream_file *file, uint64_t bytes)
{
	uint64_t step = file->reserved < STEP_MOST_BYTES / 4 ? file->reserved * 3 : STEP_MOST_BYTES;
	uint64_t most = tandem_control.window_bytes;
	int error;

	if (step > most)
		step = most;
	while (step < bytes)
		step += PAGE_BYTES;
	if (step > file->bytes - file->reserved)
		step = file->bytes - file->reserved;
	if (step < bytes || !step)
		return -EMSGSIZE;
	if (space_take(step)) {
		/* The rest of the session's limit. */
		step = (bytes + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
		if (!step)
			step = PAGE_BYTES;
		error = space_take(step);
		if (error)
			return error;
	}
	error = pages_reserve(file, step);
	if (error == -EINVAL) {
		struct reserve reserve = {file, step};

		error = fdtable_run(reserve_by_descriptor, &reserve);
	}
	if (error)
		space_give(step);
	else
		file->reserved += step;
	return error;
}

void stream_file_release(const struct stream_file *file, uint64_t from, uint64_t until)
{
	from = (from + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
	until &= ~(uint64_t)(PAGE_BYTES - 1);
	if (from < until)
		madvise(file->base + from, until - from, MADV_DONTNEED);
}

void stream_file_close(struct stream_file *file, uint64_t bytes)
{
	char path[TANDEM_PATH_BYTES + 64];

	file_path(path, "stream", file);
	file_unmap(file);
	if (!file->gone && bytes < file->bytes && !syscall(SYS_truncate, path, (off_t)bytes) &&
	    bytes < file->reserved)
		space_give(file->reserved - bytes);
	tandem_pool_give(&pool, file);
}

void stream_files_close(void)
{
	struct stream_file *file;

	while ((file = shelf_take(left))) {
		struct tandem_packet_header *packet = stream_file_next_packet(file, file->packet);

		stream_file_close(file, (uint64_t)((uint8_t *)packet - file->base));
	}
	while ((file = shelf_take(spares)))
		file_discard(file);
}

void stream_files_forget(void)
{
	struct stream_file *file;

	while ((file = shelves_take())) {
		file_unmap(file);
		tandem_pool_give(&pool, file);
	}
	/* Whoever was making some is no thread of the child's. */
	atomic_store(&making, 0);
	atomic_store(&waiting, 0);
	atomic_store(&next_batch, 1);
}
