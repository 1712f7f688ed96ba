#include "cli/settle.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/packet.h"

/* False, with the header all the same, where no packet begins. */
static bool header_read(int fd, uint64_t at, struct tandem_packet_header *header)
{
	memset(header, 0, sizeof(*header));
	return pread(fd, header, sizeof(*header), (off_t)at) == (ssize_t)sizeof(*header) &&
	       header->magic == TANDEM_CTF_MAGIC &&
	       header->content_bits >= sizeof(*header) * 8 &&
	       header->packet_bits >= header->content_bits;
}

/* stream-K beside a window that is still there: `window` is the window's
 * header. True: the window's packet stands whole in the stream. */
static bool stream_settle(int stream, const struct tandem_packet_header *window)
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
			if (ftruncate(stream, (off_t)at))
				perror("tandem: a packet that was cut off stays");
			return false;
		}
		if (!sound)
			return false;
		at = end;
	}
	return false;
}

static void window_settle(int folder, const char *name)
{
	char stream_name[64];
	struct tandem_packet_header window;
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC), stream;
	bool twice;

	if (fd < 0)
		return;
	snprintf(stream_name, sizeof(stream_name), "stream-%.32s", name + strlen("window-"));
	stream = header_read(fd, 0, &window) ? openat(folder, stream_name, O_RDWR | O_CLOEXEC) : -1;
	close(fd);
	if (stream < 0)
		return;
	twice = stream_settle(stream, &window);
	close(stream);
	if (twice)
		unlinkat(folder, name, 0);
}

static void process_settle(int session, const char *name)
{
	int fd = openat(session, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);

	if (!folder) {
		if (fd >= 0)
			close(fd);
		return;
	}
	for (struct dirent *entry; (entry = readdir(folder));)
		if (!strncmp(entry->d_name, "window-", strlen("window-")))
			window_settle(fd, entry->d_name);
	closedir(folder);
}

static bool process_ended(const char *name)
{
	pid_t pid = (pid_t)atoi(name + strlen("process-"));

	return pid > 0 && kill(pid, 0) && errno == ESRCH;
}

void settle_session(const char *directory)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);

	if (!folder) {
		if (fd >= 0)
			close(fd);
		return;
	}
	for (struct dirent *entry; (entry = readdir(folder));)
		if (!strncmp(entry->d_name, "process-", strlen("process-")) &&
		    process_ended(entry->d_name))
			process_settle(fd, entry->d_name);
	closedir(folder);
}
