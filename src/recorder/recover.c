#include "recorder/recover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/packet.h"
#include "util/open_below.h"

/* False, with the header all the same, where no packet begins. */
static bool header_read(int fd, uint64_t at, struct tandem_packet_header *header)
{
	memset(header, 0, sizeof(*header));
	return pread(fd, header, sizeof(*header), (off_t)at) == (ssize_t)sizeof(*header) &&
	       header->magic == TANDEM_CTF_MAGIC &&
	       header->content_bits >= sizeof(*header) * 8 &&
	       header->packet_bits >= header->content_bits;
}

/* stream-K of a window that is still there: `window` is the window's header. True: the
 * stream has the whole of the window's packet. */
static bool stream_recover(int stream, const struct tandem_packet_header *window)
{
	struct tandem_packet_header header = { .magic = 0 };
	struct stat status;
	uint64_t at = 0, size;

	if (fstat(stream, &status))
		return false;
	size = (uint64_t)status.st_size;
	while (at < size) {
		bool sound = header_read(stream, at, &header);
		bool same = sound && header.packet_seq_num == window->packet_seq_num;
		bool begun = tandem_packet_begun(&header, window, size - at);
		uint64_t end = at + header.packet_bits / 8;

		if (same && end == size && header.content_bits == window->content_bits)
			return true;
		/* The append that was under way: the window has all of it. */
		if (same || begun || at + sizeof(header) > size || (sound && end > size)) {
			if (ftruncate(stream, (off_t)at)) {
				/* It stays: readers keep the window's. */
			}
			return false;
		}
		if (!sound)
			return false;
		at = end;
	}
	return false;
}

/* Read-only, or to cut it: the stream of a traced process of ours is a regular file with
 * one name. Anything else was put there by somebody else. */
static int stream_open(int folder, const char *name)
{
	int fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat status;

	if (fd >= 0 && (fstat(fd, &status) || !S_ISREG(status.st_mode) || status.st_nlink != 1)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Until the descriptor is closed. */
static bool lease_take(int fd)
{
	return !fcntl(fd, F_SETLEASE, F_RDLCK);
}

static void window_recover(int folder, const char *name)
{
	char stream_name[64];
	struct tandem_packet_header header;
	int window = open_below(folder, name), stream = -1;

	if (window < 0)
		return;
	if (lease_take(window) && header_read(window, 0, &header)) {
		snprintf(stream_name, sizeof(stream_name), "stream-%.32s",
			 name + strlen("window-"));
		stream = stream_open(folder, stream_name);
	}
	if (stream >= 0 && stream_recover(stream, &header))
		unlinkat(folder, name, 0);
	if (stream >= 0)
		close(stream);
	close(window);
}

static void process_recover(int session, const char *name)
{
	int fd = open_folder_below(session, name);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);

	if (!folder) {
		if (fd >= 0)
			close(fd);
		return;
	}
	for (struct dirent *entry; (entry = readdir(folder));)
		if (!strncmp(entry->d_name, "window-", strlen("window-")))
			window_recover(fd, entry->d_name);
	closedir(folder);
}

/* Whether a lease on a file that a process has mapped is refused here: we have mapped the
 * control page, and no descriptor of ours can write it. */
static bool leases_see_mappings(int session)
{
	int fd = open_below(session, "control");
	bool refused = fd >= 0 && !lease_take(fd) && errno == EAGAIN;

	if (fd >= 0)
		close(fd);
	return refused;
}

void session_recover(const char *directory)
{
	/* Who breaks a lease has its holder sent a signal. */
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	int fd = open_folder(directory);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);

	if (!folder) {
		if (fd >= 0)
			close(fd);
		return;
	}
	sigaction(SIGIO, &ignore, &before);
	if (leases_see_mappings(fd))
		for (struct dirent *entry; (entry = readdir(folder));)
			if (!strncmp(entry->d_name, "process-", strlen("process-")))
				process_recover(fd, entry->d_name);
	sigaction(SIGIO, &before, NULL);
	closedir(folder);
}
