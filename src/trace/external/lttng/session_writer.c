/* SPDX-License-Identifier: MIT */
#include "trace/external/lttng/session_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/directory.h"
#include "format/packet.h"
#include "schema/record.h"
#include "schema/schema.h"
#include "schema/tsdl.h"
#include "trace/external/lttng/session_files.h"
#include "util/keyed_row.h"

#define PACKET_BYTES (128u << 10)
#define PACKET_LEAST (4u << 10)
#define CALL_BYTES (sizeof(struct tandem_call_record) - sizeof(struct tandem_record))

struct writer_process {
	uint32_t pid;
	bool begun;
	unsigned levels;  /* bits; 0: nothing was said */
	unsigned written; /* with which its metadata is written; 0: it is not yet */
	char name[16];
};

struct session_stream {
	struct session_writer *writer;
	size_t process; /* in writer->processes */
	uint32_t number, tid;
	uint64_t sequence, last_ns;
	uint64_t packet_at; /* where the packet in memory goes in the file */
	size_t used, content;
	uint8_t *packet; /* of `room` bytes: small while the thread has few records */
	size_t room;
};

struct session_writer {
	char *path;
	bool whole;
	int failed;
	const struct hosts *hosts;
	struct writer_process *processes;
	size_t process_count, process_capacity;
	struct map process_of; /* pid -> place in processes */
	struct session_stream **streams;
	size_t stream_count;
	struct map stream_of; /* pid << 32 | tid -> place in streams */
	uint64_t first_ns, last_ns, lost;
};

static void failed(struct session_writer *writer, int error)
{
	if (!writer->failed)
		writer->failed = error;
}

struct session_writer *session_writer_create(const char *path, bool whole,
					     const struct hosts *hosts)
{
	struct session_writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return NULL;
	writer->path = strdup(path);
	writer->whole = whole;
	writer->hosts = hosts;
	writer->first_ns = UINT64_MAX;
	return writer;
}

static struct writer_process *process_get(struct session_writer *writer, uint32_t pid)
{
	const struct writer_process fresh = {.pid = pid};

	return keyed_row(&writer->process_of, pid, &writer->processes, &writer->process_capacity,
			 &writer->process_count, &fresh, sizeof(fresh));
}

void session_writer_levels(struct session_writer *writer, uint32_t pid, unsigned levels)
{
	struct writer_process *process = process_get(writer, pid);

	if (process && !process->levels)
		process->levels = levels;
	else if (process && (process->levels & levels))
		process->levels &= levels;
}

/* Of several the usual one: what was recorded is laid out alike in each. */
static enum tandem_args_level level_of(const struct writer_process *process)
{
	if (!process->levels || process->levels >> TANDEM_ARGS_BASIC & 1)
		return TANDEM_ARGS_BASIC;
	return process->levels >> TANDEM_ARGS_FULL & 1 ? TANDEM_ARGS_FULL : TANDEM_ARGS_NONE;
}

static void process_folder(const struct session_writer *writer, uint32_t pid, char path[4096])
{
	char name[DIRECTORY_NAME_BYTES];

	directory_put(name, DIRECTORY_PROCESS, pid, 0);
	snprintf(path, 4096, "%s/%s", writer->path, name);
}

/* Text between the quotes of TSDL. */
static void put_quoted(FILE *file, const char *name, const char *value)
{
	fprintf(file, "\t%s = \"", name);
	for (; *value; value++)
		fprintf(file, *value == '"' || *value == '\\' ? "\\%c" : "%c",
			(unsigned char)*value < 32 ? '?' : *value);
	fprintf(file, "\";\n");
}

/* Written when the level is known: at the end, and in between with what is known so far. */
static int metadata_write(const struct session_writer *writer, struct writer_process *process)
{
	unsigned written = 1 + level_of(process);
	size_t host = process->pid / TRACE_HOST_IDS;
	char path[4096], name[4200];
	FILE *file;

	if (process->written == written)
		return 0;
	process->written = written;

	process_folder(writer, process->pid, path);
	snprintf(name, sizeof(name), "%s/" DIRECTORY_METADATA ".new", path);
	file = fopen(name, "wxe");
	if (!file)
		return -errno;
	fprintf(file, "/* CTF 1.8 */\nenv {\n\ttandem = \"%s\";\n\tschema = \"%s\";\n\tpid = %u;\n",
		TANDEM_VERSION, tandem_schema_hash, process->pid);
	put_quoted(file, "procname", process->name);
	put_quoted(file, "command", process->name);
	if (host < writer->hosts->count) {
		put_quoted(file, "hostname", writer->hosts->list[host].name);
		if (*writer->hosts->list[host].boot_id)
			put_quoted(file, "boot_id", writer->hosts->list[host].boot_id);
	}
	fprintf(file, "\targs_level = %u;\n\tdevice_timing = 1;\n\tclock_source = %u;\n};\n",
		(unsigned)level_of(process), (unsigned)TANDEM_CLOCK_MONOTONIC);
	fprintf(file, "clock {\n\tname = ticks;\n\tfreq = 1000000000;\n};\n");
	return fclose(file) ? -errno : session_file_replace(path, DIRECTORY_METADATA);
}

/* Not kept open: a program may have had more threads than a process may have files. */
static int stream_open(const struct session_stream *stream, int flags)
{
	const struct writer_process *process = &stream->writer->processes[stream->process];
	char path[4096], file[DIRECTORY_NAME_BYTES], name[4200];
	int fd;

	process_folder(stream->writer, process->pid, path);
	directory_put(file, DIRECTORY_STREAM, stream->number, 0);
	snprintf(name, sizeof(name), "%s/%s", path, file);
	fd = open(name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
	return fd < 0 ? -errno : fd;
}

static int stream_make(struct session_stream *stream)
{
	struct writer_process *process = &stream->writer->processes[stream->process];
	char path[4096];
	int fd;

	process_folder(stream->writer, process->pid, path);
	if (!process->begun && mkdir(path, 0700))
		return -errno;
	process->begun = true;
	fd = stream_open(stream, O_CREAT | O_EXCL);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static void stream_write(struct session_stream *stream, const void *bytes, size_t count,
			 uint64_t at)
{
	int fd = stream_open(stream, 0);
	ssize_t written = fd < 0 ? fd : pwrite(fd, bytes, count, (off_t)at);

	if (written != (ssize_t)count)
		failed(stream->writer, fd < 0 ? fd : written < 0 ? -errno : -ENOSPC);
	if (fd >= 0)
		close(fd);
}

struct session_stream *session_writer_stream(struct session_writer *writer, uint32_t pid,
					     uint32_t tid, const char *procname)
{
	uint64_t key = (uint64_t)pid << 32 | tid, place = map_get(&writer->stream_of, key);
	struct writer_process *process;
	struct session_stream *stream;
	void *more;
	int error;

	if (place != MAP_NONE)
		return writer->streams[place];
	process = process_get(writer, pid);
	stream = process ? malloc(sizeof(*stream)) : NULL;
	more = stream ? realloc(writer->streams, (writer->stream_count + 1) * sizeof(stream))
		      : NULL;
	if (!more || map_set(&writer->stream_of, key, writer->stream_count)) {
		free(stream);
		failed(writer, -ENOMEM);
		return NULL;
	}
	writer->streams = more;
	snprintf(process->name, sizeof(process->name), "%s", procname);
	stream->writer = writer;
	stream->process = (size_t)(process - writer->processes);
	stream->number = (uint32_t)writer->stream_count + 1;
	stream->tid = tid;
	stream->sequence = stream->last_ns = stream->packet_at = 0;
	stream->used = stream->content = stream->room = 0;
	stream->packet = NULL;
	error = stream_make(stream);
	if (error)
		failed(writer, error);
	writer->streams[writer->stream_count++] = stream;
	return stream;
}

static void packet_write(struct session_stream *stream)
{
	if (!stream->used)
		return;
	packet_end((void *)stream->packet, stream->last_ns, stream->content, stream->used);
	stream_write(stream, stream->packet, stream->used, stream->packet_at);
	stream->packet_at += stream->used;
	stream->used = 0;
}

static void stream_packet(struct session_stream *stream, uint64_t ns)
{
	static const uint8_t none[16];
	struct tandem_packet_header *header = (void *)stream->packet;
	struct ticks_pair pair = {.ticks = ns, .monotonic_ns = ns};

	memset(header, 0, sizeof(*header));
	packet_begin(header, none, stream->number, ns, PACKET_BYTES);
	header->packet_seq_num = stream->sequence++;
	header->events_discarded = stream->writer->lost;
	packet_clock(header, &pair);
	packet_thread(header, stream->tid, stream->writer->processes[stream->process].name);
	stream->used = stream->content = sizeof(*header);
}

/* Room for so many bytes more, at most those of a packet. */
static bool stream_reserve(struct session_stream *stream, size_t bytes)
{
	size_t need = (stream->used ? stream->used : sizeof(struct tandem_packet_header)) + bytes;
	size_t room = stream->room ? stream->room : PACKET_LEAST;
	uint8_t *packet;

	while (room < need)
		room *= 2;
	if (room == stream->room)
		return true;
	packet = realloc(stream->packet, room);
	if (!packet) {
		failed(stream->writer, -ENOMEM);
		return false;
	}
	stream->packet = packet;
	stream->room = room;
	return true;
}

void session_writer_moment(struct session_writer *writer, uint64_t ns)
{
	if (ns < writer->first_ns)
		writer->first_ns = ns;
	if (ns > writer->last_ns)
		writer->last_ns = ns;
}

uint64_t session_stream_put(struct session_stream *stream, uint16_t id, bool call, uint64_t ns,
			    const void *bytes, size_t count)
{
	size_t head = call ? sizeof(struct tandem_call_record) : sizeof(struct tandem_record);
	size_t all = head + count;
	struct tandem_record *record;
	uint64_t place;

	if (all > UINT16_MAX)
		return SESSION_NOWHERE;
	if (stream->used + TANDEM_ALIGNED(all) > PACKET_BYTES)
		packet_write(stream);
	if (!stream_reserve(stream, TANDEM_ALIGNED(all)))
		return SESSION_NOWHERE;
	if (ns < stream->last_ns)
		ns = stream->last_ns;
	if (!stream->used)
		stream_packet(stream, ns);
	stream->last_ns = ns;
	session_writer_moment(stream->writer, ns);
	place = stream->packet_at + stream->used;
	record = (void *)(stream->packet + stream->used);
	memset(record, 0, TANDEM_ALIGNED(all));
	record->timestamp = ns;
	record->id = id;
	record->size = (uint16_t)all;
	memcpy((uint8_t *)record + head, bytes, count);
	stream->content = stream->used + all;
	stream->used += TANDEM_ALIGNED(all);
	return place;
}

/* In the packet that is in memory, or in the file. */
static void stream_patch(struct session_stream *stream, uint64_t place, const void *bytes,
			 size_t count)
{
	if (place >= stream->packet_at)
		memcpy(stream->packet + (place - stream->packet_at), bytes, count);
	else
		stream_write(stream, bytes, count, place);
}

void session_stream_end(struct session_stream *stream, uint64_t place, int32_t result, uint64_t ns,
			const void *returned, size_t returned_bytes)
{
	uint8_t ended[CALL_BYTES];

	memcpy(ended, &result, sizeof(result));
	memcpy(ended + sizeof(result), &ns, sizeof(ns));
	stream_patch(stream, place + sizeof(struct tandem_record), ended, sizeof(ended));
	if (returned_bytes)
		stream_patch(stream, place + sizeof(struct tandem_call_record), returned,
			     returned_bytes);
	if (ns > stream->writer->last_ns)
		stream->writer->last_ns = ns;
}

void session_writer_lost(struct session_writer *writer, uint64_t count)
{
	writer->lost += count;
}

static enum tandem_args_level writer_level(const struct session_writer *writer)
{
	for (size_t i = 0; i < writer->process_count; i++)
		if (writer->processes[i].levels)
			return level_of(&writer->processes[i]);
	return TANDEM_ARGS_BASIC;
}

/* Streams before what describes them: a reader finds no more than it can read. */
static int write_all(struct session_writer *writer, bool ended)
{
	struct session_files files = {.path = writer->path,
				      .hosts = writer->hosts,
				      .first_ns = writer->first_ns,
				      .last_ns = writer->last_ns,
				      .lost = writer->lost,
				      .processes = writer->process_count,
				      .threads = writer->stream_count,
				      .level = writer_level(writer),
				      .ended = ended};
	int error;

	for (size_t i = 0; i < writer->process_count; i++)
		if (writer->processes[i].begun &&
		    (error = metadata_write(writer, &writer->processes[i])))
			failed(writer, error);
	for (size_t i = 0; i < writer->stream_count; i++)
		packet_write(writer->streams[i]);
	files.names = calloc(writer->process_count + 1, sizeof(*files.names));
	for (size_t i = 0; files.names && i < writer->process_count; i++)
		files.names[i] = writer->processes[i].name;
	error = !files.names	? -ENOMEM
		: writer->whole ? session_files_write(&files)
				: session_files_add(&files);
	free(files.names);
	if (error)
		failed(writer, error);
	return writer->failed;
}

int session_writer_flush(struct session_writer *writer)
{
	/* Nothing has been recorded yet: nobody knows when it began. */
	return writer->first_ns == UINT64_MAX ? 0 : write_all(writer, false);
}

int session_writer_destroy(struct session_writer *writer)
{
	int error;

	if (writer->first_ns == UINT64_MAX)
		writer->first_ns = 0;
	error = write_all(writer, true);
	for (size_t i = 0; i < writer->stream_count; i++) {
		free(writer->streams[i]->packet);
		free(writer->streams[i]);
	}
	map_free(&writer->process_of);
	map_free(&writer->stream_of);
	free(writer->processes);
	free(writer->streams);
	free(writer->path);
	free(writer);
	return error;
}
