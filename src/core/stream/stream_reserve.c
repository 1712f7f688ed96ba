/* SPDX-License-Identifier: MIT */
#include "core/stream/stream_reserve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "core/control.h"
#include "core/process.h"
#include "core/sandbox/fdtable.h"
#include "core/sandbox/sandbox.h"
#include "util/system.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_READ 22 /* Linux 5.14 */
#define MADV_POPULATE_WRITE 23
#endif

/* What is reserved at once: for a thread with a few calls as much as it needs, then a packet,
 * or, by touching alone, what a second-level cache holds next to the program's own data.
 * Zeros are written ahead in steps that make the child which writes them cheap. */
#define STEP_TOUCHED_BYTES (256u * 1024)
#define ZEROS_MOST_BYTES (4096u * 1024)
/* What one write makes. Folios of 2 MiB are memory that a virtual machine's guest gives back
 * to its host while it is free (free page reporting), and pays for again. */
#define WRITE_BYTES (1024u * 1024)
#define PAGE_BYTES 4096u

static _Atomic bool cannot_write; /* the way to the files is closed */

int stream_space_take(uint64_t bytes)
{
	uint64_t limit = tandem_control.limit_bytes;
	uint64_t used = atomic_fetch_add(&tandem_session->used_bytes, bytes);

	if (limit && used + bytes > limit) {
		atomic_fetch_sub(&tandem_session->used_bytes, bytes);
		return -EFBIG;
	}
	return 0;
}

void stream_space_give(uint64_t bytes)
{
	atomic_fetch_sub(&tandem_session->used_bytes, bytes);
}

void stream_file_path(char *path, const char *name, const struct stream_file *file)
{
	tandem_process_path(path, name, file->number, file->part > 1 ? file->part : 0);
}

bool stream_file_is(const struct stream_file *file, const struct stat *status)
{
	return status->st_ino == file->inode && status->st_dev == file->device &&
	       status->st_size == (off_t)file->bytes;
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

int stream_zeros_write(int fd, uint64_t from, uint64_t bytes)
{
	static const char zeros[STREAM_FIRST_BYTES];
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
	stream_file_path(path, "stream", file);
	fd = system_open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0);
	if (fd < 0)
		return fd;
	if (!fstat(fd, &status) && stream_file_is(file, &status))
		error = stream_zeros_write(fd, file->written, zeros->bytes);
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
	error = stream_space_take(bytes);
	if (error)
		return error;
	error = zeros_run(file, usual);
	if (error)
		stream_space_give(bytes);
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
	error = stream_space_take(more);
	if (error) {
		/* Of the session's limit, the rest. */
		step = least < room ? least : room;
		more = step > there ? step - there : 0;
		error = stream_space_take(more);
	}
	if (error)
		return error;
	error = pages_reserve(file, step);
	/* This kernel can't. Blocks that were written are there. */
	if (error == -EINVAL)
		error = more ? zeros_run(file, file->reserved + step) : 0;
	if (error) {
		stream_space_give(more);
		return error;
	}
	file->reserved += step;
	if (file->written < file->reserved)
		file->written = file->reserved;
	return 0;
}

void stream_file_zeros(struct stream_file *file)
{
	uint64_t bytes = file->bytes - file->written;

	if (bytes > ZEROS_MOST_BYTES)
		bytes = ZEROS_MOST_BYTES;
	if (bytes && !stream_space_take(bytes) && zeros_run(file, file->written + bytes))
		stream_space_give(bytes);
}

void stream_file_release(const struct stream_file *file, uint64_t from, uint64_t until)
{
	from = (from + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
	until &= ~(uint64_t)(PAGE_BYTES - 1);
	if (from < until && sandbox_allows(SANDBOX_RELEASE))
		madvise(file->base + from, until - from, MADV_DONTNEED);
}
