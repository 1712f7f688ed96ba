/* SPDX-License-Identifier: MIT */
#include "trace/external/hosts/trace_packets.h"

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* CTF 1.8, section 5.1 */
#define STREAM_MAGIC 0xc1fc1fc1u

/* Where in the file the first packet without a size begins, or -1. */
static int64_t find_empty(int fd, unsigned size_at)
{
	int64_t at = 0;

	for (;;) {
		uint8_t head[64];
		uint32_t magic;
		uint64_t bits;

		if (pread(fd, head, size_at + sizeof(bits), at) < (ssize_t)(size_at + sizeof(bits)))
			return -1;
		memcpy(&magic, head, sizeof(magic));
		memcpy(&bits, head + size_at, sizeof(bits));
		if (magic == __builtin_bswap32(STREAM_MAGIC))
			bits = __builtin_bswap64(bits);
		else if (magic != STREAM_MAGIC)
			return -1;
		if (bits < 8)
			return at;
		if (bits / 8 > (uint64_t)(INT64_MAX - at))
			return -1;
		at += (int64_t)(bits / 8);
	}
}

static int check_folder(const struct trace_folder *folder, char *why, size_t why_bytes)
{
	DIR *files = folder->packet_size_at ? opendir(folder->path) : NULL;
	struct dirent *entry;
	int status = 0;

	while (files && !status && (entry = readdir(files))) {
		struct stat file;
		int64_t at;
		int fd;

		if (*entry->d_name == '.' || !strcmp(entry->d_name, "metadata"))
			continue;
		/* Without waiting, should it be a pipe. */
		fd = openat(dirfd(files), entry->d_name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0)
			continue;
		at = !fstat(fd, &file) && S_ISREG(file.st_mode)
			     ? find_empty(fd, folder->packet_size_at)
			     : -1;
		close(fd);
		if (at < 0)
			continue;
		snprintf(
			why, why_bytes,
			"%s/%s: the packet at byte %lld has no size, as one that its tracer did not end; "
			"what is before is readable in a copy that ends there (truncate -s %lld)",
			folder->path, entry->d_name, (long long)at, (long long)at);
		status = -EBADMSG;
	}
	if (files)
		closedir(files);
	return status;
}

int trace_packets_check(const struct trace_folders *folders, char *why, size_t why_bytes)
{
	int status = 0;

	for (size_t i = 0; i < folders->count && !status; i++)
		status = check_folder(&folders->list[i], why, why_bytes);
	return status;
}
