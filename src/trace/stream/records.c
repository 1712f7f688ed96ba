/* SPDX-License-Identifier: MIT */
#include "trace/stream/records.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/session/session.h"
#include "util/intern.h"

#define BLOCK_LEAST_BYTES 4096u
/* A record's size is a uint16, and it is padded to 8 bytes. */
#define RECORD_MOST_BYTES 65536u

/* How long after the program's end a call of a child that lives on may end and
 * still be believed. */
#define HORIZON_SECONDS 60u

static uint64_t records_offset(const struct trace_records *records)
{
	return records->block_offset + (uint64_t)(records->at - records->block);
}

int trace_records_open(struct trace_records *records, const struct trace_stream *stream,
		       size_t block_bytes, uint64_t skip_before, struct trace_problems *problems)
{
	const struct trace_session *session = stream->process->session;
	const struct trace_run *run = &session->run;

	*records = (struct trace_records){
		.stream = stream,
		.layouts = stream->process->layouts,
		.skip_before = skip_before,
		.horizon = UINT64_MAX,
		.block_bytes = block_bytes < BLOCK_LEAST_BYTES ? BLOCK_LEAST_BYTES
							       : block_bytes & ~(size_t)7,
	};
	if (run->has_end && run->end_ticks && run->ticks_hz) {
		uint64_t last =
			run->end_ticks > session->last_ticks ? run->end_ticks : session->last_ticks;
		uint64_t grace = run->ticks_hz * HORIZON_SECONDS;

		if (last <= UINT64_MAX - grace)
			records->horizon = last + grace;
	}
	records->block = malloc(records->block_bytes);
	if (!records->block)
		return -ENOMEM;
	records->at = records->limit = records->block;
	records->event.stream = stream;
	records->event.thread_name = records->thread_name;
	trace_packets_open(&records->packets, stream, problems);
	return 0;
}

void trace_records_close(struct trace_records *records)
{
	trace_packets_close(&records->packets);
	free(records->block);
	free(records->converted);
	records->block = NULL;
	records->converted = NULL;
}

/* Reads on in the packet, so that at least `need` bytes lie at `at` if it has as
 * many. Returns how many do, or -ENOMEM. */
static ssize_t records_fill(struct trace_records *records, size_t need)
{
	struct trace_packets *packets = &records->packets;
	size_t kept = (size_t)(records->limit - records->at);
	uint64_t offset = records_offset(records), moved = 0;
	uint64_t left;
	size_t want;
	ssize_t got;

	if (need > records->block_bytes) {
		uint8_t *block = malloc(RECORD_MOST_BYTES);

		if (!block)
			return -ENOMEM;
		memcpy(block, records->at, kept);
		free(records->block);
		records->block = block;
		records->block_bytes = RECORD_MOST_BYTES;
	} else {
		memmove(records->block, records->at, kept);
	}
	records->at = records->block;
	records->block_offset = offset;
	records->limit = records->block + kept;

	left = packets->content_end - offset - kept;
	want = records->block_bytes - kept;
	want = want < left ? want : (size_t)left;
	got = trace_file_read(packets->file, records->block + kept, want, offset + kept);
	if (!trace_packets_follow(packets, &moved)) {
		trace_problem(packets->problems, packets->file->path, offset,
			      "overwritten while it was read");
		got = 0;
		packets->content_end = offset + kept;
	} else if (moved) {
		/* What was read may be half of the next packet: read it again
		 * from where this one is now. */
		records->block_offset = offset + moved;
		got = trace_file_read(packets->file, records->block + kept, want,
				      offset + moved + kept);
	}
	if (got < 0) {
		trace_problem_skip(packets->problems, packets->file->path, offset + moved + kept,
				   left, "cannot be read: %s", strerror((int)-got));
		got = 0;
	}
	if ((size_t)got < want)
		packets->content_end = records->block_offset + kept + (uint64_t)got;
	records->limit += got;
	records->read_bytes += (uint64_t)got;
	return records->limit - records->at;
}

static int records_name(struct trace_records *records, const struct tandem_packet_header *header)
{
	uint32_t number;

	memcpy(records->thread_name, header->thread_name, sizeof(header->thread_name));
	if (!records->names)
		return 0;
	if (intern_add(records->names, records->thread_name, strlen(records->thread_name), &number))
		return -ENOMEM;
	records->event.thread_name = intern_text(records->names, number);
	return 0;
}

/* Goes to the next packet with something in it. Returns 1, 0 or -ENOMEM. */
static int records_next_packet(struct trace_records *records)
{
	struct trace_packets *packets = &records->packets;
	const struct trace_stream *stream = records->stream;
	uint64_t reached = records_offset(records);

	while (trace_packets_next(packets, reached) > 0) {
		const struct tandem_packet_header *header = &packets->header;
		uint64_t content = TANDEM_ALIGNED(header->content_bits / 8);
		/* The current packet of a thread has room behind its records. */
		bool finished = packets->file == &packets->stream_file &&
				content >= header->packet_bits / 8;

		reached = packets->content_end;
		if (header->stream_instance_id != stream->number)
			trace_problem(packets->problems, packets->file->path,
				      packets->offset + offsetof(struct tandem_packet_header,
								 stream_instance_id),
				      "a packet of thread %" PRIu64 "; it is counted as one of "
				      "thread %" PRIu64,
				      header->stream_instance_id, stream->number);
		records->event.tid = header->tid;
		if (records_name(records, header))
			return -ENOMEM;
		if (finished && header->timestamp_end < records->skip_before &&
		    header->timestamp_end >= header->timestamp_begin) {
			records->read_bytes += packets->content_end - packets->records;
			continue;
		}
		/* A packet's end time is only sure once it is finished. */
		records->ceiling = finished && header->timestamp_end >= header->timestamp_begin
					   ? header->timestamp_end
					   : records->horizon;
		records->at = records->limit = records->block;
		records->block_offset = packets->records;
		if (packets->content_end > packets->records)
			return 1;
	}
	/* So that a call after the end finds the end again. */
	records->block_offset = reached;
	records->at = records->limit = records->block;
	return 0;
}

/* Skips what is left of the packet. */
static void records_skip(struct trace_records *records, const char *what, unsigned number)
{
	struct trace_packets *packets = &records->packets;
	uint64_t offset = records_offset(records);

	trace_problem_skip(packets->problems, packets->file->path, offset,
			   packets->content_end - offset,
			   "%s %u; the last %" PRIu64 " bytes of this packet are skipped", what,
			   number, packets->content_end - offset);
	records->limit = records->at;
	packets->content_end = offset;
}

/* A time stamp that cannot be: before the last one, or behind the packet's end.
 * The one before stands in. */
static uint64_t records_correct_ticks(struct trace_records *records, uint64_t ticks)
{
	uint64_t last = records->event.ticks;

	trace_problem(records->packets.problems, records->packets.file->path,
		      records_offset(records), "a time stamp %s; the one before it is used",
		      ticks < last ? "that runs backwards" : "after the end of its packet");
	return last ? last : records->packets.header.timestamp_begin;
}

static uint64_t records_correct_end(struct trace_records *records, uint64_t ticks)
{
	trace_problem(records->packets.problems, records->packets.file->path,
		      records_offset(records) + offsetof(struct tandem_call_record, end),
		      "a call that ends %s; its length is counted as 0",
		      ticks < records->event.ticks ? "before it begins" : "long after the session");
	return records->event.ticks;
}

/* When a record does not lie in the block as a whole. Returns 1 to look again, 0
 * at the end, -ENOMEM. */
static int records_more(struct trace_records *records)
{
	struct trace_packets *packets = &records->packets;
	size_t have = (size_t)(records->limit - records->at);
	uint64_t left = packets->content_end - records_offset(records);
	struct tandem_record head;
	size_t need = sizeof(head);
	ssize_t got;

	if (!packets->begun || !left)
		return records_next_packet(records);
	if (have >= sizeof(head)) {
		memcpy(&head, records->at, sizeof(head));
		need = head.size;
	}
	if (left < need && packets->missing_bytes) {
		/* Not damaged but cut off: packets.c tells it, or finds the rest. */
		packets->missing_bytes += left;
		packets->content_end -= left;
		records->limit = records->at;
		return 1;
	}
	if (left < need) {
		records_skip(records, "a record reaches beyond its packet: size",
			     have >= sizeof(head) ? head.size : (unsigned)left);
		return 1;
	}
	got = records_fill(records, need);
	return got < 0 ? (int)got : 1;
}

/* Whether it looks like a record: of an event that this build and the session's own
 * description don't know, all else is as it should be. */
static bool records_plausible(const struct trace_records *records,
			      const struct tandem_record *record)
{
	return record->size >= sizeof(*record) && record->timestamp >= records->event.ticks &&
	       record->timestamp <= records->ceiling && TANDEM_ID_EVENT(record->id);
}

/* Leaves out one record; says so once for each process and event. */
static void records_pass_over(struct trace_records *records, const struct tandem_record *record)
{
	const struct trace_process *process = records->stream->process;
	const struct trace_schema *schema = &process->session->schema;
	unsigned domain = trace_schema_domain_of(schema, record->id);
	size_t have = (size_t)(records->limit - records->at);
	size_t step = ((size_t)record->size + 7) & ~(size_t)7;
	struct trace_problems *problems = records->packets.problems;

	if (domain == TRACE_DOMAINS || process->left_out >> domain & 1)
		trace_problem(problems, process->path,
			      TRACE_PROBLEM_WHOLE(TANDEM_ID_PAGE(record->id)),
			      "events of domain %u, which nothing describes, are left out",
			      TANDEM_ID_PAGE(record->id));
	else
		trace_problem(problems, process->path, TRACE_PROBLEM_WHOLE(record->id),
			      "events %u of domain %s, which nothing describes, are left out",
			      TANDEM_ID_EVENT(record->id), trace_schema_row(schema, domain)->name);
	records->at += step < have ? step : have;
}

/* Makes the record one of this build's. Returns NULL where it is not as its own layout
 * says, or memory ran out. */
static const struct tandem_record *records_convert(struct trace_records *records,
						   const struct trace_layout *layout,
						   const struct tandem_record *record)
{
	if (!records->converted)
		records->converted = malloc(TRACE_RECORD_BYTES);
	if (!records->converted ||
	    !trace_layout_convert(layout, record, record->size, records->converted))
		return NULL;
	return records->converted;
}

/* A record that lies there as a whole, and is not as it should be: corrects its times,
 * converts it, or skips it. */
static bool records_correct(struct trace_records *records)
{
	const struct tandem_record *record = (const void *)records->at;
	const struct trace_layout *layout = trace_layouts_get(records->layouts, record->id);
	struct trace_event *event = &records->event;
	size_t have = (size_t)(records->limit - records->at);
	size_t step = ((size_t)record->size + 7) & ~(size_t)7;

	if ((!layout || !layout->event) && records_plausible(records, record)) {
		records_pass_over(records, record);
		return false;
	}
	if (!layout || !layout->event) {
		records_skip(records, "an unknown event:", record->id);
		return false;
	}
	if (layout->conversion && record->size >= sizeof(*record))
		record = records_convert(records, layout, record);
	else if (record->size < sizeof(*record) || !trace_layout_fits(layout, record, record->size))
		record = NULL;
	if (!record) {
		records_skip(records, "a record of wrong size:",
			     ((const struct tandem_record *)(const void *)records->at)->size);
		return false;
	}
	if (record->timestamp < event->ticks || record->timestamp > records->ceiling)
		event->ticks = records_correct_ticks(records, record->timestamp);
	else
		event->ticks = record->timestamp;
	event->layout = layout;
	event->record = record;
	event->bytes = record->size;
	event->end_ticks = 0;
	if (layout->is_call) {
		uint64_t end = ((const struct tandem_call_record *)record)->end;
		uint64_t longest = records->horizon - event->ticks;

		event->end_ticks = end && end - event->ticks > longest
					   ? records_correct_end(records, end)
					   : end;
	}
	records->at += step < have ? step : have;
	return true;
}

int trace_records_search(struct trace_records *records)
{
	while (!trace_records_take(records)) {
		size_t have = (size_t)(records->limit - records->at);
		const struct tandem_record *record = (const void *)records->at;

		if (have < sizeof(*record) || have < record->size) {
			int status = records_more(records);

			if (status <= 0)
				return status;
		} else if (records_correct(records)) {
			break;
		}
	}
	return 1;
}
