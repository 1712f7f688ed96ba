/* SPDX-License-Identifier: MIT */
/* One stream may hold several threads, one after another: a thread that begins goes on
 * with the stream of one that has ended, in a packet of its own, which says its number.
 * For the reader each is a stream: this finds where they begin. */
#ifndef TANDEM_TRACE_THREADS_H
#define TANDEM_TRACE_THREADS_H

#include "trace/session/process.h"

/* Splits the streams of the process by thread, and leaves out those that were made for
 * threads that never came. Reads the headers of all packets. Without memory, streams stay
 * as they are. Before any of them is indexed. */
void trace_process_split_threads(struct trace_process *process);

#endif
