/* SPDX-License-Identifier: MIT */
/* Packets that describe tracks, and packets with what is on them. */
#include <string.h>

#include "export/perfetto/perfetto.h"

uint64_t perfetto_process_key(const struct export *export, uint32_t process)
{
	return track_key(TRACK_PROCESS, export_process(export, process), 0, 0);
}

size_t perfetto_describe(struct export *export, uint64_t id, uint64_t parent)
{
	struct perfetto *state = export->state;
	struct text *packet = &state->writer.packet;
	size_t track;

	perfetto_packet_begin(&state->writer, export->origin_ns);
	track = proto_begin(packet, PERFETTO_TRACK_DESCRIPTOR);
	proto_number(packet, TRACK_ID, id);
	if (parent)
		proto_number(packet, TRACK_PARENT, parent);
	return track;
}

void perfetto_end(struct export *export, size_t message)
{
	struct perfetto *state = export->state;

	proto_end(&state->writer.packet, message);
	perfetto_packet_end(&state->writer, &export->output);
}

void perfetto_describe_named(struct export *export, uint64_t id, uint64_t parent, const char *name)
{
	struct perfetto *state = export->state;
	size_t track = perfetto_describe(export, id, parent);

	proto_string(&state->writer.packet, TRACK_NAME, name, strlen(name));
	perfetto_end(export, track);
}

void perfetto_describe_ranked(struct export *export, uint64_t id, uint64_t parent, const char *name,
			      unsigned rank)
{
	struct perfetto *state = export->state;
	size_t track = perfetto_describe(export, id, parent);

	proto_string(&state->writer.packet, TRACK_NAME, name, strlen(name));
	proto_number(&state->writer.packet, TRACK_CHILDREN, CHILDREN_BY_RANK);
	proto_number(&state->writer.packet, TRACK_RANK, rank);
	perfetto_end(export, track);
}

void perfetto_describe_counter(struct export *export, uint64_t id, uint64_t parent,
			       const char *name, unsigned unit, const char *unit_name)
{
	struct perfetto *state = export->state;
	struct text *packet = &state->writer.packet;
	size_t track = perfetto_describe(export, id, parent);
	size_t counter;

	proto_string(packet, TRACK_NAME, name, strlen(name));
	counter = proto_begin(packet, TRACK_OF_COUNTER);
	if (unit_name)
		proto_string(packet, COUNTER_UNIT_NAME, unit_name, strlen(unit_name));
	else
		proto_number(packet, COUNTER_UNIT, unit);
	proto_end(packet, counter);
	proto_number(packet, TRACK_RANK, RANK_DEPTH);
	perfetto_end(export, track);
}

int perfetto_thread_track(struct export *export, const struct trace_stream *stream, uint64_t *id)
{
	struct perfetto *state = export->state;
	uint64_t key = track_key(TRACK_THREAD, export_process(export, stream->process->index),
				 stream->tid, 0);

	return tracks_find(&state->tracks, key, id);
}

size_t perfetto_event(struct export *export, int64_t ns, unsigned type, uint64_t track)
{
	struct perfetto *state = export->state;
	struct text *packet = &state->writer.packet;
	size_t event;

	perfetto_packet_begin(&state->writer, ns);
	event = proto_begin(packet, PERFETTO_TRACK_EVENT);
	proto_number(packet, PERFETTO_EVENT_TYPE, type);
	proto_number(packet, PERFETTO_EVENT_TRACK, track);
	return event;
}

void perfetto_event_name(struct export *export, const char *name, const char *category)
{
	struct perfetto *state = export->state;
	struct text *packet = &state->writer.packet;

	proto_number(packet, PERFETTO_EVENT_NAME,
		     perfetto_intern(&state->writer, PERFETTO_NAMES, name, strlen(name)));
	proto_number(
		packet, PERFETTO_EVENT_CATEGORY,
		perfetto_intern(&state->writer, PERFETTO_CATEGORIES, category, strlen(category)));
}
