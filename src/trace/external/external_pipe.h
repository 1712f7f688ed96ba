/* SPDX-License-Identifier: MIT */
/* External events from one process to another, by a pipe: libbabeltrace2 ends the process
 * that gives it metadata which it does not understand, so it gets one of its own.
 *
 *	child:	struct external_sink sink = external_pipe_sink(file);
 *		status = read(path, &sink, why, sizeof(why));
 *		external_pipe_end(file, status, why);
 *	parent:	status = external_pipe_read(file, &sink, why, sizeof(why));
 */
#ifndef TANDEM_TRACE_EXTERNAL_PIPE_H
#define TANDEM_TRACE_EXTERNAL_PIPE_H

#include <stddef.h>
#include <stdio.h>

#include "trace/external/external_event.h"

/* A sink that writes what it gets. Events of drivers are not among it: readers of CTF
 * have none. */
struct external_sink external_pipe_sink(FILE *file);

/* The reader's own result, with words where there are any. */
void external_pipe_end(FILE *file, int status, const char *why);

/* Hands everything on. Returns what the sink returned if that is not 0, what
 * external_pipe_end() was given, or -EPIPE: the writer ended without it. */
int external_pipe_read(FILE *file, const struct external_sink *sink, char *why, size_t why_bytes);

#endif
