/* SPDX-License-Identifier: MIT */
#include "recorder/snapshot/snapshot_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/directory.h"
#include "schema/gen/kernel_records.h"
#include "schema/gen/lasting.h"
#include "schema/record.h"
#include "schema/schema.h"
#include "util/array.h"
#include "util/folder/open_below.h"
#include "util/map.h"

/* A packet of descriptions. */
#define PACKET_BYTES (256u * 1024)

/* A stream that is being written; its file is made with the first packet. */
struct output {
	int folder, fd;
	const char *name;
	uint64_t sequence;
	struct snapshot_window *window;
};

static int write_all(int fd, const void *data, size_t bytes)
{
	const char *at = data;

	while (bytes) {
		ssize_t done = write(fd, at, bytes);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? -errno : -ENOSPC;
		at += done;
		bytes -= (size_t)done;
	}
	return 0;
}

static int file_copy(int in, int to, const char *name)
{
	char buffer[65536];
	int out, error = 0;
	ssize_t bytes;

	out = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (out < 0)
		error = -errno;
	while (!error && (bytes = read(in, buffer, sizeof(buffer))))
		error = bytes < 0 ? -errno : write_all(out, buffer, (size_t)bytes);
	if (out >= 0 && close(out) && !error)
		error = -errno;
	return error;
}

int snapshot_file_copy(int from, int to, const char *name)
{
	int in = open_below(from, name), error;

	if (in < 0)
		return in;
	error = file_copy(in, to, name);
	close(in);
	return error;
}

/* A name of the directory's grammar, which fits. */
static void name_set(char to[DIRECTORY_NAME_BYTES], const char *name)
{
	size_t bytes = strnlen(name, DIRECTORY_NAME_BYTES - 1);

	memcpy(to, name, bytes);
	to[bytes] = '\0';
}

/* To where the stream is complete; or, where all since a time is asked for, notes that it is not. */
static void window_move(struct snapshot_window *window, const struct ring_content *content)
{
	const struct tandem_packet_header *first = ring_content_next(content, NULL);

	if (!content->overwritten || (first && first->timestamp_begin <= window->from))
		return;
	if (window->since) {
		window->overwritten++;
	} else if (first) {
		window->from = first->timestamp_begin;
		window->near = *first;
	}
}

static int stream_read(struct snapshot_folder *folder, int from, const char *name,
		       struct snapshot_window *window)
{
	int fd = open_below(from, name), error;
	struct snapshot_stream *stream;

	/* It may have been taken away meanwhile. */
	if (fd < 0)
		return 0;
	error = array_reserve(&folder->streams, &folder->capacity, folder->count + 1,
			      sizeof(*folder->streams));
	if (!error) {
		stream = &folder->streams[folder->count];
		name_set(stream->name, name);
		error = ring_content_read(&stream->content, fd, window->subbuffer_bytes,
					  window->since);
	}
	close(fd);
	if (error)
		return error;
	folder->count++;
	window_move(window, &stream->content);
	return 0;
}

static int streams_read(struct snapshot_folder *folder, int from, struct snapshot_window *window)
{
	int copy = openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), error = 0;
	DIR *list = copy < 0 ? NULL : fdopendir(copy);
	struct directory_number number;

	if (!list) {
		error = -errno;
		if (copy >= 0)
			close(copy);
		return error;
	}
	for (struct dirent *entry; !error && (entry = readdir(list));)
		if (directory_parse(entry->d_name, DIRECTORY_STREAM, &number))
			error = stream_read(folder, from, entry->d_name, window);
	closedir(list);
	return error;
}

int snapshot_folder_read(struct snapshot_folder *folder, int session, const char *name,
			 struct snapshot_window *window)
{
	int from = open_folder_below(session, name), error = 0;

	*folder = (struct snapshot_folder){.metadata = -1};
	name_set(folder->name, name);
	if (from < 0)
		return from;
	folder->metadata = open_below(from, DIRECTORY_METADATA);
	if (folder->metadata < 0)
		error = folder->metadata;
	if (!error)
		error = streams_read(folder, from, window);
	/* After the streams: so it has all that they refer to. */
	if (!error)
		error = lasting_content_read(&folder->lasting, from);
	close(from);
	return error;
}

void snapshot_folder_free(struct snapshot_folder *folder)
{
	for (size_t i = 0; i < folder->count; i++)
		ring_content_free(&folder->streams[i].content);
	free(folder->streams);
	lasting_content_free(&folder->lasting);
	if (folder->metadata >= 0)
		close(folder->metadata);
}

static int packet_write(struct output *output, struct tandem_packet_header *packet,
			uint64_t content, uint64_t last_ticks)
{
	uint64_t bytes = TANDEM_ALIGNED(content);
	int error;

	if (output->fd < 0) {
		output->fd = openat(output->folder, output->name,
				    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (output->fd < 0)
			return -errno;
		output->window->streams++;
	}
	memset((uint8_t *)packet + content, 0, bytes - content);
	packet->timestamp_begin = ((struct tandem_record *)(packet + 1))->timestamp;
	packet->packet_seq_num = output->sequence++;
	packet_end(packet, last_ticks, content, bytes);
	error = write_all(output->fd, packet, bytes);
	output->window->bytes += bytes;
	return error;
}

/* NULL: it is none. */
static const struct tandem_call_record *record_call(const struct tandem_record *record)
{
	const struct tandem_event *event = tandem_event_get(record->id);

	return event && event->class != TANDEM_CLASS_RECORD &&
			       record->size >= sizeof(struct tandem_call_record)
		       ? (const void *)record
		       : NULL;
}

/* What is in the window, or was not over when it began. */
static bool is_wanted(const struct tandem_record *record, uint64_t from)
{
	const struct tandem_call_record *call;

	if (record->timestamp >= from)
		return true;
	call = record_call(record);
	return call && (!call->end || call->end >= from);
}

static void last_move(struct snapshot_window *window, const struct tandem_record *record)
{
	const struct tandem_call_record *call = record_call(record);
	uint64_t ticks = call && call->end ? call->end : record->timestamp;

	if (ticks > window->last_ticks)
		window->last_ticks = ticks;
}

/* In the packet in which the window begins, what the operating system's side says of its stream,
 * and of threads: as if it were said at the begin. */
static bool is_state(const struct tandem_record *record)
{
	return tandem_id_domain(record->id) == TANDEM_DOMAIN_kernel &&
	       (record->id == TANDEM_KERNEL_EVENT_collecting || tandem_id_lasts(record->id));
}

/* Moves the wanted records of a packet together, and notes what they describe. */
static int records_keep(struct tandem_packet_header *packet, struct snapshot_window *window,
			struct map *seen)
{
	uint8_t *base = (uint8_t *)packet;
	uint64_t at = sizeof(*packet), end = at, content = at, all = packet->content_bits / 8;
	bool straddles = packet->timestamp_end >= window->from;
	int error = 0;

	while (!error && at + sizeof(struct tandem_record) <= all) {
		struct tandem_record *record = (void *)(base + at);
		uint64_t size = record->size;

		if (size < sizeof(*record) || at + size > all)
			break;
		at += TANDEM_ALIGNED(size);
		if (record->timestamp < window->from && straddles && is_state(record))
			record->timestamp = window->from;
		if (!is_wanted(record, window->from))
			continue;
		if (tandem_id_lasts(record->id))
			error = map_set(seen, lasting_key(record), 1);
		packet->timestamp_end = record->timestamp;
		last_move(window, record);
		memmove(base + end, record, size);
		content = end + size;
		end = TANDEM_ALIGNED(content);
		window->records++;
	}
	packet->content_bits = content * 8;
	return error;
}

static bool is_empty(const struct tandem_packet_header *packet)
{
	return packet->content_bits == sizeof(*packet) * 8;
}

static struct tandem_packet_header *next_kept(const struct ring_content *content,
					      struct tandem_packet_header *packet)
{
	do
		packet = ring_content_next(content, packet);
	while (packet && is_empty(packet));
	return packet;
}

static int content_keep(const struct ring_content *content, struct snapshot_window *window,
			struct map *seen)
{
	struct tandem_packet_header *packet = NULL;
	int error = 0;

	while (!error && (packet = ring_content_next(content, packet)))
		error = records_keep(packet, window, seen);
	return error;
}

static int content_write(struct output *output, const struct ring_content *content)
{
	struct tandem_packet_header *packet = ring_content_next(content, NULL), *next;
	uint64_t discarded = packet->events_discarded;
	int error = 0;

	for (packet = next_kept(content, NULL); packet && !error; packet = next) {
		/* Writing ends the packet where its records do. */
		next = next_kept(content, packet);
		packet->events_discarded -= discarded;
		error = packet_write(output, packet, packet->content_bits / 8,
				     packet->timestamp_end);
	}
	if (output->fd >= 0 && close(output->fd) && !error)
		error = -errno;
	return error;
}

/* Before the first records: it is all there from the begin. */
static int lasting_write(struct output *output, const struct lasting_content *lasting,
			 const struct tandem_packet_header *like, uint64_t ticks)
{
	uint8_t *packet = malloc(PACKET_BYTES);
	struct tandem_record *record = NULL;
	uint64_t content = sizeof(*like), end = content;
	int error = packet ? 0 : -ENOMEM;

	if (!error) {
		memcpy(packet, like, sizeof(*like));
		((struct tandem_packet_header *)(void *)packet)->events_discarded = 0;
	}
	while (!error && (record = lasting_content_next(lasting, record))) {
		if (end + record->size + sizeof(uint64_t) > PACKET_BYTES) {
			error = packet_write(output, (void *)packet, content, ticks);
			end = sizeof(*like);
		}
		memcpy(packet + end, record, record->size);
		((struct tandem_record *)(void *)(packet + end))->timestamp = ticks;
		content = end + record->size;
		end = TANDEM_ALIGNED(content);
	}
	if (!error && end > sizeof(*like))
		error = packet_write(output, (void *)packet, content, ticks);
	free(packet);
	return error;
}

/* Only what was not over, or what lasts, may be older than the window. */
static uint64_t first_ticks(const struct ring_content *content, uint64_t from)
{
	const struct tandem_packet_header *first = next_kept(content, NULL);
	uint64_t ticks = ((const struct tandem_record *)(first + 1))->timestamp;

	return from && from < ticks ? from : ticks;
}

static int streams_write(struct snapshot_folder *folder, int to, struct snapshot_window *window)
{
	bool first = true;
	int error = 0;

	for (size_t i = 0; !error && i < folder->count; i++) {
		const struct ring_content *content = &folder->streams[i].content;
		struct output output = {
			.folder = to, .fd = -1, .name = folder->streams[i].name, .window = window};

		if (!next_kept(content, NULL))
			continue;
		if (first)
			error = lasting_write(&output, &folder->lasting, next_kept(content, NULL),
					      first_ticks(content, window->from));
		first = false;
		if (!error)
			error = content_write(&output, content);
	}
	return error;
}

int snapshot_folder_write(struct snapshot_folder *folder, int to, struct snapshot_window *window)
{
	struct map seen = {.count = 0};
	uint64_t before = window->records;
	int error = 0, fd;

	for (size_t i = 0; !error && i < folder->count; i++)
		error = content_keep(&folder->streams[i].content, window, &seen);
	if (!error)
		error = lasting_content_trim(&folder->lasting, &seen);
	map_free(&seen);
	if (error || window->records == before)
		return error;
	if (mkdirat(to, folder->name, 0700))
		return -errno;
	fd = open_folder_below(to, folder->name);
	if (fd < 0)
		return fd;
	error = file_copy(folder->metadata, fd, DIRECTORY_METADATA);
	if (!error)
		error = streams_write(folder, fd, window);
	close(fd);
	return error;
}
