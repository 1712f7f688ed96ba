#include "core/stream_file.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "core/control.h"
#include "core/fdtable.h"
#include "core/process.h"
#include "core/system.h"
#include "core/ticks.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

/* A stream's first file, and the largest, in packets of the largest size. Only
 * address space is taken ahead. */
#define FILE_PACKETS 64u
#define FILE_PACKETS_MOST 256u
#define FILE_LEAST_BYTES 65536u
/* What is reserved at once: little for a thread with a few calls, then as much as a
 * second-level cache holds beside the program's own data. */
#define STEP_FIRST_BYTES 16384u
#define STEP_MOST_BYTES (256u * 1024)
#define PAGE_BYTES 4096u
#define BATCH_MOST 32u

static struct tandem_pool pool = TANDEM_POOL(sizeof(struct stream_file));
static _Atomic uint32_t file_numbers;
static struct stream_file *_Atomic spares[BATCH_MOST];
static _Atomic uint32_t next_batch = 1;

struct batch {
	struct stream_file *files[BATCH_MOST];
	uint32_t count;
	uint64_t stream, sequence; /* of the first packets; stream 0: that of each file */
};

static int space_take(uint64_t bytes)
{
	uint64_t limit = tandem_control.limit_bytes;
	uint64_t used = atomic_fetch_add(&tandem_control.used_bytes, bytes);

	if (limit && used + bytes > limit) {
		atomic_fetch_sub(&tandem_control.used_bytes, bytes);
		return -EFBIG;
	}
	return 0;
}

static void space_give(uint64_t bytes)
{
	atomic_fetch_sub(&tandem_control.used_bytes, bytes);
}

static void file_path(char *path, const char *name, const struct stream_file *file)
{
	tandem_process_path(path, name, file->number, file->part > 1 ? file->part : 0);
}

void packet_header_init(struct tandem_packet_header *header, uint64_t stream, uint64_t bytes)
{
	uint64_t ticks, ns;
	uint32_t error;

	header->content_bits = sizeof(*header) * 8;
	header->packet_bits = bytes * 8;
	tandem_ticks_pair(&ticks, &ns, &error);
	header->magic = TANDEM_CTF_MAGIC;
	memcpy(header->uuid, tandem_process_uuid, sizeof(header->uuid));
	header->stream_id = 0;
	header->stream_instance_id = stream;
	header->timestamp_begin = ticks;
	header->timestamp_end = ticks;
	header->ticks = ticks;
	header->ticks_error = error;
	header->monotonic_ns = ns;
}

/* The file's size and mapping. A limit of the program's (RLIMIT_FSIZE, RLIMIT_AS) makes
 * it smaller. */
static int file_map(struct stream_file *file, int fd)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
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

static int blocks_reserve(int fd, uint64_t from, uint64_t bytes)
{
	static const char zeros[PAGE_BYTES];

	if (!syscall(SYS_fallocate, fd, 0, (off_t)from, (off_t)bytes))
		return 0;
	if (errno != EOPNOTSUPP && errno != ENOSYS)
		return -errno;
	/* Neither this nor that: blocks that were written are reserved too. */
	for (uint64_t at = from; at < from + bytes; at += sizeof(zeros)) {
		struct iovec part = { (void *)(uintptr_t)zeros, sizeof(zeros) };
		int error = system_pwritev(fd, &part, 1, at);

		if (error)
			return error;
	}
	return 0;
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
		error = pages_reserve(file, STEP_FIRST_BYTES);
		if (error == -EINVAL)
			error = blocks_reserve(fd, 0, STEP_FIRST_BYTES);
		if (!error) {
			file->reserved = STEP_FIRST_BYTES;
			header = (struct tandem_packet_header *)file->base;
			header->packet_seq_num = sequence;
			packet_header_init(header, stream ? stream : file->number, file->bytes);
			if (syscall(SYS_renameat, AT_FDCWD, hidden, AT_FDCWD, path))
				error = -errno;
		}
		if (error)
			munmap(file->base, file->bytes);
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

static struct stream_file *file_new(uint64_t packets)
{
	struct stream_file *file;

	if (space_take(STEP_FIRST_BYTES))
		return NULL;
	file = tandem_pool_take(&pool);
	if (!file) {
		space_give(STEP_FIRST_BYTES);
		return NULL;
	}
	*file = (struct stream_file){ .bytes = packets * tandem_control.window_bytes, .part = 1 };
	return file;
}

static void file_drop(struct stream_file *file)
{
	space_give(STEP_FIRST_BYTES);
	tandem_pool_give(&pool, file);
}

static struct stream_file *spare_take(void)
{
	for (uint32_t i = 0; i < BATCH_MOST; i++) {
		struct stream_file *file = atomic_load(&spares[i]);

		if (file && atomic_compare_exchange_strong(&spares[i], &file, NULL))
			return file;
	}
	return NULL;
}

static void file_discard(struct stream_file *file);

static void spare_give(struct stream_file *file)
{
	struct stream_file *none = NULL;

	for (uint32_t i = 0; i < BATCH_MOST; i++, none = NULL)
		if (atomic_compare_exchange_strong(&spares[i], &none, file))
			return;
	file_discard(file);
}

int stream_file_take(struct stream_file **file)
{
	struct batch batch = { .count = 0 };
	uint32_t want = atomic_load(&next_batch);
	int error;

	*file = spare_take();
	if (*file)
		return 0;
	for (; batch.count < want; batch.count++) {
		struct stream_file *made = file_new(FILE_PACKETS);

		if (!made)
			break;
		made->number = atomic_fetch_add(&file_numbers, 1) + 1;
		batch.files[batch.count] = made;
	}
	if (!batch.count)
		return tandem_control.limit_bytes ? -EFBIG : -ENOMEM;
	error = fdtable_run(batch_make, &batch);
	for (uint32_t i = 0; i < batch.count; i++) {
		if (!batch.files[i]->reserved)
			file_drop(batch.files[i]);
		else if (!*file)
			*file = batch.files[i];
		else
			spare_give(batch.files[i]);
	}
	/* One for whoever has one thread; then more and more. */
	if (want < BATCH_MOST)
		atomic_store(&next_batch, want * 2);
	return *file ? 0 : error ? error : -EIO;
}

int stream_file_continue(const struct stream_file *last, uint64_t sequence,
			 struct stream_file **file)
{
	uint64_t packets = last->bytes / tandem_control.window_bytes * 4;
	struct batch batch = { .count = 1, .stream = last->number, .sequence = sequence };
	int error;

	if (packets > FILE_PACKETS_MOST || !packets)
		packets = FILE_PACKETS_MOST;
	*file = file_new(packets);
	if (!*file)
		return tandem_control.limit_bytes ? -EFBIG : -ENOMEM;
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
		struct reserve reserve = { file, step };

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
	munmap(file->base, file->bytes);
	if (bytes < file->bytes && !syscall(SYS_truncate, path, (off_t)bytes) &&
	    bytes < file->reserved)
		space_give(file->reserved - bytes);
	tandem_pool_give(&pool, file);
}

/* Nobody has recorded into it. */
static void file_discard(struct stream_file *file)
{
	char path[TANDEM_PATH_BYTES + 64];

	file_path(path, "stream", file);
	syscall(SYS_unlinkat, AT_FDCWD, path, 0);
	munmap(file->base, file->bytes);
	file_drop(file);
}

void stream_files_discard(void)
{
	struct stream_file *file;

	while ((file = spare_take()))
		file_discard(file);
}

void stream_files_forget(void)
{
	struct stream_file *file;

	while ((file = spare_take())) {
		munmap(file->base, file->bytes);
		tandem_pool_give(&pool, file);
	}
	atomic_store(&next_batch, 1);
}
