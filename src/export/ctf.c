/* SPDX-License-Identifier: MIT */
/* A folder with a chronological CTF 1.8 trace: one stream for each session, in which
 * a call's begin and end and a command's four times stand at their own places.
 * What a command did lies on the thread that enqueued it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/events/ordered_events.h"
#include "export/ctf_metadata.h"
#include "export/export.h"
#include "format/packet.h"
#include "schema/gen/core_records.h"
#include "util/array.h"

#define PACKET_BYTES ((size_t)256 << 10)

struct ctf {
	struct ctf_metadata metadata;
	struct output *streams; /* by session; named when all is written */
	size_t stream_count, stream_capacity;
	struct output metadata_out;
	bool made; /* the folder, by us */
	uint8_t uuid[16];

	/* Of the current session. */
	struct ordered_events ordered_events;
	bool ordering;	    /* the chronicle is open */
	struct text packet; /* what is in it; its header comes with its end */
	uint64_t packet_begin_ns, last_ns, sequence, lost;
};

static char *ctf_path(const struct export *export, const char *name, size_t number)
{
	char *path = NULL;

	return (number ? asprintf(&path, "%s/%s-%zu", export->out, name, number)
		       : asprintf(&path, "%s/%s", export->out, name)) < 0
		       ? NULL
		       : path;
}

static int open_output(struct export *export, struct output *output, const char *name,
		       size_t number)
{
	char *path = ctf_path(export, name, number);
	int status = path ? output_open(output, path, export->error) : -ENOMEM;

	free(path);
	return status;
}

static int ctf_begin(struct export *export)
{
	struct ctf *state = export->state;

	state->metadata_out.fd = -1;
	state->made = !mkdir(export->out, 0777);
	if (!state->made && errno != EEXIST)
		return error_add(export->error, -errno, "%s: %s", export->out, strerror(errno));
	return open_output(export, &state->metadata_out, "metadata", 0);
}

/* The trace is not the recorded one, so it has a UUID of its own: a version 8 one
 * (RFC 9562), made from that of the first process. */
static void make_uuid(struct ctf *state, const struct trace_session *session)
{
	uint64_t start = session->run.start_realtime_ns;

	if (session->process_count && session->processes[0].has_uuid)
		memcpy(state->uuid, session->processes[0].uuid, sizeof(state->uuid));
	for (int i = 0; i < 8; i++)
		state->uuid[i] ^= (uint8_t)(start >> 8 * i);
	state->uuid[6] = 0x80 | (state->uuid[6] & 0x0f);
	state->uuid[8] = 0x80 | (state->uuid[8] & 0x3f);
}

static int write_packet(struct export *export)
{
	struct ctf *state = export->state;
	struct output *out = &state->streams[export->session];
	uint64_t bytes = PACKET_EXPORTED_BYTES + state->packet.length;
	struct tandem_packet_header header = {
		.packet_seq_num = state->sequence++,
		.events_discarded = state->lost,
	};

	packet_begin(&header, state->uuid, export->session + 1, state->packet_begin_ns, bytes);
	packet_end(&header, state->last_ns, bytes, bytes);
	output_add(out, (const void *)&header, PACKET_EXPORTED_BYTES);
	output_text(out, &state->packet);
	state->packet_begin_ns = state->last_ns;
	return out->status;
}

/* --- what is kept of an event: its class, context and fields */

static void keep_number(struct text *kept, const void *number, size_t bytes)
{
	text_add(kept, number, bytes);
}

#define KEEP(kept, type, value) keep_number(kept, &(type){value}, sizeof(type))

static void keep_string(struct text *kept, const char *string)
{
	text_add(kept, string, strlen(string) + 1);
}

static int keep_head(struct export *export, struct text *kept, const struct trace_event *event,
		     enum ctf_kind kind)
{
	struct ctf *state = export->state;
	uint32_t number;
	unsigned source = (unsigned)export->session << 2 | event->stream->process->level;
	int status = ctf_metadata_event(&state->metadata, source, event->layout, kind, &number);

	KEEP(kept, uint32_t, number);
	return status;
}

static void keep_context(struct export *export, struct text *kept,
			 const struct trace_stream *stream, uint32_t tid, const char *name)
{
	KEEP(kept, int32_t, export_pid(export, stream->process->pid));
	KEEP(kept, int32_t, export_pid(export, tid));
	keep_string(kept, name);
}

/* As it was recorded, but for the times of a build, which are of the recorded
 * trace's clock. */
static void keep_record(struct export *export, struct text *kept, const struct event_item *item)
{
	const struct trace_event *event = item->event;
	const char *bytes = (const char *)event->record;
	struct trace_clock *clock = &export->iterator->session->clock;
	struct tandem_rec_build build;
	size_t head = sizeof(struct tandem_record);

	if (event->record->id == TANDEM_EVENT_build) {
		memcpy(&build, bytes, sizeof(build));
		build.begin = (uint64_t)export_time(export, trace_clock_ns(clock, build.begin));
		build.end = (uint64_t)export_time(export, trace_clock_ns(clock, build.end));
		text_add(kept, (const char *)&build + head, sizeof(build) - head);
		head = sizeof(build);
	}
	text_add(kept, bytes + head, event->bytes - head);
}

static void keep_phase(struct export *export, struct text *kept, const struct event_item *item,
		       bool stop)
{
	const struct operation *operation = &item->operation;
	const struct tandem_rec_operation *record = operation->record;

	KEEP(kept, uint64_t, operation->op);
	KEEP(kept, uint64_t, operation->times.bound_ns);
	KEEP(kept, uint8_t, operation->times.causal);
	KEEP(kept, uint32_t, operation->queue_number);
	KEEP(kept, uint8_t, operation->kind);
	keep_string(kept, operation->name);
	keep_string(kept, event_iterator_device_name(export->iterator, operation->device));
	if (!stop)
		return;
	KEEP(kept, uint64_t, record->bytes);
	KEEP(kept, int32_t, record->status);
	KEEP(kept, uint8_t, record->completion_source);
	KEEP(kept, uint64_t, (uint64_t)export_time(export, operation->seen_ns));
}

static enum ctf_kind kind_of(enum ordered_event_kind kind)
{
	static const enum ctf_kind kinds[] = {
		[ORDERED_BEGIN] = CTF_CALL_BEGIN, [ORDERED_END] = CTF_CALL_END,
		[ORDERED_QUEUED] = CTF_QUEUED,	  [ORDERED_SUBMITTED] = CTF_SUBMITTED,
		[ORDERED_START] = CTF_START,	  [ORDERED_STOP] = CTF_STOP,
		[ORDERED_RECORD] = CTF_RECORD,
	};

	return kinds[kind];
}

static int ctf_keep(void *user, enum ordered_event_kind kind, int64_t ns,
		    const struct event_item *item, struct text *kept)
{
	struct export *export = user;
	const struct trace_event *event = item->event;
	const struct tandem_call_record *call = (const void *)event->record;
	const struct trace_stream *stream = event->stream;
	int status;

	if (!export_wants(export, item))
		return 0;
	status = keep_head(export, kept, event, kind_of(kind));

	if (kind >= ORDERED_QUEUED && kind <= ORDERED_STOP && item->operation.stream != TRACE_NONE)
		stream = trace_ahead_stream(&export->iterator->ahead, item->operation.stream);
	if (stream == event->stream)
		keep_context(export, kept, stream, event->tid, event->thread_name);
	else
		keep_context(export, kept, stream, stream->tid, stream->thread_name);
	switch (kind) {
	case ORDERED_BEGIN:
		text_add(kept, (const char *)(call + 1), event->bytes - sizeof(*call));
		break;
	case ORDERED_END:
		KEEP(kept, int32_t, call->result);
		KEEP(kept, uint64_t, (uint64_t)(ns - event->ns));
		break;
	case ORDERED_RECORD:
		keep_record(export, kept, item);
		break;
	default:
		keep_phase(export, kept, item, kind == ORDERED_STOP);
	}
	return status;
}

static int ctf_take(void *user, const struct reorder_event *event)
{
	struct export *export = user;
	struct ctf *state = export->state;
	int64_t ns = export_time(export, event->time_ns + event->moved_ns);

	/* Damage can put anything anywhere; a stream never goes back. */
	if (ns > 0 && (uint64_t)ns > state->last_ns)
		state->last_ns = (uint64_t)ns;
	if (!state->packet.length && !state->sequence)
		state->packet_begin_ns = state->last_ns;
	KEEP(&state->packet, uint64_t, state->last_ns);
	text_add(&state->packet, event->payload, event->bytes);
	if (state->packet.failed)
		return -ENOMEM;
	return state->packet.length < PACKET_BYTES ? 0 : write_packet(export);
}

/* --- sessions */

static int ctf_session(struct export *export)
{
	static const struct ordered_events_ops ops = {.keep = ctf_keep, .take = ctf_take};
	const struct trace_session *session = export->iterator->session;
	const struct trace_run *run = &session->run;
	struct ctf *state = export->state;
	int status;

	if (!export->session) {
		make_uuid(state, session);
		ctf_metadata_begin(&state->metadata, state->uuid,
				   run->start_realtime_ns > run->start_monotonic_ns
					   ? run->start_realtime_ns - run->start_monotonic_ns
					   : 0);
	}
	if (array_reserve(&state->streams, &state->stream_capacity, export->session + 1,
			  sizeof(*state->streams)))
		return -ENOMEM;
	state->packet_begin_ns = state->last_ns = state->sequence = state->lost = 0;
	status = open_output(export, &state->streams[export->session], "stream",
			     export->session + 1);
	if (status)
		return status;
	state->stream_count++;
	status = ordered_events_open(&state->ordered_events, export->iterator, &ops, export);
	state->ordering = !status;
	return status;
}

static int ctf_item(struct export *export, const struct event_item *item)
{
	struct ctf *state = export->state;

	if (item->kind == ITEM_LOST)
		state->lost += ((const struct tandem_rec_lost *)item->event->record)->count;
	return ordered_events_add(&state->ordered_events, item);
}

static int ctf_session_end(struct export *export)
{
	struct ctf *state = export->state;
	int status = ordered_events_finish(&state->ordered_events);

	ordered_events_close(&state->ordered_events);
	state->ordering = false;
	/* Also an empty one: the session is there. */
	if (!status && (state->packet.length || !state->sequence))
		status = write_packet(export);
	return status;
}

/* Streams of an export of more sessions that was here before would belong to the
 * new one. */
static void remove_old_streams(struct export *export, size_t number)
{
	char *path = ctf_path(export, "stream", number);

	while (path && !unlink(path)) {
		free(path);
		path = ctf_path(export, "stream", ++number);
	}
	free(path);
}

static int ctf_end(struct export *export)
{
	struct ctf *state = export->state;
	int status = state->metadata.text.failed ? -ENOMEM : 0;

	output_text(&state->metadata_out, &state->metadata.text);
	for (size_t i = 0; !status && i < state->stream_count; i++)
		status = output_write_out(&state->streams[i], export->error);
	if (!status)
		status = output_write_out(&state->metadata_out, export->error);
	for (size_t i = 0; !status && i < state->stream_count; i++)
		status = output_close(&state->streams[i], export->error);
	if (!status)
		status = output_close(&state->metadata_out, export->error);
	if (status)
		return status;
	state->made = false; /* stays */
	remove_old_streams(export, state->stream_count + 1);
	return 0;
}

static void ctf_release(struct export *export)
{
	struct ctf *state = export->state;

	if (state->ordering)
		ordered_events_close(&state->ordered_events);
	for (size_t i = 0; i < state->stream_count; i++)
		output_drop(&state->streams[i]);
	output_drop(&state->metadata_out);
	if (state->made) {
		remove_old_streams(export, 1);
		rmdir(export->out);
	}
	free(state->streams);
	text_free(&state->packet);
	ctf_metadata_free(&state->metadata);
}

const struct export_ops export_ctf = {
	.name = "ctf",
	.words = "a folder with one chronological CTF 1.8 trace, for babeltrace2, Trace Compass",
	.suffix = "-ctf",
	.own_output = true,
	.state_bytes = sizeof(struct ctf),
	.begin = ctf_begin,
	.session = ctf_session,
	.any = ctf_item,
	.session_end = ctf_session_end,
	.end = ctf_end,
	.release = ctf_release,
};
