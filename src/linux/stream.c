/* SPDX-License-Identifier: MIT */
#include "linux/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "format/directory.h"
#include "format/ring.h"
#include "schema/gen/core_records.h"
#include "schema/ids.h"
#include "schema/metadata.h"

/* Room for a record `lost` of every reason at a packet's start. */
#define LOST_ROOM (TANDEM_LOSS_COUNT * TANDEM_ALIGNED(sizeof(struct tandem_rec_lost)))

int linux_folder_open(struct linux_folder *folder, const char *session,
		      struct tandem_control *control, const struct perf_clock *clock)
{
	*folder = (struct linux_folder){.session = session, .control = control, .clock = clock};
	/* Every possible record must fit. */
	folder->packet_bytes = 256u * 1024;
	if (control->ring_bytes && folder->packet_bytes > control->subbuffer_bytes)
		folder->packet_bytes = control->subbuffer_bytes;
	folder->packet = malloc(folder->packet_bytes);
	if (!folder->packet || asprintf(&folder->path, "%s/" DIRECTORY_SYSTEM, session) < 0) {
		free(folder->packet);
		return -ENOMEM;
	}
	return 0;
}

void linux_folder_close(struct linux_folder *folder)
{
	linux_lasting_close(&folder->lasting);
	free(folder->packet);
	free(folder->path);
}

static int make_folder(struct linux_folder *folder)
{
	char environment[128];
	struct utsname system;

	if (mkdir(folder->path, 0700))
		return -errno;
	if (getrandom(folder->uuid, sizeof(folder->uuid), GRND_NONBLOCK) < 0)
		return -errno;
	uname(&system);
	snprintf(environment, sizeof(environment), "\tkernel_release = \"%s\";\n", system.release);
	return tandem_metadata_write(&(struct tandem_metadata){
		.dir = folder->path,
		.session = folder->session,
		.uuid = folder->uuid,
		.control = folder->control,
		.domains = TANDEM_DOMAIN_BIT(core) | TANDEM_DOMAIN_BIT(kernel),
		.environment = environment,
		.pid = (int)getpid(),
		.ppid = (int)getppid(),
	});
}

void linux_folder_make(struct linux_folder *folder)
{
	int error;

	if (folder->made)
		return;
	error = make_folder(folder);
	folder->made = error ? error : 1;
}

void linux_stream_open(struct linux_stream *stream, struct linux_folder *folder, int cpu)
{
	*stream = (struct linux_stream){
		.folder = folder, .cpu = cpu, .fd = -1, .running = UINT32_MAX};
}

void linux_stream_close(struct linux_stream *stream)
{
	if (stream->fd >= 0)
		close(stream->fd);
	stream->fd = -1;
}

static int stream_file(struct linux_stream *stream)
{
	char name[DIRECTORY_NAME_BYTES];
	struct linux_folder *folder = stream->folder;
	char *path;

	linux_folder_make(folder);
	if (folder->made < 0)
		return folder->made;
	if (stream->fd >= 0)
		return 0;
	directory_put(name, DIRECTORY_STREAM, (uint64_t)stream->cpu + 1, 0);
	if (asprintf(&path, "%s/%s", folder->path, name) < 0)
		return -ENOMEM;
	stream->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	free(path);
	return stream->fd < 0 ? -errno : 0;
}

/* As in core/stream/stream.c: the limit is of the session, with all its processes. */
static bool space_take(struct tandem_control *control, uint64_t bytes)
{
	uint64_t used = atomic_fetch_add(&control->used_bytes, bytes);

	if (!control->limit_bytes || used + bytes <= control->limit_bytes)
		return true;
	atomic_fetch_sub(&control->used_bytes, bytes);
	return false;
}

/* What is written in part says why with its rest. -EFBIG is for the session's own limit:
 * this one is a limit of the process. */
static int put(const struct linux_stream *stream, const void *data, size_t bytes, uint64_t offset)
{
	const char *next = data;

	while (bytes) {
		ssize_t written = pwrite(stream->fd, next, bytes, (off_t)offset);

		if (written < 0)
			return errno == EFBIG ? -EIO : -errno;
		if (!written)
			return -ENOSPC;
		next += written;
		bytes -= (size_t)written;
		offset += (uint64_t)written;
	}
	return 0;
}

static int field_put(const struct linux_stream *stream, uint64_t packet, size_t field,
		     uint64_t value)
{
	return put(stream, &value, sizeof(value), packet + field);
}

/* Where it begins in the ring; a disk that is full makes that smaller. */
static uint64_t ring_offset(const struct linux_stream *stream)
{
	const struct tandem_control *control = stream->folder->control;
	uint64_t subbuffer = control->subbuffer_bytes, at = stream->offset;

	if (at % subbuffer + stream->used > subbuffer)
		at += subbuffer - at % subbuffer;
	return at + stream->used > subbuffer * ring_subbuffers(control->ring_bytes,
							       control->subbuffer_bytes)
		       ? 0
		       : at;
}

#define FIELD(name) offsetof(struct tandem_packet_header, name)

/* As format/ring.h has it: what is overwritten is void before anything of it is. */
static int ring_write(struct linux_stream *stream)
{
	struct tandem_packet_header *header = (void *)stream->folder->packet;
	uint64_t at = ring_offset(stream), subbuffer = stream->folder->control->subbuffer_bytes;
	uint64_t last = stream->last_offset, end = at;
	int error;

	memcpy(header->uuid, stream->folder->uuid, sizeof(header->uuid));
	packet_end(header, stream->last_ticks, stream->content, subbuffer - at % subbuffer);
	error = field_put(stream, at, FIELD(content_bits), sizeof(*header) * 8);
	if (!error)
		error = field_put(stream, at, FIELD(packet_seq_num), header->packet_seq_num);
	if (!error)
		error = put(stream, header, stream->used, at);
	if (error)
		return error;
	if (at / subbuffer != last / subbuffer || at < last)
		end = (last / subbuffer + 1) * subbuffer;
	if (stream->sequence)
		field_put(stream, last, FIELD(packet_bits), (end - last) * 8);
	stream->last_offset = at;
	stream->offset = at + stream->used;
	if (linux_lasting_keep(&stream->folder->lasting, stream->folder->path,
			       stream->folder->packet + sizeof(*header),
			       stream->used - (uint32_t)sizeof(*header)))
		stream->folder->failures++;
	return 0;
}

static int packet_write(struct linux_stream *stream)
{
	struct tandem_packet_header *header = (void *)stream->folder->packet;
	struct tandem_control *control = stream->folder->control;
	int error = stream_file(stream);

	if (error)
		return error;
	if (control->ring_bytes)
		return ring_write(stream);
	if (!space_take(control, stream->used))
		return -EFBIG;
	/* Made with the folder, which is made with the first packet that is written. */
	memcpy(header->uuid, stream->folder->uuid, sizeof(header->uuid));
	packet_end(header, stream->last_ticks, stream->content, stream->used);
	error = put(stream, header, stream->used, stream->offset);
	if (!error)
		return 0;
	/* A packet cut in two would end the stream for every reader. */
	if (ftruncate(stream->fd, (off_t)stream->offset)) {
		/* The next packet is written at the same offset. */
	}
	atomic_fetch_sub(&control->used_bytes, stream->used);
	return error;
}

static enum tandem_loss loss_of(int error)
{
	switch (error) {
	case -ENOSPC:
	case -EDQUOT:
		return TANDEM_LOSS_disk_full;
	case -EFBIG:
		return TANDEM_LOSS_size_limit;
	case -ENOMEM:
		return TANDEM_LOSS_no_memory;
	default:
		return TANDEM_LOSS_io_error;
	}
}

void linux_stream_lost(struct linux_stream *stream, enum tandem_loss reason, uint64_t count)
{
	atomic_fetch_add(&stream->folder->control->lost[reason], count);
	stream->running = UINT32_MAX;
	stream->lost[reason] += count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
	stream->discarded += count;
}

static void collecting_note(struct linux_stream *stream)
{
	uint32_t at = sizeof(struct tandem_packet_header);

	while (at < stream->used) {
		const struct tandem_record *record = (const void *)(stream->folder->packet + at);

		if (record->id == TANDEM_KERNEL_EVENT_collecting)
			memcpy(&stream->collecting, record, sizeof(stream->collecting));
		at += TANDEM_ALIGNED((uint32_t)record->size);
	}
}

void linux_stream_flush(struct linux_stream *stream)
{
	uint32_t count = stream->count;
	int error;

	if (!stream->used)
		return;
	if (stream->folder->control->ring_bytes)
		collecting_note(stream);
	error = packet_write(stream);
	if (error) {
		stream->folder->failures++;
		linux_stream_lost(stream, loss_of(error), count);
	} else {
		for (unsigned reason = 0; reason < TANDEM_LOSS_COUNT; reason++)
			stream->lost[reason] -= stream->told[reason];
		if (!stream->folder->control->ring_bytes)
			stream->offset += stream->used;
		stream->sequence++;
		atomic_fetch_add(&stream->folder->control->records_flushed, count);
	}
	memset(stream->told, 0, sizeof(stream->told));
	stream->used = 0;
	stream->count = 0;
}

static void stream_packet_begin(struct linux_stream *stream, uint64_t ticks)
{
	struct tandem_packet_header *header = (void *)stream->folder->packet;
	char name[sizeof(header->thread_name)];

	snprintf(name, sizeof(name), "cpu %d", stream->cpu);
	packet_begin(header, stream->folder->uuid, (uint64_t)stream->cpu + 1, ticks, 0);
	packet_clock(header, &stream->folder->clock->now);
	packet_thread(header, (uint32_t)stream->cpu, name);
	header->packet_seq_num = stream->sequence;
	header->events_discarded = stream->discarded;
	stream->used = sizeof(*header);
}

static void *record_add(struct linux_stream *stream, uint16_t id, uint64_t ticks, uint32_t bytes)
{
	struct tandem_record *record = (void *)(stream->folder->packet + stream->used);

	memset(record, 0, TANDEM_ALIGNED(bytes));
	record->timestamp = ticks;
	record->id = id;
	record->size = (uint16_t)bytes;
	stream->content = stream->used + bytes;
	stream->used += TANDEM_ALIGNED(bytes);
	return record;
}

/* What a reader of a part of the stream could not tell otherwise. */
static void collecting_add(struct linux_stream *stream, uint64_t ticks)
{
	struct tandem_kernel_collecting *record = record_add(stream, TANDEM_KERNEL_EVENT_collecting,
							     ticks, sizeof(stream->collecting));
	struct tandem_record head = record->head;

	*record = stream->collecting;
	record->head = head;
	record->anew = 0;
}

static void lost_add(struct linux_stream *stream, uint64_t ticks)
{
	for (unsigned reason = 0; reason < TANDEM_LOSS_COUNT; reason++) {
		uint32_t count = stream->lost[reason] - stream->told[reason];
		struct tandem_rec_lost *record;

		if (!count)
			continue;
		record = record_add(stream, TANDEM_EVENT_lost, ticks, sizeof(*record));
		record->reason = (uint8_t)reason;
		record->count = count;
		stream->told[reason] += count;
	}
}

void *linux_stream_put(struct linux_stream *stream, uint16_t id, uint64_t ticks, uint32_t bytes)
{
	uint32_t room = TANDEM_ALIGNED(bytes) + LOST_ROOM;

	if (bytes > UINT16_MAX) {
		linux_stream_lost(stream, TANDEM_LOSS_too_large, 1);
		return NULL;
	}
	if (stream->used + room > stream->folder->packet_bytes)
		linux_stream_flush(stream);
	if (ticks < stream->last_ticks)
		ticks = stream->last_ticks;
	if (!stream->used) {
		stream_packet_begin(stream, ticks);
		if (stream->collecting.head.size)
			collecting_add(stream, ticks);
	}
	lost_add(stream, ticks);
	stream->last_ticks = ticks;
	stream->count++;
	return record_add(stream, id, ticks, bytes);
}
