/* SPDX-License-Identifier: MIT */
/* The index pass of a stream: reads every packet's header and no records. Fills
 * the stream's numbers and gives the clock its pairs. One thread. */
#ifndef TANDEM_TRACE_INDEX_H
#define TANDEM_TRACE_INDEX_H

#include "trace/clock.h"
#include "trace/stream/stream.h"

/* Problems that only a full pass would tell twice are left to it. */
void trace_stream_index(struct trace_stream *stream, struct trace_clock *clock);

#endif
