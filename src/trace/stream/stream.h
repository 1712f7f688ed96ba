/* SPDX-License-Identifier: MIT */
/* One thread of one process, as it is on disk: its packets in stream-K, and stream-K.2, .3 where it
 * outgrew that. Older sessions have finished packets only in stream-K, and in window-K
 * the packet that was being written (doc/FORMAT.md, "Older sessions"). The index
 * reads headers only; records are read by trace/records.h. Owned by the process,
 * which the session owns.
 */
#ifndef TANDEM_TRACE_STREAM_H
#define TANDEM_TRACE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_process;

struct trace_stream {
	struct trace_process *process;	 /* borrowed */
	uint64_t number;		 /* K */
	char *stream_path, *window_path; /* either may not exist */
	unsigned part;			 /* while the folder is read: of this file, 0 or from 2 */
	char **part_paths; /* of stream-K.2 and so on, as far as they exist, in order */
	size_t part_count, part_capacity;

	/* One of several threads that used these files (threads.h): its packets are those
	 * with its tid from here on. */
	bool one_thread, shares_paths, unused;
	size_t first_part;
	uint64_t first_offset, first_seq_num;
	unsigned index; /* among all streams of the session */

	/* What there was to read when the session was opened, so that a session
	 * that still runs is read as of one moment: so many bytes of stream-K,
	 * then the packet that window-K held. If that was appended to stream-K
	 * since, it lies there at stream_bytes. */
	uint64_t stream_bytes;
	bool has_window;
	uint64_t window_seq_num;

	/* From the index; names and numbers are of the last packet. */
	uint32_t tid;
	char thread_name[17];
	uint64_t packets;
	uint64_t content_bytes;
	uint64_t first_ticks; /* of the first record; UINT64_MAX: has none */
	uint64_t last_ticks;
	uint64_t discarded; /* events, as the packets count them */
};

/* Frees what the stream owns. */
void trace_stream_free(struct trace_stream *stream);

#endif
