/* SPDX-License-Identifier: MIT */
#include "trace/stream/index.h"

#include <string.h>

#include "trace/session/process.h"
#include "trace/session/session.h"
#include "trace/stream/packets.h"

void trace_stream_index(struct trace_stream *stream, struct trace_clock *clock)
{
	struct trace_packets packets;

	trace_packets_snapshot(stream, stream->process->session->problems);
	trace_packets_open(&packets, stream, NULL);
	while (trace_packets_next(&packets, packets.content_end) > 0) {
		const struct tandem_packet_header *header = &packets.header;

		stream->packets++;
		stream->content_bytes += packets.content_end - packets.records;
		if (!stream->one_thread)
			stream->tid = header->tid;
		memcpy(stream->thread_name, header->thread_name, sizeof(header->thread_name));
		if (header->events_discarded > stream->discarded)
			stream->discarded = header->events_discarded;
		/* Of two that say when it begins, one may be damaged. The merge must
		 * not take the stream up too late; too early does no harm. */
		if (packets.first_ticks && packets.first_ticks < stream->first_ticks)
			stream->first_ticks = packets.first_ticks;
		if (packets.first_ticks && header->timestamp_begin < stream->first_ticks)
			stream->first_ticks = header->timestamp_begin;
		if (header->timestamp_end > stream->last_ticks)
			stream->last_ticks = header->timestamp_end;
		trace_clock_add(clock, header->ticks, header->monotonic_ns, header->ticks_error);
	}
	trace_packets_close(&packets);
}
