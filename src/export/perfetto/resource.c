/* SPDX-License-Identifier: MIT */
/* What is no call and no command: memory in use and the queues of GPU engines as
 * counters, program builds. */
#include <errno.h>
#include <string.h>

#include "export/perfetto/args.h"
#include "export/perfetto/perfetto.h"

int perfetto_memory(struct export *export, const struct event_item *item)
{
	struct perfetto *state = export->state;
	struct text *packet = &state->writer.packet;
	const struct memory_row *row;
	struct text name = TEXT_INIT;
	size_t event, counter;
	uint64_t id;
	int status;

	if (item->memory_row == TRACE_NONE)
		return 0;
	row = &export->iterator->memory.rows[item->memory_row];
	status = tracks_find(&state->tracks,
			     track_key(TRACK_MEMORY, export->session, item->memory_row, 0), &id);
	if (status > 0) {
		text_add_string(&name, "memory in use: ");
		if (row->device != TRACE_NONE)
			text_add_string(&name,
					event_iterator_device_name(export->iterator, row->device));
		else if (row->shared)
			text_format(&name, "a context of %u devices", row->shared);
		else
			text_add_string(&name, "host");
		event = perfetto_describe(export, id, 0);
		if (!name.failed)
			proto_string(packet, TRACK_NAME, name.data, name.length);
		counter = proto_begin(packet, TRACK_OF_COUNTER);
		proto_number(packet, COUNTER_UNIT, UNIT_BYTES);
		proto_end(packet, counter);
		perfetto_end(export, event);
	}
	if (name.failed)
		status = -ENOMEM;
	text_free(&name);
	if (status < 0)
		return status;
	event = perfetto_event(export, export_time(export, item->event->ns), PERFETTO_COUNTER, id);
	proto_number(packet, PERFETTO_EVENT_COUNTER, item->memory_live_bytes);
	perfetto_end(export, event);
	return 0;
}

static int engine_counter(struct export *export, const struct event_item *item, uint32_t index,
			  enum track_kind kind, const char *words, uint64_t value)
{
	const struct engine *engine = &export->iterator->engines.engines[index];
	struct perfetto *state = export->state;
	struct text name = TEXT_INIT;
	size_t event, counter;
	uint64_t id;
	int status = tracks_find(&state->tracks, track_key(kind, export->session, index, 0), &id);

	if (status > 0) {
		text_format(&name, "%s %s: %s", engine->driver, engine->name, words);
		event = perfetto_describe(export, id, 0);
		if (!name.failed)
			proto_string(&state->writer.packet, TRACK_NAME, name.data, name.length);
		counter = proto_begin(&state->writer.packet, TRACK_OF_COUNTER);
		proto_number(&state->writer.packet, COUNTER_UNIT, UNIT_COUNT);
		proto_end(&state->writer.packet, counter);
		perfetto_end(export, event);
	}
	status = name.failed ? -ENOMEM : status;
	text_free(&name);
	if (status < 0)
		return status;
	event = perfetto_event(export, export_time(export, item->event->ns), PERFETTO_COUNTER, id);
	proto_number(&state->writer.packet, PERFETTO_EVENT_COUNTER, value);
	perfetto_end(export, event);
	return 0;
}

int perfetto_engines(struct export *export, const struct event_item *item)
{
	int status = 0;

	for (size_t i = 0; !status && i < item->engine_count; i++) {
		uint32_t index = item->engines[i];
		const struct engine *engine = &export->iterator->engines.engines[index];

		status = engine_counter(export, item, index, TRACK_ENGINE_HOST,
					"jobs in the host's queue", engine->host);
		if (!status)
			status = engine_counter(export, item, index, TRACK_ENGINE_DEVICE,
						"jobs at the device", engine->device);
	}
	return status;
}

int perfetto_build(struct export *export, const struct event_item *item)
{
	const struct tandem_rec_build *record = (const void *)item->event->record;
	struct trace_clock *clock = &export->iterator->session->clock;
	int64_t begin_ns = export_time(export, trace_clock_ns(clock, record->begin));
	int64_t end_ns = export_time(export, trace_clock_ns(clock, record->end));
	uint32_t process = item->event->stream->process->index;
	struct perfetto *state = export->state;
	uint64_t parent, track;
	size_t event;
	int status;

	if (end_ns < begin_ns)
		return 0;
	status = tracks_find(&state->tracks, perfetto_process_key(export, process), &parent);
	if (status >= 0)
		status = tracks_lane(&state->tracks,
				     track_key(TRACK_BUILDS, export_process(export, process), 0, 0),
				     begin_ns, end_ns, &track);
	if (status < 0)
		return status;
	if (status > 0)
		perfetto_describe_ranked(export, track, parent, "program builds", RANK_OTHERS);
	event = perfetto_event(export, begin_ns, PERFETTO_SLICE_BEGIN, track);
	perfetto_event_name(export, "build",
			    devices_domain(export->iterator->session, record->domain));
	perfetto_args(&state->writer, export->iterator, item->event);
	perfetto_end(export, event);
	perfetto_end(export, perfetto_event(export, end_ns, PERFETTO_SLICE_END, track));
	return 0;
}
