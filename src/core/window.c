#include "core/window.h"

#include <stddef.h>
#include <sys/mman.h>

#include "core/control.h"
#include "core/system.h"

static int window_reserve(int fd, uint32_t bytes)
{
	static const char zeros[4096]; /* not on the stack: it may be a signal handler's */
	long error = syscall(SYS_fallocate, fd, 0, 0, (off_t)bytes);

	if (!error)
		return 0;
	if (errno != EOPNOTSUPP && errno != ENOSYS)
		return -errno;
	/* No fallocate here: blocks that were written are reserved too. */
	for (uint32_t offset = 0; offset < bytes; offset += sizeof(zeros)) {
		struct iovec part = { (void *)(uintptr_t)zeros, sizeof(zeros) };
		int failed = system_pwritev(fd, &part, 1, offset);

		if (failed)
			return failed;
	}
	return 0;
}

int window_map(const char *path, int flags, uint32_t bytes, void *place, void **window)
{
	int fd = system_open(path, O_RDWR | O_CLOEXEC | flags, 0600);
	void *at = place;
	int error;

	if (fd < 0)
		return fd;
	error = window_reserve(fd, bytes);
	if (!error && !place) {
		at = mmap(NULL, tandem_control.window_bytes, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		error = at == MAP_FAILED ? -errno : 0;
	}
	if (!error && mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
			      MAP_FAILED) {
		error = -errno;
		if (!place)
			munmap(at, tandem_control.window_bytes);
	}
	if (error && !place)
		unlink(path);
	system_close(fd);
	if (!error)
		*window = at;
	return error;
}

static int write_at(int fd, const void *data, size_t bytes, uint64_t offset)
{
	struct iovec part = { (void *)(uintptr_t)data, bytes };

	int error = system_pwritev(fd, &part, 1, offset);

	/* Beyond RLIMIT_FSIZE: the program's limit, not the session's. */
	return error == -EFBIG ? -EIO : error;
}

int window_write(int fd, const struct tandem_packet_header *window, uint64_t content,
		 uint64_t bytes, uint64_t offset)
{
	struct tandem_packet_header header = *window;
	int error;

	header.packet_bits = bytes * 8;
	header.content_bits = sizeof(header) * 8;
	if (ftruncate(fd, (off_t)(offset + bytes)))
		return -errno;
	error = write_at(fd, &header, sizeof(header), offset);
	if (!error)
		error = write_at(fd, window + 1, content - sizeof(header), offset + sizeof(header));
	header.content_bits = content * 8;
	if (!error)
		error = write_at(fd, &header.content_bits, sizeof(header.content_bits),
				 offset + offsetof(struct tandem_packet_header, content_bits));
	return error;
}
