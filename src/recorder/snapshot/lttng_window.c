/* SPDX-License-Identifier: MIT */
#include "recorder/snapshot/lttng_window.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder/lttng_session.h"

#define DEPTH_MOST 8u
#define STREAM_MAGIC 0xc1fc1fc1u
#define PACKET_MOST_BYTES (UINT64_C(1) << 32)

/* As LTTng-UST 2.13 begins a packet: CTF's header, and its context. */
struct packet_begin {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t stream;
	uint64_t instance;
	uint64_t begin, end; /* CLOCK_MONOTONIC */
	uint64_t content_bits, packet_bits;
	uint64_t sequence; /* from 0: so many were before */
};

_Static_assert(sizeof(struct packet_begin) == 72, "as in the file");

/* "tandem_0": calls, of the first CPU; not "tandem-descriptions_0", which goes back further. */
static int is_ring(const char *name)
{
	return !strncmp(name, LTTNG_CHANNEL "_", strlen(LTTNG_CHANNEL "_"));
}

/* A ring whose first packet is not its first one was overwritten before that. */
static void ring_add(struct lttng_window *window, int fd)
{
	struct packet_begin packet;
	uint64_t at = 0;

	while (pread(fd, &packet, sizeof(packet), (off_t)at) == (ssize_t)sizeof(packet) &&
	       packet.magic == STREAM_MAGIC && packet.packet_bits / 8 >= sizeof(packet) &&
	       packet.packet_bits / 8 <= PACKET_MOST_BYTES) {
		if (!at && packet.sequence && packet.begin > window->begin_ns)
			window->begin_ns = packet.begin;
		if (packet.end > window->end_ns)
			window->end_ns = packet.end;
		at += packet.packet_bits / 8;
	}
}

static void entry_add(struct lttng_window *window, int folder, const char *name, unsigned depth);

static void folder_add(struct lttng_window *window, int parent, const char *name, unsigned depth)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);

	if (!list && fd >= 0)
		close(fd);
	for (struct dirent *entry; list && (entry = readdir(list));)
		if (*entry->d_name != '.' && strcmp(entry->d_name, "index") != 0)
			entry_add(window, fd, entry->d_name, depth);
	if (list)
		closedir(list);
}

static void entry_add(struct lttng_window *window, int folder, const char *name, unsigned depth)
{
	struct stat status;
	int fd;

	if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW))
		return;
	if (S_ISDIR(status.st_mode) && depth < DEPTH_MOST)
		folder_add(window, folder, name, depth + 1);
	if (!S_ISREG(status.st_mode) || !is_ring(name))
		return;
	fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	ring_add(window, fd);
	close(fd);
}

struct lttng_window lttng_window_find(const char *folder)
{
	struct lttng_window window = {.begin_ns = 0};

	folder_add(&window, AT_FDCWD, folder, 0);
	return window;
}
