/* SPDX-License-Identifier: MIT */
#include "trace/stream/packets.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/session/process.h"
#include "trace/session/session.h"

#define HEADER_BYTES sizeof(struct tandem_packet_header)
#define SEARCH_BYTES 65536u
#define SNAPSHOT_TRIES 100

/* A header with the first record's head behind it, as one read gets them. */
struct head {
	struct tandem_packet_header packet;
	struct tandem_record record;
	uint32_t padding;
};

/* Why a header cannot be believed, or NULL. Everything that later arithmetic
 * relies on is checked here. */
static const char *header_damage(const struct tandem_packet_header *header,
				 const struct trace_process *process)
{
	if (header->magic != TANDEM_CTF_MAGIC)
		return "no packet begins here";
	if (header->stream_id != 0)
		return "a packet of another kind of stream";
	if (process->has_uuid && memcmp(header->uuid, process->uuid, sizeof(process->uuid)) != 0)
		return "a packet of another trace";
	if (header->packet_bits % 8 || header->content_bits % 8)
		return "a packet whose size is not a whole number of bytes";
	if (header->content_bits < HEADER_BYTES * 8)
		return "a packet smaller than its header";
	if (header->content_bits > header->packet_bits)
		return "a packet with more content than room";
	return NULL;
}

static uint64_t file_bytes(struct trace_file *file)
{
	int64_t size = trace_file_size(file);

	return size > 0 ? (uint64_t)size : 0;
}

void trace_packets_open(struct trace_packets *packets, const struct trace_stream *stream,
			struct trace_problems *problems)
{
	struct trace_files *files = stream->process->files;

	*packets = (struct trace_packets){
		.stream = stream,
		.problems = problems,
		.stream_file = {.files = files, .path = stream->stream_path, .fd = -1},
		.window_file = {.files = files, .path = stream->window_path, .fd = -1},
		.size = stream->stream_bytes,
		.window_begun = !stream->has_window,
	};
	packets->file = &packets->stream_file;
	if (!stream->shares_paths)
		return;
	packets->begun = true;
	packets->last_seq_num = stream->first_seq_num - 1;
	packets->next = stream->first_offset;
	packets->part = stream->first_part;
	if (packets->part) {
		packets->stream_file.path = stream->part_paths[packets->part - 1];
		packets->size = file_bytes(&packets->stream_file);
	}
}

/* Reads the head at `offset`. Returns the damage, or NULL. */
static const char *packets_read(struct trace_packets *packets, struct trace_file *file,
				uint64_t offset, struct head *head)
{
	ssize_t got;

	memset(head, 0, sizeof(*head));
	got = trace_file_read(file, head, sizeof(*head), offset);
	if (got < 0)
		return strerror((int)-got);
	if ((size_t)got < HEADER_BYTES)
		return "the file ends in a packet's header";
	return header_damage(&head->packet, packets->stream->process);
}

/* Makes the packet with this head the current one. */
static void packets_take(struct trace_packets *packets, struct trace_file *file, uint64_t offset,
			 uint64_t file_bytes, const struct head *head)
{
	uint64_t content = head->packet.content_bits / 8;
	uint64_t there = file_bytes - offset;

	packets->file = file;
	packets->header = head->packet;
	packets->first_ticks = content > HEADER_BYTES ? head->record.timestamp : 0;
	packets->offset = offset;
	packets->records = offset + HEADER_BYTES;
	packets->missing_bytes = content > there ? content - there : 0;
	packets->cut = head->packet.packet_bits / 8 > there;
	packets->content_end = offset + content - packets->missing_bytes;
}

/* Searches stream-K for a sound header from `from` on; its offset, or the end. */
static uint64_t packets_search(struct trace_packets *packets, uint64_t from)
{
	struct trace_file *file = &packets->stream_file;
	char *block = malloc(SEARCH_BYTES);
	uint64_t at = (from + 7) & ~UINT64_C(7);
	uint64_t found = packets->size;

	while (block && at + HEADER_BYTES <= packets->size && found == packets->size) {
		ssize_t got = trace_file_read(file, block, SEARCH_BYTES, at);
		uint64_t step = 0;

		if (got < (ssize_t)HEADER_BYTES)
			break;
		/* Heads that reach over the block's end are seen in the next one. */
		for (; step + HEADER_BYTES <= (uint64_t)got; step += 8) {
			struct tandem_packet_header header;

			memcpy(&header, block + step, sizeof(header));
			if (!header_damage(&header, packets->stream->process)) {
				found = at + step;
				break;
			}
		}
		at += step;
	}
	free(block);
	return found < packets->size ? found : packets->size;
}

/* Compares the numbers of this packet and the last; whether it is to be read. */
static bool packets_in_sequence(struct trace_packets *packets, const struct head *head,
				struct trace_file *file, uint64_t offset)
{
	uint64_t seq_num = head->packet.packet_seq_num;
	uint64_t last = packets->last_seq_num;

	if (!packets->begun) {
		if (seq_num)
			trace_problem(packets->problems, file->path, offset,
				      "the first %" PRIu64 " packets are missing", seq_num);
		return true;
	}
	if (seq_num == last)
		trace_problem(packets->problems, file->path, offset,
			      "packet %" PRIu64 " for the second time; the first is kept", seq_num);
	else if (seq_num < last)
		trace_problem(packets->problems, file->path, offset,
			      "packet %" PRIu64 " comes after packet %" PRIu64, seq_num, last);
	else if (seq_num - last > 1)
		trace_problem(packets->problems, file->path, offset,
			      "packets %" PRIu64 " to %" PRIu64 " are missing", last + 1,
			      seq_num - 1);
	return seq_num != last;
}

/* Tells that the last packet of stream-K was cut off, unless the window has it
 * whole: a process killed while it appended its window leaves both. */
static void packets_tell_cut(struct trace_packets *packets)
{
	if (!packets->cut)
		return;
	packets->cut = false;
	if (packets->missing_bytes)
		trace_problem_skip(packets->problems, packets->file->path, packets->content_end,
				   packets->missing_bytes,
				   "cut off: the last %" PRIu64 " bytes of a packet are missing",
				   packets->missing_bytes);
	else
		trace_problem(packets->problems, packets->file->path, packets->content_end,
			      "the file ends before its last packet does; no record is missing");
}

/* A size that was noted while a packet was being appended cuts it in two: it is
 * read as a whole if it is whole by now. */
static void packets_extend(struct trace_packets *packets, uint64_t packet_end)
{
	int64_t size;

	if (packet_end <= packets->size)
		return;
	size = trace_file_size(&packets->stream_file);
	if (size > 0 && (uint64_t)size >= packet_end)
		packets->size = packet_end;
}

static bool all_zero(const void *bytes, size_t count)
{
	const unsigned char *byte = bytes;

	while (count && !byte[count - 1])
		count--;
	return !count;
}

/* A packet that was being appended when the process was killed: the window has it. */
static bool packets_begun(struct trace_packets *packets, const struct head *head)
{
	struct head window;

	return packets->stream->has_window &&
	       !packets_read(packets, &packets->window_file, 0, &window) &&
	       packet_is_partial(&head->packet, &window.packet, packets->size - packets->next);
}

/* The process has ended since the size was noted, and has cut what was reserved behind its
 * last packet. */
static bool packets_ended(struct trace_packets *packets)
{
	return packets->begun && file_bytes(&packets->stream_file) == packets->next;
}

/* The next packet of stream-K. Returns 1, or 0 when there is no further one. */
static int packets_next_in_stream(struct trace_packets *packets, uint64_t reached)
{
	struct trace_file *file = &packets->stream_file;

	while (packets->next < packets->size) {
		struct head head;
		const char *damage = packets_read(packets, file, packets->next, &head);
		uint64_t at = packets->next, found;

		/* Without all of its header, a packet has number 0, if any. */
		if ((damage || !head.packet.packet_seq_num) && packets_begun(packets, &head)) {
			packets->next = packets->size;
			break;
		}
		if (damage && packets_ended(packets)) {
			packets->size = packets->next;
			break;
		}
		if (!damage && packets_in_sequence(packets, &head, file, at)) {
			packets_extend(packets, at + head.packet.packet_bits / 8);
			packets_take(packets, file, at, packets->size, &head);
			packets->next = at + head.packet.packet_bits / 8;
			packets->begun = true;
			packets->last_seq_num = head.packet.packet_seq_num;
			return 1;
		}
		if (!damage) {
			packets->next = at + head.packet.packet_bits / 8;
			reached = at + HEADER_BYTES;
			continue;
		}
		/* The size that led here may be the damaged one, so the search
		 * starts in the packet before, where records ended. */
		found = packets_search(packets, reached > at ? at + 8 : reached);
		trace_problem_skip(packets->problems, file->path, at, found > at ? found - at : 0,
				   "%s; the next packet is at byte "
				   "%" PRIu64,
				   damage, found);
		packets->next = found;
		reached = found;
	}
	return 0;
}

/* A packet that reaches beyond the file may have a damaged size that hides
 * others: whether there is one between *reached and the end. */
static bool packets_hidden(struct trace_packets *packets, uint64_t *reached)
{
	uint64_t found;

	if (packets->next <= packets->size || packets->file != &packets->stream_file)
		return false;
	found = packets_search(packets, *reached);
	packets->next = found;
	if (found >= packets->size)
		return false;
	trace_problem(packets->problems, packets->stream_file.path, packets->offset,
		      "a packet larger than the file; the next one is at byte %" PRIu64, found);
	packets->cut = false;
	*reached = found + HEADER_BYTES;
	return true;
}

/* Goes on in the next part of the stream. */
static bool packets_next_part(struct trace_packets *packets, uint64_t *reached)
{
	const struct trace_stream *stream = packets->stream;

	if (packets->part == stream->part_count)
		return false;
	packets_tell_cut(packets);
	trace_file_close(&packets->stream_file);
	packets->stream_file.path = stream->part_paths[packets->part++];
	packets->size = file_bytes(&packets->stream_file);
	packets->next = 0;
	*reached = 0;
	return true;
}

/* Where the window's packet is now: in window-K, or at the end of stream-K as
 * the window was appended since; it may have been under way when that was noted. */
static const char *packets_find_window(struct trace_packets *packets, struct head *head,
				       struct trace_file **file, uint64_t *offset)
{
	const struct trace_stream *stream = packets->stream;
	const char *damage = packets_read(packets, &packets->window_file, 0, head);
	bool begun = packets->begun && packets->last_seq_num == stream->window_seq_num;
	struct head appended;

	packets->window_at = begun ? packets->offset : stream->stream_bytes;

	*file = &packets->window_file;
	*offset = 0;
	if (!damage && head->packet.packet_seq_num == stream->window_seq_num)
		return NULL;
	if (!packets_read(packets, &packets->stream_file, packets->window_at, &appended) &&
	    appended.packet.packet_seq_num == stream->window_seq_num) {
		*head = appended;
		*file = &packets->stream_file;
		*offset = packets->window_at;
		return NULL;
	}
	return damage;
}

static int packets_next_in_window(struct trace_packets *packets, uint64_t reached)
{
	struct trace_file *file = NULL;
	uint64_t offset = 0, resume = 0;
	struct head head;
	const char *damage;
	int64_t size;
	bool same;

	packets->window_begun = true;
	/* It was appended before it was noted: its content is set last. */
	if (packets->begun && packets->last_seq_num == packets->stream->window_seq_num &&
	    !packets->missing_bytes && packets->header.content_bits > HEADER_BYTES * 8) {
		packets_tell_cut(packets);
		return 0;
	}
	damage = packets_find_window(packets, &head, &file, &offset);
	if (damage) {
		packets_tell_cut(packets);
		/* A window that was made and never begun is empty, or holds zeros. */
		size = trace_file_size(file);
		if ((size || packets->begun) &&
		    (size < (int64_t)HEADER_BYTES || !all_zero(&head.packet, HEADER_BYTES)))
			trace_problem_skip(packets->problems, file->path, offset,
					   size > 0 ? (uint64_t)size : 0, "%s", damage);
		return 0;
	}
	same = packets->begun && head.packet.packet_seq_num == packets->last_seq_num;
	/* A process killed while it appended its window leaves the packet in both,
	 * in stream-K without its content. */
	if (same && !packets->missing_bytes &&
	    head.packet.content_bits <= packets->header.content_bits)
		return 0;
	if (same) {
		resume = reached - packets->offset;
	} else {
		packets_tell_cut(packets);
		packets_in_sequence(packets, &head, file, offset);
	}
	size = trace_file_size(file);
	packets_take(packets, file, offset, size > (int64_t)offset ? (uint64_t)size : offset,
		     &head);
	if (same && resume > HEADER_BYTES && offset + resume <= packets->content_end)
		packets->records = offset + resume;
	packets->begun = true;
	packets->last_seq_num = head.packet.packet_seq_num;
	return 1;
}

/* The next thread's packets begin here, unless this is the same one's. */
static int packets_of_thread(struct trace_packets *packets)
{
	const struct trace_stream *stream = packets->stream;

	if (!stream->one_thread || packets->header.tid == stream->tid ||
	    packets->content_end == packets->records)
		return 1;
	packets->next = packets->size;
	packets->part = stream->part_count;
	packets->cut = false;
	packets->content_end = packets->records = packets->offset;
	return 0;
}

int trace_packets_next(struct trace_packets *packets, uint64_t reached)
{
	do {
		if (packets_next_in_stream(packets, reached))
			return packets_of_thread(packets);
	} while (packets_hidden(packets, &reached) || packets_next_part(packets, &reached));
	if (!packets->window_begun)
		return packets_next_in_window(packets, reached);
	packets_tell_cut(packets);
	return 0;
}

bool trace_packets_follow(struct trace_packets *packets, uint64_t *moved)
{
	uint64_t at = packets->window_at;
	struct head head;
	int64_t size;

	*moved = 0;
	if (packets->file != &packets->window_file)
		return true;
	if (!packets_read(packets, &packets->window_file, 0, &head) &&
	    head.packet.packet_seq_num == packets->header.packet_seq_num)
		return true;
	if (packets_read(packets, &packets->stream_file, at, &head) ||
	    head.packet.packet_seq_num != packets->header.packet_seq_num)
		return false;
	size = trace_file_size(&packets->stream_file);
	packets_take(packets, &packets->stream_file, at, size > (int64_t)at ? (uint64_t)size : at,
		     &head);
	*moved = at;
	return true;
}

void trace_packets_close(struct trace_packets *packets)
{
	trace_file_close(&packets->stream_file);
	trace_file_close(&packets->window_file);
}

/* Size of a file that may be absent, which is no problem: 0. */
static uint64_t size_or_none(struct trace_file *file, struct trace_problems *problems)
{
	int64_t size = trace_file_size(file);

	if (size < 0 && size != -ENOENT)
		trace_problem(problems, file->path, 0, "cannot be read: %s", strerror((int)-size));
	return size > 0 ? (uint64_t)size : 0;
}

void trace_packets_snapshot(struct trace_stream *stream, struct trace_problems *problems)
{
	struct trace_packets packets;
	struct head head;

	trace_packets_open(&packets, stream, problems);
	/* The window's packet may move into stream-K between two looks. */
	for (int tries = 0; tries < SNAPSHOT_TRIES; tries++) {
		stream->stream_bytes = size_or_none(&packets.stream_file, problems);
		stream->has_window = trace_file_size(&packets.window_file) != -ENOENT;
		if (!stream->has_window)
			break;
		packets_read(&packets, &packets.window_file, 0, &head);
		stream->window_seq_num = head.packet.packet_seq_num;
		if (size_or_none(&packets.stream_file, problems) == stream->stream_bytes)
			break;
	}
	trace_packets_close(&packets);
}
