#include "trace/merge.h"

#include <errno.h>
#include <stdlib.h>

#include "trace/records.h"

#define BLOCK_LEAST_BYTES 4096u
#define BLOCK_MOST_BYTES (32u << 10) /* what lies in it stays in the caches */

/* Whether the record of stream b comes before that of stream a. */
static bool comes_before(uint64_t b_ticks, uint32_t b, uint64_t a_ticks, uint32_t a)
{
	return (b_ticks < a_ticks) | ((b_ticks == a_ticks) & (b < a));
}

/* The matches of a stream, from its leaf to the root. Who plays against it is
 * known beforehand, so that all of them are loaded side by side, which is what
 * makes this faster than a heap; who wins is as good as random, so that there
 * must be no branch on it. */
static void tree_play(struct trace_merge *merge, uint32_t index, uint64_t ticks, bool over)
{
	size_t at = merge->leaves + index;
	uint32_t winner = over ? (uint32_t)merge->leaves : index;
	uint32_t *tree = merge->tree;

	merge->ticks[index] = ticks;
	tree[at] = winner;
	for (; at > 1; at /= 2) {
		uint32_t other = tree[at ^ 1];
		uint64_t other_ticks = merge->ticks[other];
		uint64_t loses = 0 - (uint64_t)comes_before(other_ticks, other, ticks, winner);

		winner ^= (winner ^ other) & (uint32_t)loses;
		ticks ^= (ticks ^ other_ticks) & loses;
		tree[at / 2] = winner;
	}
}

static void tree_go_on(struct trace_merge *merge, uint32_t index, uint64_t ticks)
{
	tree_play(merge, index, ticks, false);
}

static void tree_leave(struct trace_merge *merge, uint32_t index)
{
	tree_play(merge, index, UINT64_MAX, true);
}

/* Up to when the winner stays the first without another look: the earliest of those
 * that it won against. */
static void tree_limit(struct trace_merge *merge)
{
	uint32_t first = merge->tree[1], second = (uint32_t)merge->leaves;

	for (size_t at = merge->leaves + first; at > 1; at /= 2) {
		uint32_t other = merge->tree[at ^ 1];

		if (comes_before(merge->ticks[other], other, merge->ticks[second], second))
			second = other;
	}
	/* At the same tick the lower index goes first. */
	merge->limit = merge->ticks[second];
	if (first > second && merge->limit)
		merge->limit--;
}

/* All first matches. */
static void tree_build(struct trace_merge *merge)
{
	struct trace_session *session = merge->session;
	uint32_t *tree = merge->tree;

	for (size_t i = 0; i < merge->leaves; i++)
		tree[merge->leaves + i] = (uint32_t)merge->leaves;
	merge->ticks[merge->leaves] = UINT64_MAX;
	for (size_t i = 0; i < session->process_count; i++) {
		struct trace_process *process = &session->processes[i];

		for (size_t j = 0; j < process->stream_count; j++) {
			struct trace_stream *stream = &process->streams[j];

			/* Streams without a sound packet are visited too, last:
			 * what is wrong with them is told there. */
			merge->streams[stream->index] = stream;
			merge->ticks[stream->index] = stream->first_ticks;
			tree[merge->leaves + stream->index] = stream->index;
		}
	}
	for (size_t at = merge->leaves; at-- > 1;) {
		uint32_t left = tree[2 * at], right = tree[2 * at + 1];

		tree[at] = comes_before(merge->ticks[right], right, merge->ticks[left], left)
				   ? right
				   : left;
	}
}

int trace_merge_open(struct trace_merge *merge, struct trace_session *session,
		     uint64_t skip_before)
{
	size_t leaves = 1;

	while (leaves < session->stream_count)
		leaves *= 2;
	*merge = (struct trace_merge){
		.session = session,
		.skip_before = skip_before,
		.leaves = leaves,
		.streams = calloc(leaves, sizeof(*merge->streams)),
		.records = calloc(leaves, sizeof(*merge->records)),
		.ticks = calloc(leaves + 1, sizeof(*merge->ticks)),
		.tree = calloc(2 * leaves, sizeof(*merge->tree)),
		.streams_left = calloc(session->process_count + 1, sizeof(*merge->streams_left)),
		.block_bytes = MERGE_BLOCKS_BYTES / leaves,
	};
	if (merge->block_bytes < BLOCK_LEAST_BYTES)
		merge->block_bytes = BLOCK_LEAST_BYTES;
	if (merge->block_bytes > BLOCK_MOST_BYTES)
		merge->block_bytes = BLOCK_MOST_BYTES;
	if (!merge->streams || !merge->records || !merge->ticks || !merge->tree ||
	    !merge->streams_left) {
		trace_merge_close(merge);
		return -ENOMEM;
	}
	tree_build(merge);
	for (size_t i = 0; i < session->process_count; i++)
		merge->streams_left[i] = session->processes[i].stream_count;
	return 0;
}

static void merge_end_stream(struct trace_merge *merge, uint32_t index)
{
	struct trace_records *records = merge->records[index];

	if (!--merge->streams_left[merge->streams[index]->process->index])
		merge->processes_over++;
	merge->read_bytes += records->read_bytes;
	trace_records_close(records);
	free(records);
	merge->records[index] = NULL;
	tree_leave(merge, index);
}

/* Reads the first record of the stream at the top, and plays its matches: it may
 * be later than the index promised, when packets are passed over, or (damaged)
 * earlier. */
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
	status = trace_records_next(records);
	if (status > 0)
		tree_go_on(merge, index, records->event.ticks);
	else if (!status)
		merge_end_stream(merge, index);
	return status;
}

/* Makes the stream at the top the current one. Returns 1, 0 at the end, -ENOMEM. */
static int merge_settle(struct trace_merge *merge)
{
	struct trace_records *before = merge->current;

	for (;;) {
		uint32_t index = merge->tree[1];

		if (index >= merge->leaves) {
			merge->current = NULL;
			return 0;
		}
		merge->current = merge->records[index];
		if (merge->current)
			break;
		if (merge_begin_stream(merge, index) < 0)
			return -ENOMEM;
	}
	/* Worth a look only where one stream has several in a row. */
	merge->limit = 0;
	if (merge->current == before)
		tree_limit(merge);
	return 1;
}

int trace_merge_next(struct trace_merge *merge, const struct trace_event **event)
{
	struct trace_records *records = merge->current;
	int status = 1;

	if (records) {
		uint32_t index = records->stream->index;

		status = trace_records_next(records);
		if (status < 0)
			return status;
		if (!status) {
			merge_end_stream(merge, index);
			status = merge_settle(merge);
		} else if (records->event.ticks > merge->limit) {
			tree_go_on(merge, index, records->event.ticks);
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
	free(merge->ticks);
	free(merge->tree);
	free(merge->streams_left);
	*merge = (struct trace_merge){.session = NULL};
}
