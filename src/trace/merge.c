#include "trace/merge.h"

#include <errno.h>
#include <stdlib.h>

#include "trace/records.h"

#define BLOCK_LEAST_BYTES 4096u
#define BLOCK_MOST_BYTES (256u << 10)

static bool entry_before(const struct trace_merge_entry *a, const struct trace_merge_entry *b)
{
	return a->ticks < b->ticks || (a->ticks == b->ticks && a->index < b->index);
}

/* Puts `entry` where it belongs, from the hole at `at` downwards. */
static void heap_sift(struct trace_merge *merge, size_t at, struct trace_merge_entry entry)
{
	struct trace_merge_entry *heap = merge->heap;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= merge->count)
			break;
		if (child + 1 < merge->count && entry_before(&heap[child + 1], &heap[child]))
			child++;
		if (!entry_before(&heap[child], &entry))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = entry;
}

/* Up to when heap[0] stays the first without another look. */
static void heap_limit(struct trace_merge *merge)
{
	const struct trace_merge_entry *second = &merge->heap[1];

	if (merge->count < 2) {
		merge->limit = UINT64_MAX;
		return;
	}
	if (merge->count > 2 && entry_before(&merge->heap[2], second))
		second = &merge->heap[2];
	/* At the same tick the lower index goes first. */
	if (merge->heap[0].index < second->index)
		merge->limit = second->ticks;
	else
		merge->limit = second->ticks ? second->ticks - 1 : 0;
}

int trace_merge_open(struct trace_merge *merge, struct trace_session *session,
		     uint64_t skip_before)
{
	size_t room = session->stream_count + 1;

	*merge = (struct trace_merge){
		.session = session,
		.skip_before = skip_before,
		.streams = calloc(room, sizeof(*merge->streams)),
		.records = calloc(room, sizeof(*merge->records)),
		.heap = calloc(room, sizeof(*merge->heap)),
		.block_bytes = MERGE_BLOCKS_BYTES / room,
	};
	if (!merge->streams || !merge->records || !merge->heap) {
		trace_merge_close(merge);
		return -ENOMEM;
	}
	if (merge->block_bytes < BLOCK_LEAST_BYTES)
		merge->block_bytes = BLOCK_LEAST_BYTES;
	if (merge->block_bytes > BLOCK_MOST_BYTES)
		merge->block_bytes = BLOCK_MOST_BYTES;
	for (size_t i = 0; i < session->process_count; i++) {
		struct trace_process *process = &session->processes[i];

		for (size_t j = 0; j < process->stream_count; j++) {
			struct trace_stream *stream = &process->streams[j];

			merge->streams[stream->index] = stream;
			/* Streams without a sound packet are visited too, last:
			 * what is wrong with them is told there. */
			merge->heap[merge->count++] = (struct trace_merge_entry){
				stream->first_ticks, stream->index};
		}
	}
	for (size_t i = merge->count / 2; i-- > 0;)
		heap_sift(merge, i, merge->heap[i]);
	return 0;
}

static void merge_end_stream(struct trace_merge *merge, uint32_t index)
{
	struct trace_records *records = merge->records[index];

	if (records) {
		merge->read_bytes += records->read_bytes;
		trace_records_close(records);
		free(records);
		merge->records[index] = NULL;
	}
	merge->count--;
	if (merge->count)
		heap_sift(merge, 0, merge->heap[merge->count]);
}

/* Reads the first record of the stream at heap[0]. */
static int merge_begin_stream(struct trace_merge *merge, uint32_t index)
{
	struct trace_records *records = malloc(sizeof(*records));
	int status;

	if (!records)
		return -ENOMEM;
	status = trace_records_open(records, merge->streams[index], merge->block_bytes,
				    merge->skip_before);
	if (status) {
		free(records);
		return status;
	}
	merge->records[index] = records;
	return trace_records_next(records);
}

/* Brings a stream whose current record is still to be handed out to heap[0]. */
static int merge_settle(struct trace_merge *merge)
{
	while (merge->count) {
		struct trace_merge_entry top = merge->heap[0];
		int status;

		if (merge->records[top.index]) {
			merge->current = merge->records[top.index];
			heap_limit(merge);
			return 1;
		}
		status = merge_begin_stream(merge, top.index);
		if (status < 0)
			return status;
		if (!status) {
			merge_end_stream(merge, top.index);
			continue;
		}
		/* The first record may be later than the index promised, when
		 * packets are skipped, or (damaged) earlier. */
		top.ticks = merge->records[top.index]->event.ticks;
		heap_sift(merge, 0, top);
	}
	merge->current = NULL;
	return 0;
}

int trace_merge_next(struct trace_merge *merge, const struct trace_event **event)
{
	struct trace_records *records = merge->current;
	int status = 1;

	if (records) {
		status = trace_records_next(records);
		if (status < 0)
			return status;
		if (!status) {
			merge_end_stream(merge, records->stream->index);
			status = merge_settle(merge);
		} else if (records->event.ticks > merge->limit) {
			heap_sift(merge, 0,
				  (struct trace_merge_entry){records->event.ticks,
							     records->stream->index});
			status = merge_settle(merge);
		}
	} else {
		status = merge_settle(merge);
	}
	if (status <= 0)
		return status;
	records = merge->current;
	records->event.ns = trace_clock_ns(&merge->session->clock, records->event.ticks);
	*event = &records->event;
	return 1;
}

uint64_t trace_merge_read_bytes(const struct trace_merge *merge)
{
	uint64_t bytes = merge->read_bytes;

	for (size_t i = 0; i < merge->session->stream_count; i++)
		bytes += merge->records[i] ? merge->records[i]->read_bytes : 0;
	return bytes;
}

void trace_merge_close(struct trace_merge *merge)
{
	for (size_t i = 0; merge->records && i < merge->session->stream_count; i++) {
		if (merge->records[i]) {
			trace_records_close(merge->records[i]);
			free(merge->records[i]);
		}
	}
	free(merge->streams);
	free(merge->records);
	free(merge->heap);
	*merge = (struct trace_merge){.session = NULL};
}
