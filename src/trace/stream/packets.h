/* SPDX-License-Identifier: MIT */
/* The packets of one stream in their order: those of stream-K, then the one of
 * window-K unless it is the same as the last (format/packet.h). Every header is
 * checked before it is believed; where one is damaged, the next sound one is
 * searched for. Borrows the stream; one thread.
 *
 *	struct trace_packets packets;
 *	trace_packets_open(&packets, stream, problems);
 *	while (trace_packets_next(&packets, packets.content_end) > 0)
 *		... packets.header, packets.records .. packets.content_end
 *	trace_packets_close(&packets);
 */
#ifndef TANDEM_TRACE_PACKETS_H
#define TANDEM_TRACE_PACKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "format/packet.h"
#include "schema/record.h"
#include "trace/stream/file.h"
#include "trace/stream/problems.h"
#include "trace/stream/stream.h"

struct trace_packets {
	const struct trace_stream *stream;
	struct trace_problems *problems; /* NULL: problems are discarded */
	struct trace_file stream_file, window_file;
	struct trace_file *file; /* of the current packet */
	size_t part;		 /* which of the stream's parts stream_file is; 0: stream-K */
	uint64_t size;		 /* bytes of stream-K that are read */
	uint64_t next;		 /* where the next packet should be */
	bool begun, window_begun;
	uint64_t last_seq_num;
	uint64_t window_at; /* where in stream-K the window's packet is appended */

	/* The current packet; offsets in `file`. */
	struct tandem_packet_header header;
	uint64_t first_ticks; /* of its first record, 0: has none */
	uint64_t offset;
	uint64_t records;	/* where its records begin, or are taken up again */
	uint64_t content_end;	/* within the file */
	uint64_t missing_bytes; /* of its content, behind the end of the file */
	bool cut;		/* it reaches behind the end, not yet told */
};

void trace_packets_open(struct trace_packets *packets, const struct trace_stream *stream,
			struct trace_problems *problems);

/* Goes to the next packet. `reached` is the offset up to which the current one
 * made sense (content_end, if it all did): a search starts there. Returns 1, or
 * 0 at the end. Never fails: what cannot be read is a problem, and over. */
int trace_packets_next(struct trace_packets *packets, uint64_t reached);

/* For a packet in a window that was appended to stream-K while it was being
 * read: goes on with the copy there, same place in the packet. Returns whether
 * the packet is still readable; all offsets may have changed by *moved. */
bool trace_packets_follow(struct trace_packets *packets, uint64_t *moved);

void trace_packets_close(struct trace_packets *packets);

/* Notes in the stream what there is to read now. */
void trace_packets_snapshot(struct trace_stream *stream, struct trace_problems *problems);

#endif
