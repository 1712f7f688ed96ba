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
#include "util/system.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_READ 22 /* Linux 5.14 */
#define MADV_POPULATE_WRITE 23
#endif

/* A stream's first file, and the largest, in packets of the largest size. Only
 * address space is taken ahead. */
#define FILE_PACKETS 64u
#define FILE_PACKETS_MOST 256u
#define FILE_LEAST_BYTES 65536u
/* What is reserved at once: for a thread with a few calls as much as it needs, then a packet,
 * or, by touching alone, what a second-level cache holds next to the program's own data.
 * Zeros are written ahead in steps that make the child which writes them cheap. */
#define STEP_FIRST_BYTES 32768u
#define STEP_TOUCHED_BYTES (256u * 1024)
#define ZEROS_MOST_BYTES (4096u * 1024)
/* What one write makes. Folios of 2 MiB are memory that a virtual machine's guest gives back
 * to its host while it is free (free page reporting), and pays for again. */
#define WRITE_BYTES (1024u * 1024)
#define PAGE_BYTES 4096u
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
static _Atomic bool cannot_write;	 /* the way to the files is closed */

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

/* Whether this is the file, whole. Its name may mean another one after chroot(), or when
 * the session's directory was replaced by a later session's. */
static bool file_is(const struct stream_file *file, const struct stat *status)
{
	return status->st_ino == file->inode && status->st_dev == file->device &&
	       status->st_size == (off_t)file->bytes;
}

/* Its path, if that still names it and may be used. */
static bool file_find(const struct stream_file *file, char *path)
{
	struct stat status;

	if (!sandbox_allows(SANDBOX_CUT))
		return false;
	file_path(path, "stream", file);
	return !lstat(path, &status) && file_is(file, &status);
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

/* Reserves by touching, which needs no descriptor. Where a page that is read may be written
 * as well, and all are there, reading makes 16 of them for one fault. -EINVAL: this kernel
 * can't. */
static int pages_reserve(const struct stream_file *file, uint64_t bytes)
{
	bool there = file->reserved + bytes <= file->written;
	int touch = there && file->in_memory ? MADV_POPULATE_READ : MADV_POPULATE_WRITE;

	if (!sandbox_allows(SANDBOX_POPULATE))
		return -EINVAL;
	if (!madvise(file->base + file->reserved, bytes, touch))
		return 0;
	/* Where a store would have been answered by a signal. */
	return errno == EFAULT ? -ENOSPC : -errno;
}

/* Blocks that were written are reserved, and their pages are there; a large write makes them
 * in large folios. */
static int zeros_write(int fd, uint64_t from, uint64_t bytes)
{
	static const char zeros[STEP_FIRST_BYTES];
	struct iovec parts[WRITE_BYTES / sizeof(zeros)];
	int error = 0;

	while (bytes && !error) {
		uint64_t sum = 0;
		int count = 0;

		for (; count < (int)(sizeof(parts) / sizeof(*parts)) && sum < bytes; count++) {
			uint64_t rest = bytes - sum;

			parts[count].iov_base = (void *)(uintptr_t)zeros;
			parts[count].iov_len = rest < sizeof(zeros) ? rest : sizeof(zeros);
			sum += parts[count].iov_len;
		}
		error = system_pwritev(fd, parts, count, from);
		from += sum;
		bytes -= sum;
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

	file_path(hidden, ".stream", file);
	file_path(path, "stream", file);
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
		error = zeros_write(fd, 0, STEP_FIRST_BYTES);
		if (!error) {
			file->reserved = file->written = STEP_FIRST_BYTES;
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
	*file = (struct stream_file){.bytes = packets * tandem_control.subbuffer_bytes,
				     .session = tandem_session_id(),
				     .part = 1};
	*made = file;
	return 0;
}

static void file_drop(struct stream_file *file)
{
	space_give(STEP_FIRST_BYTES);
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
	space_give(file->written);
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

static void ring_fill(struct tandem_packet_header *packet, uint64_t bytes, void *user)
{
	const struct stream_file *file = user;

	stream_packet_begin(packet, file->number, bytes);
}

/* On at the ring's begin, and from now on with as many sub-buffers as there are before `at`. */
static int ring_restart(struct stream_file *file, struct tandem_packet_header *last, uint64_t at,
			int error, struct tandem_packet_header **packet)
{
	uint64_t filled = at / file->ring.subbuffer_bytes;

	if (filled < 2 || file->ring.full)
		return error;
	file->ring.subbuffers = (uint32_t)filled;
	*packet = (struct tandem_packet_header *)(void *)file->base;
	ring_begin(&file->ring, *packet, last, ring_fill, file);
	return 0;
}

int stream_file_ring_packet(struct stream_file *file, struct tandem_packet_header *last,
			    uint64_t need, struct tandem_packet_header **packet)
{
	uint64_t at, until;
	int error = 0;

	*packet = ring_place(&file->ring, last, need);
	at = (uint64_t)((uint8_t *)*packet - file->base);
	until = at + sizeof(**packet) + need;
	if (until > file->reserved)
		error = stream_file_reserve(file, until - file->reserved);
	if (error)
		return ring_restart(file, last, at, error, packet);
	ring_begin(&file->ring, *packet, last, ring_fill, file);
	return 0;
}

int stream_file_ring_reserve(struct stream_file *file, struct tandem_packet_header *last,
			     uint64_t until, struct tandem_packet_header **packet)
{
	int error = until > file->reserved ? stream_file_reserve(file, until - file->reserved) : 0;

	*packet = last;
	return error ? ring_restart(file, last, (uint64_t)((uint8_t *)last - file->base), error,
				    packet)
		     : 0;
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

struct zeros {
	const struct stream_file *file;
	uint64_t bytes;
};

/* In a child of fdtable_run(). */
static int zeros_append(void *data)
{
	const struct zeros *zeros = data;
	const struct stream_file *file = zeros->file;
	struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
	char path[TANDEM_PATH_BYTES + 64];
	struct stat status;
	int fd, error = -EIO;

	/* A limit that the program has set since: going beyond it is a signal. */
	getrlimit(RLIMIT_FSIZE, &limit);
	if (limit.rlim_cur < file->written + zeros->bytes)
		return -EIO;
	file_path(path, "stream", file);
	fd = system_open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0);
	if (fd < 0)
		return fd;
	if (!fstat(fd, &status) && file_is(file, &status))
		error = zeros_write(fd, file->written, zeros->bytes);
	system_close(fd);
	return error;
}

static int zeros_run(struct stream_file *file, uint64_t until)
{
	struct zeros zeros = {file, until - file->written};
	int error;

	if (atomic_load(&cannot_write))
		return -EIO;
	error = fdtable_run(zeros_append, &zeros);
	if (!error)
		file->written = until;
	/* After chroot, setuid, or in a sandbox it stays so. */
	else if (error != -ENOSPC && error != -EDQUOT)
		atomic_store(&cannot_write, true);
	return error;
}

/* A touch of a file without pages reads as much around it as the disk is set to read ahead,
 * and a page that a touch makes costs twice one that a write makes: zeros come first, at
 * least up to `until`. */
static int zeros_ahead(struct stream_file *file, uint64_t until)
{
	uint64_t usual = file->written * (file->written < WRITE_BYTES ? 4 : 2);
	uint64_t bytes;
	int error;

	if (usual > WRITE_BYTES && file->written < WRITE_BYTES)
		usual = WRITE_BYTES;
	if (usual - file->written > ZEROS_MOST_BYTES)
		usual = (file->written / ZEROS_MOST_BYTES + 1) * ZEROS_MOST_BYTES;
	if (usual < until)
		usual = until;
	if (usual > file->bytes)
		usual = file->bytes;
	bytes = usual - file->written;
	error = space_take(bytes);
	if (error)
		return error;
	error = zeros_run(file, usual);
	if (error)
		space_give(bytes);
	return error;
}

/* Four times as much as before, then a packet. */
static uint64_t usual_step(const struct stream_file *file)
{
	uint64_t step = file->reserved * 3, most = tandem_control.subbuffer_bytes;

	return step < most - file->reserved % most ? step : most - file->reserved % most;
}

int stream_file_reserve(struct stream_file *file, uint64_t bytes)
{
	uint64_t least =
		bytes ? (bytes + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1) : PAGE_BYTES;
	uint64_t room = file->bytes - file->reserved, there = file->written - file->reserved;
	uint64_t step = usual_step(file), more;
	int error;

	if (step < least)
		step = least;
	if (step > room)
		step = room;
	if (step < bytes || !step)
		return -EMSGSIZE;
	if (there < step && !zeros_ahead(file, file->reserved + step))
		there = step;
	more = step > there ? step - there : 0;
	if (more && step > STEP_TOUCHED_BYTES && least <= STEP_TOUCHED_BYTES) {
		step = STEP_TOUCHED_BYTES;
		more = step > there ? step - there : 0;
	}
	error = space_take(more);
	if (error) {
		/* Of the session's limit, the rest. */
		step = least < room ? least : room;
		more = step > there ? step - there : 0;
		error = space_take(more);
	}
	if (error)
		return error;
	error = pages_reserve(file, step);
	/* This kernel can't. Blocks that were written are there. */
	if (error == -EINVAL)
		error = more ? zeros_run(file, file->reserved + step) : 0;
	if (error) {
		space_give(more);
		return error;
	}
	file->reserved += step;
	if (file->written < file->reserved)
		file->written = file->reserved;
	return 0;
}

void stream_files_prepare(struct stream_file *file)
{
	uint64_t bytes = file->bytes - file->written;
	struct stream_file *spare = NULL;
	uint32_t none = 0;

	if (bytes > ZEROS_MOST_BYTES)
		bytes = ZEROS_MOST_BYTES;
	if (bytes && !space_take(bytes) && zeros_run(file, file->written + bytes))
		space_give(bytes);
	if (!atomic_compare_exchange_strong(&making, &none, 1))
		return;
	if (atomic_load(&next_batch) < SPARES)
		atomic_store(&next_batch, SPARES);
	if (!batch_take(&spare) && !shelf_put(spares, BATCH_MOST, spare))
		stream_file_discard(spare);
	making_ends();
}

void stream_file_release(const struct stream_file *file, uint64_t from, uint64_t until)
{
	from = (from + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
	until &= ~(uint64_t)(PAGE_BYTES - 1);
	if (from < until && sandbox_allows(SANDBOX_RELEASE))
		madvise(file->base + from, until - from, MADV_DONTNEED);
}

void stream_file_close(struct stream_file *file, uint64_t bytes)
{
	char path[TANDEM_PATH_BYTES + 64];

	file_unmap(file);
	if (!file->gone && bytes < file->bytes && file_find(file, path) &&
	    !syscall(SYS_truncate, path, (off_t)bytes) && bytes < file->written)
		space_give(file->written - bytes);
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
