/* SPDX-License-Identifier: MIT */
/* The records of one stream in their order, each checked before it is handed
 * out: known event, just the size that its fields make up, inside its packet.
 * Where one is damaged, the rest of its packet is skipped and told. Time never
 * runs backwards: a time stamp that does is told and replaced by the one before.
 *
 * Memory: one block, given at the start, which grows to one record's size at
 * most. Borrows the stream. One thread.
 *
 *	struct trace_records records;
 *	trace_records_open(&records, stream, 65536, 0, session->problems);
 *	while ((status = trace_records_next(&records)) > 0)
 *		... records.event
 *	trace_records_close(&records);
 */
#ifndef TANDEM_TRACE_RECORDS_H
#define TANDEM_TRACE_RECORDS_H

#include "trace/event.h"
#include "trace/stream/packets.h"

struct trace_records {
	struct trace_event event; /* the current one, its times in ns not filled in */
	const uint8_t *at;	  /* the next record ... */
	const uint8_t *limit;	  /* ... in what was read of the packet */
	uint64_t ceiling;	  /* no record of this packet is later */
	uint64_t horizon;	  /* no call of this session ended later */
	const struct trace_layouts *layouts;

	const struct trace_stream *stream;
	struct trace_packets packets;
	struct intern *names; /* of threads; set by whoever wants them to last. NULL: the next */
	char thread_name[17]; /* of the current packet */
	uint64_t skip_before; /* ticks: packets that end before are passed over */
	uint8_t *block;
	size_t block_bytes;
	void *converted;       /* room for a record of another build's layout; NULL: none so far */
	uint64_t block_offset; /* in the packet's file */
	uint64_t read_bytes;   /* of the trace so far, for progress */
};

/* Returns 0 or -ENOMEM. `skip_before` in ticks: a packet that ended before need
 * not be read; 0 for all. `problems` may be NULL. */
int trace_records_open(struct trace_records *records, const struct trace_stream *stream,
		       size_t block_bytes, uint64_t skip_before, struct trace_problems *problems);

/* The same as trace_records_next(), whatever there is to find, read or correct first. */
int trace_records_search(struct trace_records *records);

/* Takes the record at `at` if it lies there as a whole and nothing is wrong with it. */
static inline bool trace_records_take(struct trace_records *records)
{
	size_t have = (size_t)(records->limit - records->at);
	const struct tandem_record *record = (const void *)records->at;
	struct trace_event *event = &records->event;
	const struct trace_layout *layout;
	uint64_t ticks, end = 0;
	size_t step;

	if (have < sizeof(*record) || have < record->size || record->size < sizeof(*record))
		return false;
	layout = trace_layouts_get(records->layouts, record->id);
	if (!layout || !trace_layout_fits(layout, record, record->size))
		return false;
	ticks = record->timestamp;
	if (ticks < event->ticks || ticks > records->ceiling)
		return false;
	if (layout->is_call) {
		end = ((const struct tandem_call_record *)record)->end;
		if (end - ticks > records->horizon - ticks && end)
			return false;
	}
	event->ticks = ticks;
	event->end_ticks = end;
	event->layout = layout;
	event->record = record;
	event->bytes = record->size;
	/* The last record's padding need not be there. */
	step = ((size_t)record->size + 7) & ~(size_t)7;
	records->at += step < have ? step : have;
	return true;
}

/* Makes the next record the current one. Returns 1, 0 at the end, or -ENOMEM. */
static inline int trace_records_next(struct trace_records *records)
{
	return __builtin_expect(trace_records_take(records), 1) ? 1 : trace_records_search(records);
}

void trace_records_close(struct trace_records *records);

#endif
