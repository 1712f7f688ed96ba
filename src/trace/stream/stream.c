/* SPDX-License-Identifier: MIT */
#include "trace/stream/stream.h"

#include <stdlib.h>

void trace_stream_free(struct trace_stream *stream)
{
	if (stream->shares_paths)
		return;
	for (size_t i = 0; i < stream->part_count; i++)
		free(stream->part_paths[i]);
	free(stream->part_paths);
	free(stream->stream_path);
	free(stream->window_path);
}
