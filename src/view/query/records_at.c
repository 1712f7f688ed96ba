/* SPDX-License-Identifier: MIT */
#include "view/query/records_at.h"

#include "trace/session/session.h"

#define BLOCK_BYTES 65536u

/* The latest ticks of the stream that are before `ns`. */
static uint64_t ticks_before(const struct trace_stream *stream, int64_t ns)
{
	struct trace_clock *clock = &stream->process->session->clock;
	uint64_t low = 0, high = stream->last_ticks;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2 + 1;

		if (trace_clock_ns(clock, middle) < ns)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

static int64_t cursor_ns(const struct view_cursor *cursor, uint64_t ticks)
{
	return trace_clock_ns(&cursor->stream->process->session->clock, ticks);
}

/* Whether another block is in memory than before, and notes where it begins: after the record
 * of `ticks`. */
static bool note_block(struct view_cursor *cursor, uint64_t ticks)
{
	const struct trace_records *records = &cursor->records;
	const struct trace_packets *packets = &records->packets;
	bool same_packet =
		packets->header.packet_seq_num == cursor->seq_num && packets->file == cursor->file;

	if (same_packet && records->block_offset == cursor->block_offset)
		return false;
	cursor->block = (struct view_place){.ticks = ticks, .after_ns = cursor_ns(cursor, ticks)};
	/* Packets between may have been passed over, being before the search. */
	if (!same_packet && (!ticks || cursor->block.after_ns < cursor->from_ns))
		cursor->block.after_ns = cursor->from_ns - 1;
	cursor->seq_num = packets->header.packet_seq_num;
	cursor->block_offset = records->block_offset;
	cursor->file = packets->file;
	cursor->search = cursor->block;
	return true;
}

/* The place in memory after which everything from `ns` on comes; NULL: there is none. */
static const struct view_place *place_before(const struct view_cursor *cursor, int64_t ns)
{
	if (!cursor->stream || !cursor->found || cursor->over)
		return NULL;
	if (cursor->search.after_ns < ns)
		return &cursor->search;
	return cursor->block.after_ns < ns ? &cursor->block : NULL;
}

static void cursor_close(struct view_cursor *cursor)
{
	if (cursor->stream)
		trace_records_close(&cursor->records);
	cursor->stream = NULL;
}

static int cursor_open(struct view_cursor *cursor, struct trace_stream *stream)
{
	int status = trace_records_open(&cursor->records, stream, BLOCK_BYTES, 0,
					stream->process->session->problems);

	if (status)
		return status;
	cursor->stream = stream;
	cursor->seq_num = UINT64_MAX;
	cursor->file = NULL;
	return 0;
}

/* The one that is open there, or the one that was not used for the longest time. */
static struct view_cursor *choose(struct view_records *records, enum view_cursor_use use,
				  const struct trace_stream *stream)
{
	struct view_cursor *oldest = &records->cursors[0];

	for (unsigned i = 0; i < VIEW_CURSORS; i++) {
		struct view_cursor *cursor = &records->cursors[i];

		if (cursor->stream == stream && cursor->use == use)
			return cursor;
		if (cursor->used < oldest->used)
			oldest = cursor;
	}
	cursor_close(oldest);
	oldest->use = use;
	return oldest;
}

struct view_cursor *view_records_at(struct view_records *records, enum view_cursor_use use,
				    struct trace_stream *stream, int64_t ns)
{
	struct view_cursor *cursor = choose(records, use, stream);
	const struct view_place *place = place_before(cursor, ns);

	cursor->used = ++records->searches;
	if (place) {
		cursor->records.at = cursor->records.block + place->at;
		cursor->records.event.ticks = place->ticks;
	} else {
		cursor_close(cursor);
		if (cursor_open(cursor, stream))
			return NULL;
		records->opened++;
	}
	cursor->found = cursor->over = false;
	cursor->from_ns = ns;
	cursor->records.skip_before = ticks_before(stream, ns);
	return cursor;
}

/* Notes where the search found its first record: `at`, after the record of `ticks`. */
static void note_search(struct view_cursor *cursor, size_t at, uint64_t ticks)
{
	cursor->found = true;
	cursor->search = (struct view_place){ticks, cursor_ns(cursor, ticks), at};
	if (!at)
		cursor->search = cursor->block;
}

int view_cursor_next(struct view_cursor *cursor, struct trace_event *event)
{
	struct trace_records *records = &cursor->records;
	uint64_t ticks;
	size_t at;
	int status;

	/* Of a packet that holds the place, all that comes before it. */
	do {
		ticks = records->event.ticks;
		at = (size_t)(records->at - records->block);
		status = trace_records_next(records);
		if (status > 0 && note_block(cursor, ticks))
			at = 0;
	} while (status > 0 && records->event.ticks < records->skip_before);
	cursor->over = status <= 0;
	if (status <= 0)
		return status;
	if (!cursor->found)
		note_search(cursor, at, ticks);
	*event = records->event;
	event->ns = cursor_ns(cursor, event->ticks);
	return 1;
}

void view_records_close(struct view_records *records)
{
	for (unsigned i = 0; i < VIEW_CURSORS; i++)
		cursor_close(&records->cursors[i]);
}
