/* SPDX-License-Identifier: MIT */
#include "trace/external/ctf_import_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/packet.h"
#include "schema/record.h"
#include "schema/schema.h"
#include "trace/clock.h"

#define PACKET_BYTES (64u << 10)

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

static void stream_packet_begin(struct ctf_import_stream *stream, uint64_t ticks, uint64_t ns)
{
	struct tandem_packet_header *header = (void *)stream->packet;

	static const uint8_t no_uuid[sizeof(header->uuid)];
	/* By the session's own clock: nothing new is said of it. */
	const struct ticks_pair pair = {.ticks = ticks, .monotonic_ns = ns};
	char name[sizeof(header->thread_name)];

	snprintf(name, sizeof(name), "cpu %u", stream->cpu);
	packet_begin(header, no_uuid, (uint64_t)stream->cpu + 1, ticks, 0);
	packet_clock(header, &pair);
	packet_thread(header, stream->cpu, name);
	header->packet_seq_num = stream->sequence++;
	header->events_discarded = 0;
	stream->used = stream->content = sizeof(*header);
}

static void packet_write(struct ctf_import_stream *stream)
{
	struct tandem_packet_header *header = (void *)stream->packet;
	ssize_t written;

	if (!stream->used)
		return;
	packet_end(header, stream->last_ticks, stream->content, stream->used);
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

	if (all > UINT16_MAX ||
	    TANDEM_ALIGNED(all) > PACKET_BYTES - sizeof(struct tandem_packet_header))
		return NULL;
	if (stream->used + TANDEM_ALIGNED(all) > PACKET_BYTES)
		packet_write(stream);
	if (ticks < stream->last_ticks)
		ticks = stream->last_ticks;
	if (!stream->used)
		stream_packet_begin(stream, ticks, ns);
	stream->last_ticks = ticks;
	record = (void *)(stream->packet + stream->used);
	memset(record, 0, TANDEM_ALIGNED(all));
	record->timestamp = ticks;
	record->id = id;
	record->size = (uint16_t)all;
	stream->content = stream->used + all;
	stream->used += TANDEM_ALIGNED(all);
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
