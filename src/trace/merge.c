#include "trace/merge.h"

#include <errno.h>
#include <stdlib.h>

#include "trace/records.h"

#define BLOCK_LEAST_BYTES 4096u
#define BLOCK_MOST_BYTES (256u << 10)

/* What stands for a stream that is over: behind every other. */
static const struct trace_merge_entry entry_over = {UINT64_MAX, UINT32_MAX};

static bool entry_before(struct trace_merge_entry a, struct trace_merge_entry b)
{
	return a.ticks < b.ticks || (a.ticks == b.ticks && a.index < b.index);
}

/* The stream at the top goes on with `entry`: plays its matches again, from its
 * leaf to the top. The places of a path are known beforehand, so that they are
 * loaded side by side, which is what makes this faster than a heap; who wins is
 * as good as random, so that there must be no branch on it. */
static void tree_replay(struct trace_merge *merge, struct trace_merge_entry entry)
{
	uint64_t *ticks = merge->ticks;
	uint32_t *index = merge->index;

	for (size_t at = (merge->leaves + index[0]) / 2; at; at /= 2) {
		bool loses = (ticks[at] < entry.ticks) |
			     ((ticks[at] == entry.ticks) & (index[at] < entry.index));
		uint64_t swap_ticks = (ticks[at] ^ entry.ticks) & (0 - (uint64_t)loses);
		uint32_t swap_index = (index[at] ^ entry.index) & (0 - (uint32_t)loses);

		ticks[at] ^= swap_ticks;
		index[at] ^= swap_index;
		entry.ticks ^= swap_ticks;
		entry.index ^= swap_index;
	}
	ticks[0] = entry.ticks;
	index[0] = entry.index;
}

/* Up to when the top stays the first without another look: the earliest of those
 * that it won against. */
static void tree_limit(struct trace_merge *merge)
{
	struct trace_merge_entry second = entry_over;

	for (size_t at = (merge->leaves + merge->index[0]) / 2; at; at /= 2) {
		struct trace_merge_entry other = {merge->ticks[at], merge->index[at]};

		if (entry_before(other, second))
			second = other;
	}
	/* At the same tick the lower index goes first. */
	if (merge->index[0] < second.index)
		merge->limit = second.ticks;
	else
		merge->limit = second.ticks ? second.ticks - 1 : 0;
}

/* All first matches. */
static int tree_build(struct trace_merge *merge)
{
	struct trace_session *session = merge->session;
	struct trace_merge_entry *winners = calloc(2 * merge->leaves, sizeof(*winners));

	if (!winners)
		return -ENOMEM;
	for (size_t i = 0; i < merge->leaves; i++)
		winners[merge->leaves + i] = entry_over;
	for (size_t i = 0; i < session->process_count; i++) {
		struct trace_process *process = &session->processes[i];

		for (size_t j = 0; j < process->stream_count; j++) {
			struct trace_stream *stream = &process->streams[j];

			/* Streams without a sound packet are visited too, last:
			 * what is wrong with them is told there. */
			merge->streams[stream->index] = stream;
			winners[merge->leaves + stream->index] = (struct trace_merge_entry){
				stream->first_ticks, stream->index};
		}
	}
	for (size_t at = merge->leaves; at-- > 1;) {
		bool second = entry_before(winners[2 * at + 1], winners[2 * at]);

		winners[at] = winners[2 * at + second];
		merge->ticks[at] = winners[2 * at + !second].ticks;
		merge->index[at] = winners[2 * at + !second].index;
	}
	merge->ticks[0] = winners[1].ticks;
	merge->index[0] = winners[1].index;
	free(winners);
	return 0;
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
		.ticks = calloc(leaves, sizeof(*merge->ticks)),
		.index = calloc(leaves, sizeof(*merge->index)),
		.block_bytes = MERGE_BLOCKS_BYTES / leaves,
	};
	if (merge->block_bytes < BLOCK_LEAST_BYTES)
		merge->block_bytes = BLOCK_LEAST_BYTES;
	if (merge->block_bytes > BLOCK_MOST_BYTES)
		merge->block_bytes = BLOCK_MOST_BYTES;
	if (!merge->streams || !merge->records || !merge->ticks || !merge->index ||
	    tree_build(merge)) {
		trace_merge_close(merge);
		return -ENOMEM;
	}
	return 0;
}

static void merge_end_stream(struct trace_merge *merge, uint32_t index)
{
	struct trace_records *records = merge->records[index];

	merge->read_bytes += records->read_bytes;
	trace_records_close(records);
	free(records);
	merge->records[index] = NULL;
	tree_replay(merge, entry_over);
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
		tree_replay(merge, (struct trace_merge_entry){records->event.ticks, index});
	else if (!status)
		merge_end_stream(merge, index);
	return status;
}

/* Makes the stream at the top the current one. Returns 1, 0 at the end, -ENOMEM. */
static int merge_settle(struct trace_merge *merge)
{
	struct trace_records *before = merge->current;

	for (;;) {
		uint32_t index = merge->index[0];

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
			tree_replay(merge,
				    (struct trace_merge_entry){records->event.ticks, index});
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
	free(merge->index);
	*merge = (struct trace_merge){.session = NULL};
}
