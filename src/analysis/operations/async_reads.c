/* SPDX-License-Identifier: MIT */
#include "analysis/operations/async_reads.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/operations/operation.h"
#include "analysis/operations/transfer_ends.h"
#include "trace/field.h"

int async_reads_call(struct async_reads *reads, const struct trace_event *event, uint64_t call)
{
	uint64_t op = trace_event_op(event);
	struct transfer_ends ends;
	struct async_read *read;

	if (!op || trace_event_blocks(event) || trace_event_failed(event) ||
	    !transfer_ends_find(event, &ends) || !ends.host)
		return 0;
	if (!reads->reads)
		reads->reads = calloc(ASYNC_READS_MOST, sizeof(*reads->reads));
	if (!reads->reads)
		return -ENOMEM;
	read = &reads->reads[reads->count % ASYNC_READS_MOST];
	if (read->operation)
		map_remove(&reads->place_of, read->operation);
	*read = (struct async_read){
		.operation = operation_key(event->stream->process->index, op),
		.call = call,
		.buffer = ends.buffer,
		.host = ends.host,
	};
	return map_set(&reads->place_of, read->operation, reads->count++ % ASYNC_READS_MOST);
}

const struct async_read *async_reads_find(const struct async_reads *reads, uint32_t process,
					  uint64_t op)
{
	uint64_t place = map_get(&reads->place_of, operation_key(process, op));

	return place == MAP_NONE ? NULL : &reads->reads[place];
}

void async_reads_free(struct async_reads *reads)
{
	map_free(&reads->place_of);
	free(reads->reads);
	*reads = (struct async_reads){.count = 0};
}
