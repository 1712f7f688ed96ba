/* SPDX-License-Identifier: MIT */
#include "recorder/session/recover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/directory.h"
#include "format/packet.h"
#include "util/folder/open_below.h"

static bool header_read(int fd, uint64_t at, struct tandem_packet_header *header)
{
	return pread(fd, header, sizeof(*header), (off_t)at) == (ssize_t)sizeof(*header) &&
	       header->magic == TANDEM_CTF_MAGIC && header->content_bits >= sizeof(*header) * 8 &&
	       header->packet_bits >= header->content_bits;
}

/* The last packet, which reaches to the end of the file at `size`: where it begins. */
static bool last_packet(int fd, uint64_t size, uint64_t *at, struct tandem_packet_header *header)
{
	uint64_t end;

	for (*at = 0; header_read(fd, *at, header); *at = end) {
		end = *at + header->packet_bits / 8;
		if (end >= size)
			return end == size;
	}
	return false;
}

/* Cuts off what the last packet has behind its records. First that becomes a packet of
 * its own, an empty one, which one store makes part of the file and one cut removes: the
 * file is whole packets at any moment. */
static void tail_cut(int fd, uint64_t size)
{
	struct tandem_packet_header header, rest;
	uint64_t at, end, bits;

	if (!last_packet(fd, size, &at, &header))
		return;
	end = at + TANDEM_ALIGNED(header.content_bits / 8);
	if (end + sizeof(rest) > size)
		return;
	rest = header;
	rest.packet_seq_num++;
	rest.timestamp_begin = header.timestamp_end;
	packet_end(&rest, header.timestamp_end, sizeof(rest), size - end);
	bits = (end - at) * 8;
	if (pwrite(fd, &rest, sizeof(rest), (off_t)end) == (ssize_t)sizeof(rest) &&
	    pwrite(fd, &bits, sizeof(bits),
		   (off_t)(at + offsetof(struct tandem_packet_header, packet_bits))) ==
		    (ssize_t)sizeof(bits) &&
	    ftruncate(fd, (off_t)end)) {
		/* It stays as large as it is. */
	}
}

/* A stream of a traced process of ours is a regular file with one name. Anything else
 * was put there by somebody else. */
static int stream_open(int folder, const char *name, struct stat *status)
{
	int fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd >= 0 && (fstat(fd, status) || !S_ISREG(status->st_mode) || status->st_nlink != 1)) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool lease_take(int fd)
{
	return !fcntl(fd, F_SETLEASE, F_RDLCK);
}

/* Whether no process has it mapped. None will: streams are mapped when they are made. */
static bool stream_is_left(int folder, const char *name)
{
	int fd = open_below(folder, name);
	bool left = fd >= 0 && lease_take(fd);

	if (fd >= 0)
		close(fd);
	return left;
}

static void stream_recover(int folder, const char *name)
{
	struct tandem_packet_header header;
	struct stat status;
	int fd;

	if (!stream_is_left(folder, name))
		return;
	fd = stream_open(folder, name, &status);
	if (fd < 0)
		return;
	/* Made for a thread that never came. */
	if (header_read(fd, 0, &header) && header.content_bits == sizeof(header) * 8 &&
	    header.packet_bits / 8 == (uint64_t)status.st_size && !header.packet_seq_num)
		unlinkat(folder, name, 0);
	else
		tail_cut(fd, (uint64_t)status.st_size);
	close(fd);
}

static void process_recover(int session, const char *process)
{
	int fd = open_folder_below(session, process);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);

	if (!folder) {
		if (fd >= 0)
			close(fd);
		return;
	}
	for (struct dirent *entry; (entry = readdir(folder));) {
		const char *name = entry->d_name;
		struct directory_number number;

		if (directory_parse(name, DIRECTORY_STREAM, &number))
			stream_recover(fd, name);
		/* One that was being made. */
		else if (*name == '.' && directory_parse(name + 1, DIRECTORY_STREAM, &number) &&
			 stream_is_left(fd, name))
			unlinkat(fd, name, 0);
	}
	closedir(folder);
}

static bool control_is_left(int session, bool *refused)
{
	int fd = open_below(session, DIRECTORY_CONTROL);
	bool left = fd >= 0 && lease_take(fd);

	*refused = fd >= 0 && !left && errno == EAGAIN;
	if (fd >= 0)
		close(fd);
	return left;
}

/* Whether a lease on a file that a process has mapped is refused here: we have mapped the
 * control page, and no descriptor of ours can write it. */
static bool leases_see_mappings(int session)
{
	bool refused;

	control_is_left(session, &refused);
	return refused;
}

/* The mapping is replaced, so that whoever knows the page's address still finds it there. */
static bool control_copy(struct tandem_control *control)
{
	char copy[TANDEM_CONTROL_BYTES];

	memcpy(copy, control, sizeof(copy));
	if (mmap(control, sizeof(copy), PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		return false;
	memcpy(control, copy, sizeof(copy));
	return true;
}

bool session_is_left(const char *directory, struct tandem_control *control)
{
	/* Who breaks a lease has its holder sent a signal. */
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	int fd = open_folder(directory);
	bool refused, left = false;

	if (fd < 0)
		return false;
	sigaction(SIGIO, &ignore, &before);
	if (leases_see_mappings(fd) && control_copy(control))
		left = control_is_left(fd, &refused);
	sigaction(SIGIO, &before, NULL);
	close(fd);
	return left;
}

void session_recover(const char *directory)
{
	/* Who breaks a lease has its holder sent a signal. */
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	int fd = open_folder(directory);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	bool tried = false, proves = true;

	if (!folder) {
		if (fd >= 0)
			close(fd);
		return;
	}
	sigaction(SIGIO, &ignore, &before);
	for (struct dirent *entry; proves && (entry = readdir(folder));) {
		if (!directory_is_process(entry->d_name))
			continue;
		proves = tried || leases_see_mappings(fd);
		tried = true;
		if (proves)
			process_recover(fd, entry->d_name);
	}
	sigaction(SIGIO, &before, NULL);
	closedir(folder);
}
