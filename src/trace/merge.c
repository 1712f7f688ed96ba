/* SPDX-License-Identifier: MIT */
#include "trace/merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_LEAST_BYTES 4096u
#define BLOCK_MOST_BYTES (16u << 10) /* what lies in it stays in the caches */
#define KEY_OVER UINT64_MAX	     /* behind every other */

void merge_limit(struct trace_merge *merge)
{
	uint64_t limit = merge->too_far - 1;

	for (size_t at = (merge->leaves + merge->current->stream->index) / 2; at; at /= 2)
		limit = merge->tree[at] < limit ? merge->tree[at] : limit;
	merge->limit = limit;
}

static uint64_t current_ticks(const struct trace_merge *merge, size_t index)
{
	const struct trace_records *records = merge->records[index];

	return records ? records->event.ticks : merge->streams[index]->first_ticks;
}

/* All matches, of all streams that are not over. */
static int tree_build(struct trace_merge *merge)
{
	uint64_t *first = malloc(2 * merge->leaves * sizeof(*first));

	if (!first)
		return -ENOMEM;
	merge->base = UINT64_MAX;
	for (size_t i = 0; i < merge->leaves; i++) {
		if (!merge->over[i] && current_ticks(merge, i) < merge->base)
			merge->base = current_ticks(merge, i);
	}
	for (size_t i = 0; i < merge->leaves; i++)
		first[merge->leaves + i] =
			merge->over[i] ? KEY_OVER : merge_key(merge, current_ticks(merge, i), i);
	for (size_t at = merge->leaves - 1; at; at--) {
		uint64_t a = first[2 * at], b = first[2 * at + 1];

		first[at] = a < b ? a : b;
		merge->tree[at] = a < b ? b : a;
	}
	merge->tree[0] = first[1];
	free(first);
	return 0;
}

/* Streams without a sound packet are visited too, last: what is wrong with them is
 * told there. */
static void list_streams(struct trace_merge *merge, size_t process_count)
{
	memset(merge->over, true, merge->leaves * sizeof(*merge->over));
	for (size_t i = 0; i < process_count; i++) {
		struct trace_process *process = &merge->session->processes[i];

		for (size_t j = 0; j < process->stream_count; j++) {
			struct trace_stream *stream = &process->streams[j];

			merge->streams[stream->index] = stream;
			merge->over[stream->index] = false;
		}
	}
}

/* The first `process_count` processes. */
static int merge_open(struct trace_merge *merge, struct trace_session *session,
		      size_t process_count, uint64_t skip_before)
{
	size_t leaves = session->stream_count ? session->stream_count : 1;

	*merge = (struct trace_merge){
		.session = session,
		.problems = session->problems,
		.line = session->clock.lines,
		.skip_before = skip_before,
		.leaves = leaves,
		.streams = calloc(leaves, sizeof(*merge->streams)),
		.over = calloc(leaves, sizeof(*merge->over)),
		.records = calloc(leaves, sizeof(*merge->records)),
		.tree = calloc(leaves, sizeof(*merge->tree)),
		.block_bytes = MERGE_BLOCKS_BYTES / leaves,
	};
	if (merge->block_bytes < BLOCK_LEAST_BYTES)
		merge->block_bytes = BLOCK_LEAST_BYTES;
	if (merge->block_bytes > BLOCK_MOST_BYTES)
		merge->block_bytes = BLOCK_MOST_BYTES;
	if (!merge->streams || !merge->over || !merge->records || !merge->tree) {
		trace_merge_close(merge);
		return -ENOMEM;
	}
	while (leaves >> merge->index_bits)
		merge->index_bits++;
	merge->too_far = UINT64_MAX << merge->index_bits;
	merge->most = merge->too_far >> merge->index_bits;
	list_streams(merge, process_count);
	if (tree_build(merge)) {
		trace_merge_close(merge);
		return -ENOMEM;
	}
	return 0;
}

int trace_merge_open(struct trace_merge *merge, struct trace_session *session, uint64_t skip_before)
{
	return merge_open(merge, session, session->process_count, skip_before);
}

int trace_merge_open_traced(struct trace_merge *merge, struct trace_session *session)
{
	return merge_open(merge, session, session->traced_count, 0);
}

void merge_end_stream(struct trace_merge *merge, uint64_t index)
{
	struct trace_records *records = merge->records[index];

	if (merge->stream_over)
		merge->stream_over(merge->user, merge->streams[index]);
	merge->read_bytes += records->read_bytes;
	trace_records_close(records);
	free(records);
	merge->records[index] = NULL;
	merge->over[index] = true;
	merge_play(merge, index, KEY_OVER);
}

/* Reads the first record of the stream at the top, and plays its matches: it may
 * be later than the index promised, when packets are passed over, or (damaged)
 * earlier. */
static int merge_begin_stream(struct trace_merge *merge, uint64_t index)
{
	struct trace_records *records = malloc(sizeof(*records));
	int status;

	if (!records)
		return -ENOMEM;
	status = trace_records_open(records, merge->streams[index], merge->block_bytes,
				    merge->skip_before, merge->problems);
	if (status) {
		free(records);
		return status;
	}
	records->names = &merge->names;
	merge->records[index] = records;
	status = trace_records_next(records);
	if (status > 0)
		merge_play(merge, index, merge_key(merge, records->event.ticks, index));
	else if (!status)
		merge_end_stream(merge, index);
	return status;
}

int merge_settle(struct trace_merge *merge)
{
	while (!merge_take(merge)) {
		uint64_t key = merge->tree[0];

		if (key == KEY_OVER) {
			merge->current = NULL;
			return 0;
		}
		if (key >= merge->too_far ? tree_build(merge)
					  : merge_begin_stream(merge, key & ~merge->too_far) < 0)
			return -ENOMEM;
	}
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
	free(merge->over);
	free(merge->records);
	free(merge->tree);
	intern_free(&merge->names);
	*merge = (struct trace_merge){.session = NULL};
}
