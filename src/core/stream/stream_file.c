/* SPDX-License-Identifier: MIT */
#include "core/stream/stream_file.h"

#include <errno.h>
#include <linux/futex.h>
#include <linux/magic.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "core/control.h"
#include "core/process.h"
#include "core/sandbox/fdtable.h"
#include "core/sandbox/sandbox.h"
#include "core/stream/bus_error.h"
#include "core/stream/stream_reserve.h"
#include "util/system.h"

/* A stream's first file, and the largest, in packets of the largest size. Only
 * address space is taken ahead. */
#define FILE_PACKETS 64u
#define FILE_PACKETS_MOST 256u
#define FILE_LEAST_BYTES 65536u
#define BATCH_MOST 32u
#define LEFT_MOST 1024u /* of a flight recorder's; else as many as a batch */
#define SPARES 8u	/* for the threads of a sandbox */
#define PAIR_TRIES 4u

static struct tandem_pool pool = TANDEM_POOL(sizeof(struct stream_file));
static _Atomic uint32_t file_numbers;
static struct stream_file *_Atomic spares[BATCH_MOST]; /* made ahead */
static struct stream_file *_Atomic left[LEFT_MOST];    /* by threads that have ended */
static _Atomic uint32_t next_batch = 1;
static _Atomic uint32_t making, waiting; /* one thread makes files, the others wait */

struct batch {
	struct stream_file *files[BATCH_MOST];
	uint32_t count;
	uint64_t stream, sequence; /* of the first packets; stream 0: that of each file */
};

/* Its path, if that still names it and may be used. */
static bool file_find(const struct stream_file *file, char *path)
{
	struct stat status;

	if (!sandbox_allows(SANDBOX_CUT))
		return false;
	stream_file_path(path, "stream", file);
	return !lstat(path, &status) && stream_file_is(file, &status);
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

static void file_unmap(struct stream_file *file)
{
	bus_error_remove(file->base);
	sandbox_unmap(file->base, file->bytes);
}

/* On a file system without a disk, which need not hear of a first store to a page. */
static bool file_is_in_memory(int fd)
{
	struct statfs status;

	return sandbox_allows(SANDBOX_STATFS) && !fstatfs(fd, &status) &&
	       status.f_type == TMPFS_MAGIC;
}

/* As much of a ring as the program's limits have left of it. */
static bool ring_set(struct stream_file *file)
{
	file->ring = (struct ring){
		.base = file->base,
		.subbuffer_bytes = tandem_control.subbuffer_bytes,
		.subbuffers = (uint32_t)(file->bytes / tandem_control.subbuffer_bytes),
	};
	return file->ring.subbuffers >= 2;
}

static int file_make(struct stream_file *file, uint64_t stream, uint64_t sequence)
{
	char hidden[TANDEM_PATH_BYTES + 64], path[TANDEM_PATH_BYTES + 64];
	struct tandem_packet_header *header;
	struct stat status;
	int fd, error;

	stream_file_path(hidden, ".stream", file);
	stream_file_path(path, "stream", file);
	fd = system_open(hidden, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return fd;
	error = fstat(fd, &status) ? -errno : file_map(file, fd);
	if (!error && tandem_control.ring_bytes && !ring_set(file)) {
		munmap(file->base, file->bytes);
		error = -EIO;
	}
	if (!error) {
		file->device = status.st_dev;
		file->inode = status.st_ino;
		file->in_memory = file_is_in_memory(fd);
		/* A first touch of a file without pages reads around it, as much as the disk is
		 * set to read ahead: megabytes of zeros. Most threads get by with these. */
		error = stream_zeros_write(fd, 0, STREAM_FIRST_BYTES);
		if (!error) {
			file->reserved = file->written = STREAM_FIRST_BYTES;
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
	int error = stream_space_take(STREAM_FIRST_BYTES);

	if (error)
		return error;
	file = tandem_pool_take(&pool);
	if (!file) {
		stream_space_give(STREAM_FIRST_BYTES);
		return -ENOMEM;
	}
	*file = (struct stream_file){.bytes = packets * tandem_control.subbuffer_bytes,
				     .session = tandem_session_id(),
				     .part = 1};
	*made = file;
	return 0;
}

static void file_drop(struct stream_file *file)
{
	stream_space_give(STREAM_FIRST_BYTES);
	tandem_pool_give(&pool, file);
}

static uint32_t left_most(void)
{
	return tandem_control.ring_bytes ? LEFT_MOST : BATCH_MOST;
}

static struct stream_file *shelf_take(struct stream_file *_Atomic *shelf, uint32_t places)
{
	for (uint32_t i = 0; i < places; i++) {
		struct stream_file *file = atomic_load(&shelf[i]);

		if (file && atomic_compare_exchange_strong(&shelf[i], &file, NULL))
			return file;
	}
	return NULL;
}

static bool shelf_put(struct stream_file *_Atomic *shelf, uint32_t places, struct stream_file *file)
{
	struct stream_file *none = NULL;

	for (uint32_t i = 0; i < places; i++, none = NULL)
		if (atomic_compare_exchange_strong(&shelf[i], &none, file))
			return true;
	return false;
}

static struct stream_file *shelves_take(void)
{
	struct stream_file *file = shelf_take(left, left_most());

	return file ? file : shelf_take(spares, BATCH_MOST);
}

bool stream_file_is_over(const struct stream_file *file)
{
	return file->session != tandem_session_id();
}

/* Of this session. Another one's are its recorder's to cut. */
static struct stream_file *shelves_take_current(void)
{
	struct stream_file *file;

	while ((file = shelves_take()) && stream_file_is_over(file))
		stream_file_close(file, file->bytes);
	return file;
}

void stream_file_discard(struct stream_file *file)
{
	char path[TANDEM_PATH_BYTES + 64];

	if (file_find(file, path))
		syscall(SYS_unlinkat, AT_FDCWD, path, 0);
	file_unmap(file);
	stream_space_give(file->written);
	tandem_pool_give(&pool, file);
}

bool stream_file_leave(struct stream_file *file)
{
	return shelf_put(left, left_most(), file);
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
	uint32_t packets =
		tandem_control.ring_bytes
			? ring_subbuffers(tandem_control.ring_bytes, tandem_control.subbuffer_bytes)
			: FILE_PACKETS;
	int error = 0;

	if (want < threads)
		want = threads < BATCH_MOST ? threads : BATCH_MOST;
	for (; batch.count < want; batch.count++) {
		struct stream_file *made;

		error = file_new(packets, &made);
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
		else if (!shelf_put(spares, BATCH_MOST, batch.files[i]))
			stream_file_discard(batch.files[i]);
	}
	/* One for whoever has one thread; then more and more. */
	if (atomic_load(&next_batch) < BATCH_MOST)
		atomic_store(&next_batch, atomic_load(&next_batch) * 2);
	return *file ? 0 : error ? error : -EIO;
}

static void making_ends(void)
{
	atomic_store(&making, 0);
	if (atomic_load(&waiting))
		syscall(SYS_futex, &making, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

int stream_file_take(struct stream_file **file)
{
	static const struct timespec second = {.tv_sec = 1};
	uint32_t none = 0;
	int error;

	while (!(*file = shelves_take_current()) && sandbox_allows(SANDBOX_CHILD) &&
	       !atomic_compare_exchange_strong(&making, &none, 1)) {
		/* Many threads that begin at once: a child for each would take longer. */
		atomic_fetch_add(&waiting, 1);
		syscall(SYS_futex, &making, FUTEX_WAIT_PRIVATE, 1, &second, NULL, 0);
		atomic_fetch_sub(&waiting, 1);
		none = 0;
	}
	if (*file)
		return 0;
	if (!sandbox_allows(SANDBOX_CHILD))
		return -EPERM;
	error = batch_take(file);
	making_ends();
	return error;
}

int stream_file_continue(const struct stream_file *last, uint64_t sequence,
			 struct stream_file **file)
{
	uint64_t packets = last->bytes / tandem_control.subbuffer_bytes * 4;
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

void stream_files_prepare(struct stream_file *file)
{
	struct stream_file *spare = NULL;
	uint32_t none = 0;

	stream_file_zeros(file);
	if (!atomic_compare_exchange_strong(&making, &none, 1))
		return;
	if (atomic_load(&next_batch) < SPARES)
		atomic_store(&next_batch, SPARES);
	if (!batch_take(&spare) && !shelf_put(spares, BATCH_MOST, spare))
		stream_file_discard(spare);
	making_ends();
}

void stream_file_close(struct stream_file *file, uint64_t bytes)
{
	char path[TANDEM_PATH_BYTES + 64];

	file_unmap(file);
	if (!file->gone && bytes < file->bytes && file_find(file, path) &&
	    !syscall(SYS_truncate, path, (off_t)bytes) && bytes < file->written)
		stream_space_give(file->written - bytes);
	tandem_pool_give(&pool, file);
}

void stream_files_close(void)
{
	struct stream_file *file;

	while ((file = shelf_take(left, left_most()))) {
		struct tandem_packet_header *packet =
			file->ring.subbuffers ? NULL : stream_file_next_packet(file, file->packet);

		stream_file_close(file, packet ? (uint64_t)((uint8_t *)packet - file->base)
					       : file->bytes);
	}
	while ((file = shelf_take(spares, BATCH_MOST)))
		stream_file_discard(file);
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
