/* SPDX-License-Identifier: MIT */
/* Perfetto: sessions, processes, threads and their calls; the table of
 * operations. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export/perfetto/args.h"
#include "export/perfetto/perfetto.h"
#include "trace/field.h"

/* Perfetto takes its own clock for CLOCK_BOOTTIME, and so do its readers. Ours is
 * CLOCK_MONOTONIC; they differ by the time that the machine was suspended. */
static void write_clocks(struct export *export)
{
	const struct trace_run *run = &export->iterator->session->run;
	struct perfetto *state = export->state;
	struct text *packet = &state->writer.packet;
	const struct {
		uint64_t id, time;
	} clocks[] = {
		{BOOTTIME, run->start_monotonic_ns},
		{MONOTONIC, run->start_monotonic_ns},
		{REALTIME, run->start_realtime_ns},
	};
	size_t snapshot;

	perfetto_packet_begin(&state->writer, export->origin_ns);
	snapshot = proto_begin(packet, PERFETTO_CLOCK_SNAPSHOT);
	for (size_t i = 0; i < sizeof(clocks) / sizeof(*clocks); i++) {
		size_t clock = proto_begin(packet, SNAPSHOT_CLOCK);

		proto_number(packet, CLOCK_ID, clocks[i].id);
		proto_number(packet, CLOCK_TIME, clocks[i].time);
		proto_end(packet, clock);
	}
	proto_end(packet, snapshot);
	perfetto_packet_end(&state->writer, &export->output);
}

/* Times are on the first machine's clock already: another one's clock is said to be that. A trace
 * processor wants two rounds of it. */
static void write_clock_sync(struct export *export)
{
	static const uint32_t sides[] = {SYNC_CLIENT, SYNC_HOST};
	struct perfetto *state = export->state;
	struct text *packet = &state->writer.packet;
	size_t sync;

	perfetto_packet_begin(&state->writer, export->origin_ns);
	sync = proto_begin(packet, PERFETTO_REMOTE_CLOCK_SYNC);
	for (int i = 0; i < 2; i++) {
		size_t round = proto_begin(packet, SYNC_CLOCKS);

		for (int j = 0; j < 2; j++) {
			size_t snapshot = proto_begin(packet, sides[j]);
			size_t clock = proto_begin(packet, SNAPSHOT_CLOCK);

			proto_number(packet, CLOCK_ID, BOOTTIME);
			proto_number(packet, CLOCK_TIME, (uint64_t) export->origin_ns);
			proto_end(packet, clock);
			proto_end(packet, snapshot);
		}
		proto_end(packet, round);
	}
	proto_end(packet, sync);
	perfetto_packet_end(&state->writer, &export->output);
}

static int perfetto_session(struct export *export)
{
	struct perfetto *state = export->state;

	perfetto_packet_machine(&state->writer, export->machine);
	if (export->session == 0)
		write_clocks(export);
	else if (export->machine == export->session)
		write_clock_sync(export);
	if (perfetto_sched_session(&state->sched, export->machine))
		return -ENOMEM;
	perfetto_samples_session(&state->samples, export);
	state->open_count = export->iterator->session->stream_count;
	state->open = calloc(state->open_count + 1, sizeof(*state->open));
	if (!state->open)
		return -ENOMEM;
	for (size_t i = 0; i < state->open_count; i++)
		state->open[i].end_ns = INT64_MIN;
	return perfetto_load_session(&state->load, export);
}

static int perfetto_process(struct export *export, const struct trace_process *process)
{
	struct perfetto *state = export->state;
	struct text *packet = &state->writer.packet;
	size_t track, described;
	uint64_t id;
	int status;

	/* CPUs are no threads: what ran on them comes as events of the kernel. */
	if (process->kernel)
		return 0;
	status = tracks_find(&state->tracks, perfetto_process_key(export, process->index), &id);
	if (status < 0)
		return status;
	if (map_set(&state->sched.tasks.processes, process->pid, PERFETTO_TRACED))
		return -ENOMEM;
	track = perfetto_describe(export, id, 0);
	described = proto_begin(packet, TRACK_OF_PROCESS);
	proto_number(packet, PROCESS_PID, process->pid);
	if (*process->command)
		proto_string(packet, PROCESS_COMMAND, process->command, strlen(process->command));
	proto_string(packet, PROCESS_NAME, process->name, strlen(process->name));
	proto_end(packet, described);
	proto_number(packet, TRACK_CHILDREN, CHILDREN_BY_RANK);
	perfetto_end(export, track);
	return 0;
}

static int perfetto_thread(struct export *export, const struct trace_stream *stream)
{
	struct perfetto *state = export->state;
	struct text *packet = &state->writer.packet;
	size_t track, described;
	uint64_t id;
	int status = stream->process->kernel ? 0 : perfetto_thread_track(export, stream, &id);

	if (status <= 0)
		return status;
	track = perfetto_describe(export, id, 0);
	described = proto_begin(packet, TRACK_OF_THREAD);
	proto_number(packet, THREAD_PID, stream->process->pid);
	proto_number(packet, THREAD_TID, stream->tid);
	proto_string(packet, THREAD_NAME, stream->thread_name, strlen(stream->thread_name));
	proto_end(packet, described);
	perfetto_end(export, track);
	return 0;
}

static void close_call(struct export *export, struct perfetto_call *open)
{
	struct perfetto *state = export->state;
	size_t event;

	if (open->end_ns != INT64_MIN) {
		event = perfetto_event(export, export_time(export, open->end_ns),
				       PERFETTO_SLICE_END, open->track);
		if (open->flows.length)
			text_add(&state->writer.packet, open->flows.data, open->flows.length);
		perfetto_end(export, event);
	}
	open->end_ns = INT64_MIN;
	text_clear(&open->flows);
}

static void annotate_result(struct perfetto_writer *writer, const struct trace_event *event)
{
	const struct tandem_event *descriptor = event->layout->event;
	const char *name = trace_name_find(descriptor->results, trace_event_result(event));

	if (!trace_event_has_result(event))
		return;
	if (name)
		perfetto_annotate_word(writer, "result", name);
	else
		perfetto_annotate_signed(writer, "result", trace_event_result(event));
}

static int perfetto_call(struct export *export, const struct event_item *item)
{
	struct perfetto *state = export->state;
	struct perfetto_writer *writer = &state->writer;
	const struct trace_event *event = item->event;
	struct perfetto_call *open = &state->open[event->stream->index];
	uint64_t track;
	size_t begun;
	int status = perfetto_thread_track(export, event->stream, &track);

	if (status < 0)
		return status;
	close_call(export, open);
	begun = perfetto_event(export, export_time(export, event->ns), PERFETTO_SLICE_BEGIN, track);
	perfetto_event_name(
		export, event->layout->event->name,
		trace_session_event_domain(export->iterator->session, event->layout->event)->name);
	if (trace_event_op(event) && !trace_event_failed(event))
		proto_fixed(&writer->packet, PERFETTO_EVENT_FLOW, export_call(export, item->call));
	annotate_result(writer, event);
	perfetto_args(writer, export->iterator, event);
	perfetto_end(export, begun);
	*open = (struct perfetto_call){
		.number = item->call, .end_ns = item->end_ns, .track = track, .flows = open->flows};
	return 0;
}

static int perfetto_lost(struct export *export, const struct event_item *item)
{
	struct perfetto *state = export->state;
	uint64_t track;
	size_t event;
	int status;

	if (item->event->stream->process->kernel)
		return 0;
	status = perfetto_thread_track(export, item->event->stream, &track);
	if (status < 0)
		return status;
	event = perfetto_event(export, export_time(export, item->event->ns), PERFETTO_INSTANT,
			       track);
	perfetto_event_name(export, "records lost", "tandem");
	perfetto_args(&state->writer, export->iterator, item->event);
	perfetto_end(export, event);
	return 0;
}

static int perfetto_any(struct export *export, const struct event_item *item)
{
	struct perfetto *state = export->state;
	struct task_edge edge;
	int status = perfetto_load_item(&state->load, item);

	if (status)
		return status;
	if (item->kind == ITEM_OTHER && !item->system &&
	    event_iterator_edge(export->iterator, item->event, &edge))
		return task_flows_edge(&state->flows, &edge);
	if (item->kind == ITEM_OTHER && !item->system)
		return item_in_range(item, &export->range) ? perfetto_activity(export, item) : 0;
	if (!item->event || !item->event->stream->process->kernel)
		return 0;
	status = perfetto_samples_event(&state->samples, item->event);
	return status ? status
		      : perfetto_sched_event(&state->sched, export, &state->writer, item->event);
}

static void release_open(struct perfetto *state)
{
	for (size_t i = 0; state->open && i < state->open_count; i++)
		text_free(&state->open[i].flows);
	free(state->open);
	state->open = NULL;
}

static int perfetto_session_end(struct export *export)
{
	struct perfetto *state = export->state;
	bool failed = false;
	int status;

	for (size_t i = 0; i < state->open_count; i++) {
		failed |= state->open[i].flows.failed;
		close_call(export, &state->open[i]);
	}
	release_open(state);
	perfetto_samples_end(&state->samples);
	if (failed)
		return -ENOMEM;
	status = perfetto_dependencies(export);
	if (!status)
		status = perfetto_load_end(&state->load, export);
	return status ? status : perfetto_findings(export);
}

static void perfetto_release(struct export *export)
{
	struct perfetto *state = export->state;

	release_open(state);
	perfetto_samples_end(&state->samples);
	perfetto_load_free(&state->load);
	task_flows_free(&state->flows);
	perfetto_sched_free(&state->sched);
	perfetto_writer_free(&state->writer);
	tracks_free(&state->tracks);
}

const struct export_ops export_perfetto = {
	.name = "perfetto",
	.words = "for ui.perfetto.dev and its trace processor",
	.suffix = ".pftrace",
	.with_findings = true,
	.state_bytes = sizeof(struct perfetto),
	.session = perfetto_session,
	.process = perfetto_process,
	.thread = perfetto_thread,
	.call = perfetto_call,
	.operation = perfetto_command,
	.memory = perfetto_memory,
	.build = perfetto_build,
	.range = perfetto_range,
	.lost = perfetto_lost,
	.engines = perfetto_engines,
	.any = perfetto_any,
	.session_end = perfetto_session_end,
	.release = perfetto_release,
};
