/* SPDX-License-Identifier: MIT */
/* JSON of the Trace Event Format, as chrome://tracing, Perfetto, speedscope and
 * many other tools read it. A row of a queue is a thread of its process there,
 * with a number that no thread has. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/event_args.h"
#include "analysis/operations/operation.h"
#include "export/chrome/line.h"
#include "export/chrome/ranges.h"
#include "trace/field.h"
#include "util/array.h"

static int chrome_begin(struct export *export)
{
	static const char head[] = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [";

	output_add(&export->output, head, sizeof(head) - 1);
	return 0;
}

/* `key`: what the readers look for in an event of this name. */
static int chrome_process(struct export *export, const struct trace_process *process)
{
	if (process->kernel)
		return 0; /* CPUs are no threads */
	chrome_name_place(export, "process_name", "name", process->pid, process->pid,
			  process->name);
	if (*process->command)
		chrome_name_place(export, "process_labels", "labels", process->pid, process->pid,
				  process->command);
	return 0;
}

static int chrome_session(struct export *export)
{
	struct chrome *state = export->state;

	state->thread_count = 0;
	return 0;
}

static int chrome_thread(struct export *export, const struct trace_stream *stream)
{
	struct chrome *state = export->state;

	if (array_reserve(&state->threads, &state->thread_capacity, stream->index + 1u,
			  sizeof(*state->threads)))
		return -ENOMEM;
	while (state->thread_count <= stream->index)
		state->threads[state->thread_count++] = stream;
	if (stream->process->kernel)
		return 0;
	chrome_name_place(export, "thread_name", "name", stream->process->pid, stream->tid,
			  stream->thread_name);
	return 0;
}

static void add_flow(struct export *export, const char *phase, uint64_t pid, uint64_t tid,
		     int64_t ns, uint64_t call)
{
	struct chrome *state = export->state;

	chrome_line_begin(export, phase, "command");
	json_string(&state->json, "cat", "flow");
	json_unsigned(&state->json, "id", export_call(export, call));
	if (*phase == 'f')
		json_string(&state->json, "bp", "e");
	chrome_add_place(export, pid, tid);
	chrome_add_time(export, "ts", ns);
	chrome_line_end(export);
}

static void add_result(struct json *json, const struct trace_event *event)
{
	const struct tandem_event *descriptor = event->layout->event;
	const char *name = trace_name_find(descriptor->results, trace_event_result(event));

	if (!trace_event_has_result(event))
		return;
	if (name)
		json_string(json, "result", name);
	else
		json_signed(json, "result", trace_event_result(event));
}

static int chrome_call(struct export *export, const struct event_item *item)
{
	const struct trace_event *event = item->event;
	const struct trace_stream *stream = event->stream;
	bool returned = item->end_ns != INT64_MIN;
	struct chrome *state = export->state;
	struct json *json = &state->json;

	chrome_line_begin(export, returned ? "X" : "B", event->layout->event->name);
	json_string(
		json, "cat",
		trace_session_event_domain(export->iterator->session, event->layout->event)->name);
	chrome_add_place(export, stream->process->pid, stream->tid);
	chrome_add_time(export, "ts", event->ns);
	if (returned)
		chrome_add_us(json, "dur", item->end_ns - event->ns);
	json_begin_object(json, "args");
	add_result(json, event);
	event_args_json(json, &export->iterator->devices.objects, export->iterator->session, event);
	json_end_object(json);
	chrome_line_end(export);
	return 0;
}

static int row_tid(struct export *export, const struct operation *operation, uint64_t *tid)
{
	bool kernel = operation->kind == TANDEM_OPERATION_KIND_kernel;
	struct chrome *state = export->state;
	struct text name = TEXT_INIT;
	int status = tracks_lane(&state->tracks,
				 track_key(TRACK_ROW, export_process(export, operation->process),
					   operation->queue_number, kernel),
				 operation->times.start_ns, operation->times.end_ns, tid);

	if (status < 0)
		return status;
	*tid += CHROME_FIRST_ROW_TID;
	if (!status)
		return 0;
	text_format(&name, "queue %u %s on %s", operation->queue_number,
		    kernel ? "kernels" : "transfers",
		    event_iterator_device_name(export->iterator, operation->device));
	chrome_name_place(export, "thread_name", "name",
			  export->iterator->session->processes[operation->process].pid, *tid,
			  name.failed ? "" : name.data);
	text_free(&name);
	return 0;
}

static void add_sizes(struct json *json, const char *key, const uint64_t *sizes, unsigned count)
{
	if (!count)
		return;
	json_begin_array(json, key);
	for (unsigned i = 0; i < count; i++)
		json_unsigned(json, NULL, sizes[i]);
	json_end_array(json);
}

static void add_operation_args(struct export *export, struct json *json,
			       const struct operation *operation)
{
	const struct tandem_rec_operation *record = operation->record;
	const struct tandem_event *api =
		trace_session_event(export->iterator->session, operation->api);

	const struct task_construct *construct =
		event_iterator_construct(export->iterator, operation);

	json_begin_object(json, "args");
	json_string(json, "kind", operation_kind_name(operation->kind));
	if (api)
		json_string(json, "call", api->name);
	json_unsigned(json, "op", operation->op);
	json_unsigned(json, "bytes", record->bytes);
	json_signed(json, "status", record->status);
	if (record->queued <= record->submitted && record->submitted <= record->start) {
		json_unsigned(json, "in_host_queue_ns", record->submitted - record->queued);
		json_unsigned(json, "in_device_queue_ns", record->start - record->submitted);
	}
	if (operation->times.bound_ns != CLOCKFIT_UNBOUNDED)
		json_unsigned(json, "clock_bound_ns", operation->times.bound_ns);
	if (construct) {
		json_unsigned(json, "node", operation->node);
		json_string(json, "task", construct->name);
		json_string(json, "place", construct->place);
	}
	add_sizes(json, "global", operation->size.global, operation->size.dimensions);
	add_sizes(json, "local", operation->size.local, operation->size.local_dimensions);
	json_end_object(json);
}

static int chrome_command(struct export *export, const struct event_item *item)
{
	const struct operation *operation = &item->operation;
	uint64_t pid = export->iterator->session->processes[operation->process].pid;
	struct chrome *state = export->state;
	struct task_place place;
	uint64_t tid;
	int status;

	/* Without a place in time there is nothing to draw. */
	if (!operation->placed)
		return 0;
	status = row_tid(export, operation, &tid);
	if (status)
		return status;
	chrome_line_begin(export, "X", operation->name);
	json_string(&state->json, "cat", operation_kind_name(operation->kind));
	chrome_add_place(export, pid, tid);
	chrome_add_time(export, "ts", operation->times.start_ns);
	chrome_add_us(&state->json, "dur", operation->times.end_ns - operation->times.start_ns);
	add_operation_args(export, &state->json, operation);
	chrome_line_end(export);
	if (operation->node) {
		place = (struct task_place){tid, pid, operation->times.start_ns,
					    operation->times.end_ns};
		status = task_flows_operation(&state->flows, operation->process, operation->node,
					      &place);
		if (status < 0)
			return status;
	}
	/* Both ends at once: a call whose command failed or never ended leads nowhere. */
	if (operation->call && operation->stream < state->thread_count &&
	    export_holds(export, operation->call_begin_ns)) {
		const struct trace_stream *thread = state->threads[operation->stream];

		if (!operation->further)
			add_flow(export, "s", thread->process->pid, thread->tid,
				 operation->call_begin_ns, operation->call);
		add_flow(export, "f", pid, tid, operation->times.start_ns, operation->call);
	}
	return 0;
}

/* What no call and no command is, on rows of its process: builds, overhead, faults, loaded
 * code, the program's numbers of operations. */
static int activity_row(struct export *export, uint32_t process, unsigned row, const char *text,
			int64_t begin_ns, int64_t end_ns, uint64_t *tid)
{
	struct chrome *state = export->state;
	uint64_t key = track_key(TRACK_ACTIVITY, export_process(export, process), row, 0);
	int status = tracks_lane(&state->tracks, key, begin_ns, end_ns, tid);

	if (status < 0)
		return status;
	*tid += CHROME_FIRST_ROW_TID;
	if (status)
		chrome_name_place(export, "thread_name", "name",
				  export->iterator->session->processes[process].pid, *tid, text);
	return 0;
}

static int add_activity(struct export *export, const struct event_item *item, unsigned row,
			const char *text, int64_t begin_ns, int64_t end_ns)
{
	const struct trace_event *event = item->event;
	struct chrome *state = export->state;
	struct json *json = &state->json;
	bool lasts = end_ns > begin_ns;
	uint64_t tid;
	int status = activity_row(export, event->stream->process->index, row, text, begin_ns,
				  end_ns, &tid);

	if (status)
		return status;
	chrome_line_begin(export, lasts ? "X" : "i", event->layout->event->name);
	json_string(json, "cat", "activity");
	chrome_add_place(export, event->stream->process->pid, tid);
	chrome_add_time(export, "ts", begin_ns);
	if (lasts)
		chrome_add_us(json, "dur", end_ns - begin_ns);
	else
		json_string(json, "s", "t");
	json_begin_object(json, "args");
	event_args_json(json, &export->iterator->devices.objects, export->iterator->session, event);
	json_end_object(json);
	chrome_line_end(export);
	return 0;
}

static int chrome_build(struct export *export, const struct event_item *item)
{
	const struct tandem_rec_build *record = (const void *)item->event->record;
	struct trace_clock *clock = &export->iterator->session->clock;

	return add_activity(export, item, TANDEM_RECORD_COUNT, "program builds",
			    trace_clock_ns(clock, record->begin),
			    trace_clock_ns(clock, record->end));
}

/* From where a task's operation ends to where that begins which depends on it. */
static int chrome_session_end(struct export *export)
{
	struct chrome *state = export->state;
	size_t at = 0, from, to;

	while (task_flows_next(&state->flows, &at, &from, &to)) {
		const struct task_place *ends[] = {&state->flows.places[from],
						   &state->flows.places[to]};

		for (unsigned i = 0; i < 2; i++) {
			chrome_line_begin(export, i ? "f" : "s", "dependency");
			json_string(&state->json, "cat", "dependency");
			json_unsigned(&state->json, "id", state->dependencies + at);
			json_string(&state->json, "bp", "e");
			chrome_add_place(export, ends[i]->pid, ends[i]->track);
			chrome_add_time(export, "ts", i ? ends[i]->start_ns : ends[i]->end_ns);
			chrome_line_end(export);
		}
	}
	state->dependencies += at;
	task_flows_free(&state->flows);
	return 0;
}

static int chrome_any(struct export *export, const struct event_item *item)
{
	struct chrome *state = export->state;
	struct task_edge edge;
	unsigned role;
	int64_t begin_ns, end_ns;

	if (item->kind != ITEM_OTHER || item->system || !item_in_range(item, &export->range))
		return 0;
	if (event_iterator_edge(export->iterator, item->event, &edge))
		return task_flows_edge(&state->flows, &edge);
	role = item->event->layout->event->traits.record;
	if (!export_activity_row(role))
		return 0;
	export_activity_times(export, item->event, &begin_ns, &end_ns);
	return add_activity(export, item, role, export_activity_row(role), begin_ns, end_ns);
}

static int chrome_memory(struct export *export, const struct event_item *item)
{
	struct chrome *state = export->state;
	const struct memory_row *row;

	if (item->memory_row == TRACE_NONE)
		return 0;
	row = &export->iterator->memory.rows[item->memory_row];
	chrome_line_begin(export, "C", "memory in use");
	json_string(&state->json, "cat", "memory");
	chrome_add_place(export, item->event->stream->process->pid, 0);
	chrome_add_time(export, "ts", item->event->ns);
	json_begin_object(&state->json, "args");
	json_unsigned(&state->json,
		      row->device == TRACE_NONE
			      ? row->shared ? "context" : "host"
			      : event_iterator_device_name(export->iterator, row->device),
		      item->memory_live_bytes);
	json_end_object(&state->json);
	chrome_line_end(export);
	return 0;
}

static int chrome_engines(struct export *export, const struct event_item *item)
{
	struct chrome *state = export->state;
	struct text name = TEXT_INIT;

	for (size_t i = 0; i < item->engine_count && !name.failed; i++) {
		const struct engine *engine = &export->iterator->engines.engines[item->engines[i]];

		text_clear(&name);
		text_format(&name, "%s %s", engine->driver, engine->name);
		if (name.failed)
			break;
		chrome_line_begin(export, "C", name.data);
		json_string(&state->json, "cat", "engine");
		chrome_add_place(export, item->event->stream->process->pid, 0);
		chrome_add_time(export, "ts", item->event->ns);
		json_begin_object(&state->json, "args");
		json_unsigned(&state->json, "host queue", engine->host);
		json_unsigned(&state->json, "device queue", engine->device);
		json_end_object(&state->json);
		chrome_line_end(export);
	}
	text_free(&name);
	return 0;
}

static int chrome_end(struct export *export)
{
	output_add(&export->output, "\n]}\n", 4);
	return 0;
}

static void chrome_release(struct export *export)
{
	struct chrome *state = export->state;

	text_free(&state->line);
	free(state->threads);
	tracks_free(&state->tracks);
	task_flows_free(&state->flows);
}

const struct export_ops export_chrome = {
	.name = "chrome",
	.words = "JSON for chrome://tracing and every tool that eats it",
	.suffix = ".json",
	.state_bytes = sizeof(struct chrome),
	.begin = chrome_begin,
	.session = chrome_session,
	.process = chrome_process,
	.thread = chrome_thread,
	.call = chrome_call,
	.operation = chrome_command,
	.memory = chrome_memory,
	.build = chrome_build,
	.range = chrome_range,
	.engines = chrome_engines,
	.any = chrome_any,
	.session_end = chrome_session_end,
	.end = chrome_end,
	.release = chrome_release,
};
