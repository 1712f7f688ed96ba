/* SPDX-License-Identifier: MIT */
#include "view/rows/threads/threads.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/event_sequence.h"
#include "schema/domain.h"
#include "trace/field.h"
#include "util/text.h"
#include "view/rows/tasks/task_label.h"

/* Calls nested deeper than this share the last track. */
#define DEPTH_MOST 32u

/* Of an event there are so many labels: with each set of flags, blocking and not. */
#define LABELS_OF_EVENT 8u

struct view_thread {
	uint32_t row;
	unsigned depth; /* calls that are going on */
	int64_t ends_ns[DEPTH_MOST];
	unsigned track_count;
	struct track_writer *tracks[DEPTH_MOST];
};

static int add_activity_track(struct view_threads *threads, uint32_t row,
			      struct activity_track *activity)
{
	int status = index_writer_label(threads->writer, "in API calls", VIEW_SPAN_active, 0,
					&activity->label);

	activity->gap_ns = VIEW_STRIP_GAP_NS;
	if (!status)
		status = index_writer_track(threads->writer, row, VIEW_TRACK_activity,
					    &activity->track);
	if (!status)
		activity->track->again = true;
	return status;
}

static uint64_t thread_key(uint32_t process_row, uint32_t tid)
{
	return (uint64_t)process_row << 32 | tid;
}

static int add_thread(struct view_threads *threads, uint32_t process_row, uint32_t stream,
		      uint32_t tid, const char *name, uint32_t *number)
{
	const struct view_row *process = &threads->writer->rows[process_row];
	struct view_row row = {
		.kind = VIEW_ROW_thread,
		.parent = process_row,
		.process = process->process,
		.stream = stream,
		.number = tid,
		.device = VIEW_NONE,
	};
	struct text note = TEXT_INIT;
	int status;

	text_format(&note, "thread %" PRIu32 " of process %" PRIu64, tid, process->number);
	status = note.failed ? -ENOMEM
			     : index_writer_named_row(threads->writer, row, *name ? name : "thread",
						      note.data, number);
	text_free(&note);
	return status ? status : map_set(&threads->row_of, thread_key(process_row, tid), *number);
}

/* The process of that number that was there last. */
static const struct trace_process *find_process(const struct view_threads *threads, uint64_t pid)
{
	for (size_t i = threads->session->process_count; i-- > 0;) {
		const struct trace_process *process = &threads->session->processes[i];

		if (!process->kernel && process->pid == pid)
			return process;
	}
	return NULL;
}

bool view_threads_find(const struct view_threads *threads, uint64_t pid, uint32_t tid,
		       uint32_t *row)
{
	uint64_t stranger = map_get(&threads->other_processes, pid);
	uint64_t known = MAP_NONE;

	if (stranger != MAP_NONE)
		known = map_get(&threads->row_of, thread_key((uint32_t)stranger, tid));
	for (size_t i = 0; i < threads->session->process_count && known == MAP_NONE; i++) {
		const struct trace_process *process = &threads->session->processes[i];

		if (!process->kernel && process->pid == pid)
			known = map_get(&threads->row_of,
					thread_key(threads->process_rows[process->index], tid));
	}
	*row = (uint32_t)known;
	return known != MAP_NONE;
}

uint32_t view_threads_row(const struct view_threads *threads, uint32_t stream)
{
	return threads->threads[stream].row;
}

int view_threads_add(struct view_threads *threads, uint64_t pid, uint32_t tid, const char *name,
		     uint32_t *row)
{
	const struct trace_process *process = find_process(threads, pid);
	uint64_t stranger = map_get(&threads->other_processes, pid);
	uint32_t parent;

	if (process)
		parent = threads->process_rows[process->index];
	else if (stranger != MAP_NONE)
		parent = (uint32_t)stranger;
	else
		return -EINVAL;
	return add_thread(threads, parent, VIEW_NONE, tid, name, row);
}

int view_threads_add_process(struct view_threads *threads, uint64_t pid, const char *name)
{
	struct view_row row = {
		.kind = VIEW_ROW_process,
		.process = VIEW_NONE,
		.stream = VIEW_NONE,
		.number = pid,
		.device = VIEW_NONE,
	};
	uint32_t number;
	int status;

	if (find_process(threads, pid) || map_get(&threads->other_processes, pid) != MAP_NONE)
		return 0;
	status = view_hosts_process(threads->hosts, pid, &row.parent);
	if (!status)
		status = index_writer_named_row(threads->writer, row, *name ? name : "process",
						"made no API calls", &number);
	return status ? status : map_set(&threads->other_processes, pid, number);
}

int view_threads_name(struct view_threads *threads, uint64_t pid, const char *name)
{
	const struct trace_process *process = find_process(threads, pid);
	uint32_t row;

	if (!process || process->stream_count || !*name)
		return 0;
	row = threads->process_rows[process->index];
	return index_writer_name(threads->writer, name, &threads->writer->rows[row].name);
}

static int add_process(struct view_threads *threads, const struct trace_process *process)
{
	struct view_row row = {
		.kind = VIEW_ROW_process,
		.process = process->index,
		.stream = VIEW_NONE,
		.number = process->pid,
		.device = VIEW_NONE,
	};
	int status = view_hosts_process(threads->hosts, process->pid, &row.parent);

	if (!status)
		status = index_writer_named_row(
			threads->writer, row, *process->name ? process->name : "process",
			process->command, &threads->process_rows[process->index]);
	if (!status)
		status = add_activity_track(threads, threads->process_rows[process->index],
					    &threads->processes[process->index]);
	for (size_t i = 0; i < process->stream_count && !status; i++) {
		const struct trace_stream *stream = &process->streams[i];

		status = add_thread(threads, threads->process_rows[process->index], stream->index,
				    stream->tid, stream->thread_name,
				    &threads->threads[stream->index].row);
	}
	return status;
}

int view_threads_init(struct view_threads *threads, struct index_writer *writer,
		      struct trace_session *session, struct view_hosts *hosts, int64_t end_ns)
{
	int status = 0;

	memset(threads, 0, sizeof(*threads));
	threads->writer = writer;
	threads->session = session;
	threads->end_ns = end_ns;
	threads->hosts = hosts;
	threads->label_count = session->event_count;
	threads->labels =
		calloc(threads->label_count * LABELS_OF_EVENT + 1, sizeof(*threads->labels));
	threads->threads = calloc(session->stream_count + 1, sizeof(*threads->threads));
	threads->processes = calloc(session->process_count + 1, sizeof(*threads->processes));
	threads->process_rows = calloc(session->process_count + 1, sizeof(*threads->process_rows));
	if (!threads->labels || !threads->threads || !threads->processes || !threads->process_rows)
		status = -ENOMEM;
	if (!status)
		status = add_activity_track(threads, hosts->session_row, &threads->all);
	for (size_t i = 0; i < session->traced_count && !status; i++)
		status = add_process(threads, &session->processes[i]);
	if (status)
		view_threads_free(threads);
	return status;
}

/* An enqueue that returns when its command is complete is seen as the wait that it is. */
static enum view_span_kind kind_of(const struct tandem_event *event, bool blocks)
{
	switch ((enum tandem_event_class)event->class) {
	case TANDEM_CLASS_ENQUEUE:
		return blocks ? VIEW_SPAN_blocking : VIEW_SPAN_enqueue;
	case TANDEM_CLASS_WAIT:
		return VIEW_SPAN_wait;
	case TANDEM_CLASS_CREATE:
		return VIEW_SPAN_create;
	case TANDEM_CLASS_RELEASE:
		return VIEW_SPAN_release;
	case TANDEM_CLASS_BUILD:
		return VIEW_SPAN_build;
	case TANDEM_CLASS_CALL:
	case TANDEM_CLASS_QUERY:
	case TANDEM_CLASS_RETAIN:
	case TANDEM_CLASS_TASK:
	case TANDEM_CLASS_CALLBACK:
	case TANDEM_CLASS_RECORD:
		break;
	}
	return VIEW_SPAN_call;
}

static int find_label(struct view_threads *threads, const struct trace_event *event,
		      uint32_t *label)
{
	unsigned flags = (trace_event_failed(event) ? VIEW_FLAG_failed : 0) |
			 (event->end_ticks ? 0 : VIEW_FLAG_unfinished);
	bool blocks = trace_event_blocks(event);
	uint32_t *known =
		&threads->labels[event->layout->index * LABELS_OF_EVENT + flags + blocks * 4u];
	const struct tandem_event *descriptor = event->layout->event;
	int status = 0;

	if (!*known) {
		/* As the session has it: this build may not know the domain. */
		const struct tandem_domain_row *domain =
			trace_session_event_domain(event->stream->process->session, descriptor);

		status = index_writer_label(threads->writer, descriptor->name,
					    kind_of(descriptor, blocks), flags, known);
		if (!status)
			index_writer_brief(threads->writer, *known, descriptor->name,
					   tandem_domain_brief(domain, descriptor->name));
		++*known;
	}
	*label = *known - 1;
	return status;
}

/* A task has its kernel's name, and its place in the source. */
static int find_task_label(struct view_threads *threads, const struct trace_event *event,
			   uint32_t *label)
{
	const struct task_construct *construct = tasks_construct(
		threads->tasks, event->stream->process->index, tasks_submitted_node(event));
	struct text text = TEXT_INIT;
	int status;

	if (!construct)
		return find_label(threads, event, label);
	status = index_writer_label(
		threads->writer, view_task_label(&text, construct->name, construct), VIEW_SPAN_call,
		event->end_ticks ? 0 : VIEW_FLAG_unfinished, label);
	text_free(&text);
	return status;
}

/* The track of a call that begins now: below the calls that are going on. */
static int find_track(struct view_threads *threads, struct view_thread *thread, int64_t begin_ns,
		      int64_t end_ns, struct track_writer **track)
{
	int status = 0;

	while (thread->depth && thread->ends_ns[thread->depth - 1] <= begin_ns)
		thread->depth--;
	if (thread->depth == DEPTH_MOST)
		thread->depth--;
	if (thread->depth == thread->track_count) {
		status = index_writer_track(threads->writer, thread->row, VIEW_TRACK_spans,
					    &thread->tracks[thread->depth]);
		thread->track_count += !status;
	}
	*track = thread->tracks[thread->depth];
	thread->ends_ns[thread->depth++] = end_ns;
	return status;
}

int view_threads_call(struct view_threads *threads, const struct event_item *item)
{
	const struct trace_event *event = item->event;
	int64_t start_ns = threads->session->start_ns;
	int64_t begin_ns = event->ns - start_ns;
	int64_t end_ns = event->end_ticks ? item->end_ns - start_ns : threads->end_ns;
	struct view_thread *thread = &threads->threads[event->stream->index];
	struct track_writer *track;
	uint32_t label;
	int status = event->layout->class == TANDEM_CLASS_TASK && threads->tasks
			     ? find_task_label(threads, event, &label)
			     : find_label(threads, event, &label);

	if (end_ns < begin_ns)
		end_ns = begin_ns;
	threads->open_calls += !event->end_ticks;
	if (!status)
		status = find_track(threads, thread, begin_ns, end_ns, &track);
	if (!status)
		status = track_writer_span(track, begin_ns, end_ns, label);
	if (!status)
		status = activity_track_add(&threads->processes[event->stream->process->index],
					    begin_ns, end_ns);
	return status ? status : activity_track_add(&threads->all, begin_ns, end_ns);
}

int view_threads_finish(struct view_threads *threads)
{
	int status = activity_track_close(&threads->all);

	for (size_t i = 0; i < threads->session->traced_count && !status; i++)
		status = activity_track_close(&threads->processes[i]);
	return status;
}

void view_threads_free(struct view_threads *threads)
{
	free(threads->threads);
	free(threads->processes);
	free(threads->process_rows);
	free(threads->labels);
	map_free(&threads->row_of);
	map_free(&threads->other_processes);
	memset(threads, 0, sizeof(*threads));
}
