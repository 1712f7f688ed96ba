/* SPDX-License-Identifier: MIT */
#include "recorder/session/count_records.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/directory.h"
#include "format/packet.h"
#include "schema/record.h"
#include "util/folder/open_below.h"

struct count {
	uint64_t events, bytes;
	bool estimated;
	uint64_t counted_bytes;
	uint8_t *buffer; /* of the packet being counted */
	uint64_t buffer_bytes;
};

/* No window is as large; a header that says so is damaged. */
#define PACKET_MAX_BYTES (UINT64_C(64) << 20)

/* Records in one packet's content. */
static uint64_t packet_records(const uint8_t *packet, uint64_t content_bytes)
{
	uint64_t at = sizeof(struct tandem_packet_header);
	uint64_t records = 0;

	while (at + sizeof(struct tandem_record) <= content_bytes) {
		const struct tandem_record *record = (const void *)(packet + at);

		if (record->size < sizeof(*record))
			break;
		at += TANDEM_ALIGNED((uint64_t)record->size);
		records++;
	}
	return records;
}

/* Reads a packet's content. false when it is not there in full. */
static bool read_content(struct count *count, int fd, uint64_t at, uint64_t bytes)
{
	if (bytes > PACKET_MAX_BYTES)
		return false;
	if (bytes > count->buffer_bytes) {
		uint8_t *buffer = realloc(count->buffer, bytes);

		if (!buffer)
			return false;
		count->buffer = buffer;
		count->buffer_bytes = bytes;
	}
	return pread(fd, count->buffer, bytes, (off_t)at) == (ssize_t)bytes;
}

/* A stream is whole packets one after another; a window is one. Read, not
 * mapped: a file that somebody cuts off must not kill the recorder. *last becomes the
 * header of the last packet. The packet of `before`, with no more content, was counted. */
static void count_packets(struct count *count, int fd, struct tandem_packet_header *last,
			  const struct tandem_packet_header *before)
{
	struct tandem_packet_header header;
	uint64_t at = 0;

	while (pread(fd, &header, sizeof(header), (off_t)at) == (ssize_t)sizeof(header)) {
		uint64_t content = header.content_bits / 8;
		uint64_t packet = header.packet_bits / 8;

		if (header.magic != TANDEM_CTF_MAGIC || content > packet ||
		    content < sizeof(header))
			break;
		if (before->magic && before->packet_seq_num == header.packet_seq_num &&
		    before->content_bits >= header.content_bits)
			break;
		*last = header;
		if (count->counted_bytes < COUNT_EXACT_BYTES) {
			if (!read_content(count, fd, at, content))
				break;
			count->events += packet_records(count->buffer, content);
			count->counted_bytes += content;
		} else {
			count->estimated = true;
		}
		count->bytes += content;
		at += packet;
	}
}

static void count_file(struct count *count, int folder, const char *name,
		       struct tandem_packet_header *last, const struct tandem_packet_header *before)
{
	int fd = open_below(folder, name);

	if (fd < 0)
		return;
	count_packets(count, fd, last, before);
	close(fd);
}

/* A file of a stream, and its window in sessions of earlier versions: there a process that
 * was killed while it appended its window leaves the packet in both, in the stream perhaps
 * without its content. */
static void count_stream(struct count *count, int folder, const struct directory_number *number)
{
	struct tandem_packet_header none = {.magic = 0}, last = none, window;
	char name[DIRECTORY_NAME_BYTES];

	directory_put(name, DIRECTORY_STREAM, number->number, number->part);
	count_file(count, folder, name, &last, &none);
	directory_put(name, DIRECTORY_WINDOW, number->number, number->part);
	count_file(count, folder, name, &window, &last);
}

/* Of a window that has no stream yet. */
static bool is_alone(int folder, const struct directory_number *window)
{
	char stream[DIRECTORY_NAME_BYTES];
	struct stat status;

	directory_put(stream, DIRECTORY_STREAM, window->number, window->part);
	return fstatat(folder, stream, &status, AT_SYMLINK_NOFOLLOW) != 0;
}

static void count_process(struct count *count, int session, const char *name)
{
	int fd = open_folder_below(session, name);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(dir))) {
		struct directory_number number;

		if (directory_parse(entry->d_name, DIRECTORY_STREAM, &number) ||
		    (directory_parse(entry->d_name, DIRECTORY_WINDOW, &number) &&
		     is_alone(fd, &number)))
			count_stream(count, fd, &number);
	}
	closedir(dir);
}

/* What was not counted is as what was. */
static uint64_t count_finish(struct count *count)
{
	free(count->buffer);
	if (count->estimated && count->counted_bytes)
		return (uint64_t)((double)count->events * (double)count->bytes /
				  (double)count->counted_bytes);
	return count->events;
}

int count_records(const char *directory, struct record_count *total)
{
	struct count traced = {.events = 0}, kernel = {.events = 0};
	DIR *dir = opendir(directory);
	struct dirent *entry;

	*total = (struct record_count){.events = 0};
	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		if (directory_is_process(entry->d_name))
			count_process(&traced, dirfd(dir), entry->d_name);
		else if (!strcmp(entry->d_name, DIRECTORY_SYSTEM))
			count_process(&kernel, dirfd(dir), entry->d_name);
	}
	closedir(dir);
	total->events = count_finish(&traced);
	total->bytes = traced.bytes;
	total->kernel_events = count_finish(&kernel);
	total->kernel_bytes = kernel.bytes;
	total->estimated = traced.estimated || kernel.estimated;
	return 0;
}
