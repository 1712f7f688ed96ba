/* SPDX-License-Identifier: MIT */
#include "trace/external/ctf_import_stream.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/record.h"
#include "schema/schema.h"
#include "trace/clock.h"

#define PACKET_BYTES (64u << 10)
#define ALIGNED(bytes) (((bytes) + TANDEM_RECORD_ALIGN - 1) & ~(TANDEM_RECORD_ALIGN - 1))

struct ctf_import_stream {
	struct trace_session *session;
	uint32_t cpu;
	int fd, failed;
	uint64_t sequence, last_ticks;
	uint32_t used, content;
	_Alignas(8) uint8_t packet[PACKET_BYTES];
};

struct ctf_import_stream *ctf_import_stream_create(const char *folder,
						   struct trace_session *session, uint32_t cpu)
{
	struct ctf_import_stream *stream = malloc(sizeof(*stream));
	char *path;

	if (!stream || asprintf(&path, "%s/stream-%u", folder, cpu + 1) < 0) {
		free(stream);
		return NULL;
	}
	stream->session = session;
	stream->cpu = cpu;
	stream->sequence = stream->last_ticks = 0;
	stream->used = stream->content = 0;
	stream->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	stream->failed = stream->fd < 0 ? -errno : 0;
	free(path);
	return stream;
}

static void packet_begin(struct ctf_import_stream *stream, uint64_t ticks, uint64_t ns)
{
	struct tandem_packet_header *header = (void *)stream->packet;

	memset(header, 0, sizeof(*header));
	header->magic = TANDEM_CTF_MAGIC;
	header->stream_instance_id = (uint64_t)stream->cpu + 1;
	header->timestamp_begin = ticks;
	header->packet_seq_num = stream->sequence++;
	/* By the session's own clock: nothing new is said of it. */
	header->monotonic_ns = ns;
	header->ticks = ticks;
	header->tid = stream->cpu;
	snprintf(header->thread_name, sizeof(header->thread_name), "cpu %u", stream->cpu);
	stream->used = stream->content = sizeof(*header);
}

static void packet_write(struct ctf_import_stream *stream)
{
	struct tandem_packet_header *header = (void *)stream->packet;
	ssize_t written;

	if (!stream->used)
		return;
	header->timestamp_end = stream->last_ticks;
	header->content_bits = (uint64_t)stream->content * 8;
	header->packet_bits = (uint64_t)stream->used * 8;
	written = stream->fd < 0 ? -1 : write(stream->fd, stream->packet, stream->used);
	if (written != (ssize_t)stream->used && !stream->failed)
		stream->failed = written < 0 ? -errno : -ENOSPC;
	stream->used = 0;
}

void *ctf_import_stream_put(struct ctf_import_stream *stream, uint16_t id, uint64_t ns,
			    uint32_t bytes, uint32_t more)
{
	uint32_t all = bytes + more;
	uint64_t ticks = trace_clock_ticks(&stream->session->clock, (int64_t)ns);
	struct tandem_record *record;

	if (all > UINT16_MAX || ALIGNED(all) > PACKET_BYTES - sizeof(struct tandem_packet_header))
		return NULL;
	if (stream->used + ALIGNED(all) > PACKET_BYTES)
		packet_write(stream);
	if (ticks < stream->last_ticks)
		ticks = stream->last_ticks;
	if (!stream->used)
		packet_begin(stream, ticks, ns);
	stream->last_ticks = ticks;
	record = (void *)(stream->packet + stream->used);
	memset(record, 0, ALIGNED(all));
	record->timestamp = ticks;
	record->id = id;
	record->size = (uint16_t)all;
	stream->content = stream->used + all;
	stream->used += ALIGNED(all);
	return record;
}

int ctf_import_stream_destroy(struct ctf_import_stream *stream)
{
	int failed;

	if (!stream)
		return 0;
	packet_write(stream);
	if (stream->fd >= 0)
		close(stream->fd);
	failed = stream->failed;
	free(stream);
	return failed;
}

int ctf_import_stream_metadata(const char *folder, const struct trace_session *session)
{
	FILE *file;
	char *path;
	int status = 0;

	if (asprintf(&path, "%s/metadata", folder) < 0)
		return -ENOMEM;
	file = fopen(path, "we");
	free(path);
	if (!file)
		return -errno;
	fprintf(file,
		"/* CTF 1.8 */\nenv {\n\tschema = \"%s\";\n\targs_level = %u;\n"
		"\tprocname = \"kernel\";\n};\nclock {\n\tfreq = %llu;\n};\n",
		tandem_schema_hash, (unsigned)session->args_level,
		(unsigned long long)session->run.ticks_hz);
	if (fclose(file))
		status = -errno;
	return status;
}

void ctf_import_stream_remove(const char *folder)
{
	DIR *listing = opendir(folder);
	const struct dirent *entry;
	char *slash, *parent;

	while (listing && (entry = readdir(listing)))
		unlinkat(dirfd(listing), entry->d_name, 0);
	if (listing)
		closedir(listing);
	rmdir(folder);
	parent = strdup(folder);
	slash = parent ? strrchr(parent, '/') : NULL;
	if (slash) {
		*slash = '\0';
		rmdir(parent);
	}
	free(parent);
}
