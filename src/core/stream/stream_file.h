/* SPDX-License-Identifier: MIT */
/* The files of the streams: made, mapped, and filled from the front.
 *
 * A stream-K has its final size from the start, without blocks, and is mapped as a
 * whole; blocks are reserved ahead of the records, some at a time. That takes no
 * descriptor (fdtable.h says why none may be used), no path and no write: it works
 * after chroot, setuid and closefrom. The last packet of the file always reaches to
 * its end, so that the file is whole packets at every moment.
 *
 * Making files takes a child with descriptors of its own, so they are made several
 * at a time, each under another name until it holds a packet, and kept for threads
 * to come. Every function may be called with signals blocked only, and returns 0 or
 * -errno with nothing changed.
 */
#ifndef TANDEM_CORE_STREAM_FILE_H
#define TANDEM_CORE_STREAM_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/stream/stream_reserve.h"
#include "format/packet.h"

/* Whether another session has begun since. */
bool stream_file_is_over(const struct stream_file *file);

/* A stream that a thread has left; or a file with one empty packet (sequence number 0,
 * `packet` NULL), which was made ahead, or is new, with more for the next threads. */
int stream_file_take(struct stream_file **file);

/* A number that no stream of the process has. */
uint32_t stream_file_number(void);

/* Leaves the stream to a thread to come. False: there are enough of them. */
bool stream_file_leave(struct stream_file *file);

/* A further file of the stream whose last one is `last`; its first packet has that
 * sequence number. */
int stream_file_continue(const struct stream_file *last, uint64_t sequence,
			 struct stream_file **file);

/* Makes ready what can't be made any more in a sandbox: more of the file, and files for
 * threads to come. */
void stream_files_prepare(struct stream_file *file);

/* Takes the file away: nobody has recorded into it, or it can't be kept. */
void stream_file_discard(struct stream_file *file);

/* Cuts the file at `bytes`, where its last packet begins, unmaps and forgets it. */
void stream_file_close(struct stream_file *file, uint64_t bytes);

/* Cuts the streams that were left and removes those that were made ahead. At the
 * process's end. */
void stream_files_close(void);

/* Ends the current packet of `file`, `last`, where its records end and begins the next
 * one there, an empty one of the same stream. Its thread is the caller's to write. */
struct tandem_packet_header *stream_file_next_packet(struct stream_file *file,
						     struct tandem_packet_header *last);

/* In the child of a fork: the parent's files are the parent's. */
void stream_files_forget(void);

/* The header of an empty packet of `bytes` that begins now. Sequence number, thread and
 * losses are the caller's. */
void stream_packet_begin(struct tandem_packet_header *header, uint64_t stream, uint64_t bytes);

#endif
