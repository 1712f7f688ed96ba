/* SPDX-License-Identifier: MIT */
/* A session's processes and streams, written from events that another tool has recorded.
 * The clock is CLOCK_MONOTONIC: ticks are ns. Records of a stream come in the order of
 * time; a call is put when it begins and completed when it ends. One thread.
 *
 *	struct session_writer *writer = session_writer_create("OUT", true, &hosts);
 *	struct session_stream *stream = session_writer_stream(writer, pid, tid, "app");
 *	uint64_t place = session_stream_put(stream, id, ns, bytes, count);
 *
 *	session_stream_end(stream, place, result, end_ns, returned, returned_bytes);
 *	error = session_writer_destroy(writer);
 */
#ifndef TANDEM_TRACE_LTTNG_SESSION_WRITER_H
#define TANDEM_TRACE_LTTNG_SESSION_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/control.h"
#include "trace/external/hosts/hosts.h"

struct session_writer;
struct session_stream;

#define SESSION_NOWHERE UINT64_MAX

/* `path`: an existing folder, into which process folders go; with `whole` the control page
 * and session.json as well. `hosts`: who recorded it, borrowed; more may come, and pids are
 * theirs (hosts_id()), as times are the first one's. NULL when memory runs out. */
struct session_writer *session_writer_create(const char *path, bool whole,
					     const struct hosts *hosts);

/* The process's calls have arguments of one of these levels (bits); of all that is said, what
 * agrees counts, and what doesn't is passed over. */
void session_writer_levels(struct session_writer *writer, uint32_t pid, unsigned levels);

/* The thread's stream; its folder and file are made when they are first asked for. NULL
 * when memory runs out. Belongs to the writer. */
struct session_stream *session_writer_stream(struct session_writer *writer, uint32_t pid,
					     uint32_t tid, const char *procname);

/* A record: `bytes` of `count` behind the header (of a call, behind result and end). Returns
 * its place, or SESSION_NOWHERE: it does not fit into a record. */
uint64_t session_stream_put(struct session_stream *stream, uint16_t id, bool call, uint64_t ns,
			    const void *bytes, size_t count);

/* The call put at `place` has ended. `returned` goes to where its arguments begin. */
void session_stream_end(struct session_stream *stream, uint64_t place, int32_t result, uint64_t ns,
			const void *returned, size_t returned_bytes);

/* Something was recorded then, of which no record is written. */
void session_writer_moment(struct session_writer *writer, uint64_t ns);

/* So many records are missing before the next one of any stream of the process. */
void session_writer_lost(struct session_writer *writer, uint64_t count);

/* Writes what there is so far: the folder is a session that still runs, and calls under way end in
 * it later. With `whole` only. 0, or the -errno of the first thing that failed. */
int session_writer_flush(struct session_writer *writer);

/* Writes the rest. 0, or the -errno of the first thing that failed. */
int session_writer_destroy(struct session_writer *writer);

#endif
