/* SPDX-License-Identifier: MIT */
#include "trace/stream/threads.h"

#include <stdlib.h>

#include "trace/session/session.h"
#include "trace/stream/packets.h"
#include "util/array.h"

struct split {
	struct trace_stream *streams;
	size_t count, capacity;
	bool failed;
};

static struct trace_stream *split_add(struct split *split, const struct trace_stream *stream)
{
	if (split->failed || array_reserve(&split->streams, &split->capacity, split->count + 1,
					   sizeof(*split->streams))) {
		split->failed = true;
		return NULL;
	}
	split->streams[split->count] = *stream;
	return &split->streams[split->count++];
}

static bool is_unused(const struct trace_packets *packets, uint64_t count)
{
	return count == 1 && !packets->header.packet_seq_num && !packets->stream->part_count &&
	       packets->header.content_bits == sizeof(packets->header) * 8 &&
	       packets->offset + packets->header.packet_bits / 8 == packets->stream->stream_bytes;
}

static void stream_split(struct split *split, struct trace_stream *stream)
{
	struct trace_packets packets;
	size_t first = split->count;
	uint64_t count = 0;
	uint32_t tid = 0;

	trace_packets_snapshot(stream, NULL);
	trace_packets_open(&packets, stream, NULL);
	while (!stream->has_window && trace_packets_next(&packets, packets.content_end) > 0) {
		const struct tandem_packet_header *header = &packets.header;
		struct trace_stream *run;

		count++;
		if (packets.content_end == packets.records ||
		    (split->count > first && header->tid == tid))
			continue;
		run = split_add(split, stream);
		if (!run)
			break;
		tid = header->tid;
		run->one_thread = true;
		run->tid = tid;
		/* What comes before the first thread's packets is its. */
		if (split->count == first + 1)
			continue;
		run->shares_paths = true;
		run->first_part = packets.part;
		run->first_offset = packets.offset;
		run->first_seq_num = header->packet_seq_num;
	}
	stream->unused = split->count == first && is_unused(&packets, count);
	if (split->count == first && !stream->unused)
		split_add(split, stream);
	else if (split->count == first + 1)
		split->streams[first].one_thread = false;
	trace_packets_close(&packets);
}

void trace_process_split_threads(struct trace_process *process)
{
	struct split split = {.count = 0};

	for (size_t i = 0; i < process->stream_count; i++)
		stream_split(&split, &process->streams[i]);
	if (split.failed) {
		free(split.streams);
		return;
	}
	for (size_t i = 0; i < process->stream_count; i++)
		if (process->streams[i].unused)
			trace_stream_free(&process->streams[i]);
	free(process->streams);
	process->streams = split.streams;
	process->stream_count = split.count;
	process->stream_capacity = split.capacity;
}
