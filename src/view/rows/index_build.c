/* SPDX-License-Identifier: MIT */
#include "view/rows/index_build.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/event_iterator.h"
#include "trace/session/cache.h"
#include "trace/session/fingerprint.h"
#include "util/units.h"
#include "view/index/index_writer.h"
#include "view/rows/activity_rows.h"
#include "view/rows/path_rows.h"
#include "view/rows/queues.h"
#include "view/rows/range_rows.h"
#include "view/rows/resources.h"
#include "view/rows/tasks/task_graph.h"
#include "view/rows/tasks/task_rows.h"
#include "view/rows/threads/cpus.h"
#include "view/rows/threads/samples.h"
#include "view/rows/threads/state_rows.h"
#include "view/rows/threads/thread_order.h"
#include "view/rows/threads/threads.h"

/* A place of a device's clock that is less sure than this is worth a word. */
#define WIDE_BOUND_NS 100000u

struct index_build {
	struct trace_session *session;
	struct event_iterator iterator;
	struct index_writer writer;
	struct view_hosts hosts;
	struct view_threads threads;
	struct view_queues queues;
	struct view_resources resources;
	struct state_rows state_rows;
	struct view_cpus cpus;
	struct view_samples samples;
	struct range_rows ranges;
	struct activity_rows activities;
	struct task_graph task_graph;
	struct path_rows path;
	uint32_t session_row;
	int64_t end_ns; /* of the session, since its start */
	uint64_t events, lost;
};

/* What a session's files hold: an index that says otherwise is of another time. */
static void fingerprint_of(const struct trace_session *session, uint8_t fingerprint[16])
{
	char text[TRACE_FINGERPRINT_BYTES];

	trace_fingerprint(session, text);
	memcpy(fingerprint, text, 16);
}

/* Descriptions are kept as they lie in the trace, so that an event's details need
 * no second pass over it to say what its objects are. */
static int keep_record(struct index_build *build, const struct trace_event *event)
{
	struct view_record head = {.stream = event->stream->index, .bytes = event->bytes};
	static const char zeros[8];
	struct text *records = &build->writer.records;

	text_add(records, (const char *)&head, sizeof(head));
	text_add(records, (const char *)event->record, event->bytes);
	text_add(records, zeros, -records->length & 7);
	return records->failed ? -ENOMEM : 0;
}

static int add_linux_event(struct index_build *build, const struct trace_event *event)
{
	int status = view_cpus_event(&build->cpus, &build->state_rows.states, event);

	if (!status)
		status = state_rows_linux(&build->state_rows, event);
	return status ? status : view_samples_event(&build->samples, event);
}

static int add_item(struct index_build *build, const struct event_item *item)
{
	int status = path_rows_item(&build->path, item);

	if (status)
		return status;
	if (item->event && item->event->stream->process->kernel)
		return add_linux_event(build, item->event);
	status = range_rows_item(&build->ranges, item);
	if (!status)
		status = activity_rows_item(&build->activities, item);
	if (!status)
		status = task_graph_item(&build->task_graph, item);
	if (status)
		return status;
	switch (item->kind) {
	case ITEM_CALL:
		status = view_threads_call(&build->threads, item);
		return status ? status : state_rows_call(&build->state_rows, item->event);
	case ITEM_OPERATION:
	case ITEM_UNFINISHED:
		return view_queues_command(&build->queues, item);
	case ITEM_MEMORY:
		if (item->event->record->id == TANDEM_EVENT_memory)
			status = keep_record(build, item->event);
		return status ? status : view_resources_memory(&build->resources, item);
	case ITEM_OBJECT:
		return keep_record(build, item->event);
	case ITEM_LOST:
		build->lost += ((const struct tandem_rec_lost *)item->event->record)->count;
		return 0;
	case ITEM_BUILD:
	case ITEM_ENGINES:
	case ITEM_OTHER:
		break;
	}
	return 0;
}

static int consume_all(struct index_build *build)
{
	const struct event_item *item;
	int status, added = 0;

	while (!added && (status = event_iterator_next(&build->iterator, &item)) > 0) {
		build->events += item->event && !item->event->stream->process->kernel;
		added = add_item(build, item);
	}
	if (added)
		return added;
	if (!status)
		status = view_cpus_finish(&build->cpus, &build->state_rows.states);
	if (!status)
		status = state_rows_finish(&build->state_rows, &build->threads, build->end_ns);
	if (!status)
		status = view_samples_finish(&build->samples, &build->threads);
	if (!status)
		status = view_threads_finish(&build->threads);
	if (!status)
		status = range_rows_finish(&build->ranges, &build->threads, &build->resources);
	if (!status)
		status = activity_rows_finish(&build->activities, &build->threads,
					      &build->resources);
	if (!status)
		status = path_rows_finish(&build->path);
	if (!status)
		status = task_graph_finish(&build->task_graph);
	if (!status)
		status = task_rows_add(&build->writer, build->threads.process_rows, build->end_ns);
	if (!status)
		status = thread_order_finish(&build->writer, build->samples.samples.period_ns,
					     (uint64_t)build->end_ns);
	if (!status)
		status = view_queues_finish(&build->queues, &build->resources, build->session_row);
	return status ? status : view_resources_finish(&build->resources);
}

static int add_session(struct index_build *build)
{
	const struct trace_run *run = &build->session->run;
	const struct view_row row = {.kind = VIEW_ROW_session,
				     .parent = VIEW_NONE,
				     .process = VIEW_NONE,
				     .stream = VIEW_NONE,
				     .device = VIEW_NONE};

	return index_writer_named_row(&build->writer, row,
				      *run->program ? run->program : build->session->path,
				      run->command, &build->session_row);
}

static int note_losses(struct index_build *build)
{
	static const char *const descriptions[] = {
#define X(name, text) text,
		TANDEM_LOSSES(X)
#undef X
	};
	uint64_t counted = 0;
	int status = 0;

	for (unsigned i = 0; i < TANDEM_LOSS_COUNT && !status; i++) {
		if (build->session->lost[i])
			status = index_writer_note(&build->writer, true,
						   "%" PRIu64 " records were lost: %s",
						   build->session->lost[i], descriptions[i]);
		counted += build->session->lost[i];
	}
	if (!status && build->lost > counted)
		status = index_writer_note(&build->writer, true, "%" PRIu64 " records were lost",
					   build->lost);
	return status;
}

static int note_outlived(struct index_build *build)
{
	const struct trace_session *session = build->session;
	char after[UNITS_BYTES];

	if (!session->outlived_ns)
		return 0;
	return index_writer_note(&build->writer, false,
				 "Processes that outlived the program recorded for %s after it",
				 units_ns(after, (double)session->outlived_ns));
}

static int note_damage(struct index_build *build)
{
	const struct trace_problems *problems = build->session->problems;

	if (!problems || !problems->count)
		return 0;
	return index_writer_note(&build->writer, true,
				 "The trace is damaged in %" PRIu64 " places; %" PRIu64
				 " bytes could not be read",
				 problems->count, problems->skipped_bytes);
}

static int note_clocks(struct index_build *build)
{
	int status = 0;

	for (uint32_t i = 0; i < build->iterator.devices.count && !status; i++) {
		uint64_t bound_ns = clock_sync_bound_ns(&build->iterator.clock_sync, i);
		const char *name = event_iterator_device_name(&build->iterator, i);
		char bound[UNITS_BYTES];

		if (bound_ns == CLOCKFIT_UNBOUNDED)
			status = index_writer_note(&build->writer, true,
						   "The timestamp error of %s is unbounded: "
						   "its clock could not be synchronised",
						   name);
		else if (bound_ns >= WIDE_BOUND_NS)
			status = index_writer_note(&build->writer, true,
						   "Times of %s have an error of up to %s "
						   "(clock synchronisation)",
						   name, units_ns(bound, (double)bound_ns));
	}
	return status;
}

static int note_commands(struct index_build *build)
{
	struct index_writer *writer = &build->writer;
	int status = 0;

	if (build->queues.untimed)
		status = index_writer_note(writer, true,
					   "%" PRIu64 " commands have no device times; they are "
					   "drawn from their call to their completion",
					   build->queues.untimed);
	if (!status && build->queues.unfinished)
		status = index_writer_note(writer, true,
					   "%" PRIu64 " commands did not complete in the recording",
					   build->queues.unfinished);
	if (!status && build->queues.noncausal)
		status = index_writer_note(writer, true,
					   "%" PRIu64 " commands start before their call: the "
					   "clocks disagree",
					   build->queues.noncausal);
	if (!status && build->threads.open_calls)
		status = index_writer_note(writer, false, "%" PRIu64 " calls did not return",
					   build->threads.open_calls);
	return status;
}

static int add_notes(struct index_build *build)
{
	int status = note_losses(build);

	if (!status)
		status = note_damage(build);
	if (!status)
		status = note_outlived(build);
	if (!status)
		status = note_commands(build);
	if (!status)
		status = note_clocks(build);
	if (!status && !build->state_rows.any)
		status = index_writer_note(&build->writer, false,
					   "Scheduling was not recorded: there are no thread "
					   "states and no CPU usage");
	if (!status && !build->events && build->state_rows.any)
		status = index_writer_note(&build->writer, false,
					   "No GPU API calls while recording was on");
	else if (!status && !build->events)
		status = index_writer_note(&build->writer, true, "The trace holds no events");
	return status;
}

static int build_all(struct index_build *build, struct view_header *header)
{
	int status = consume_all(build);

	if (!status)
		status = add_notes(build);
	if (!status)
		status = index_layout(&build->writer, header);
	header->events = build->events;
	header->duration_ns = trace_session_duration_ns(build->session);
	if (header->last_ns < build->end_ns)
		header->last_ns = build->end_ns;
	return status;
}

/* Where what did not end is drawn to: the end of the run, or the latest record
 * if that came later. */
static int64_t session_end_ns(struct trace_session *session)
{
	int64_t end_ns = (int64_t)trace_session_duration_ns(session);
	int64_t last_ns =
		session->last_ticks
			? trace_clock_ns(&session->clock, session->last_ticks) - session->start_ns
			: 0;

	return last_ns > end_ns ? last_ns : end_ns;
}

static int build_open(struct index_build *build, struct trace_session *session,
		      const struct progress *progress, struct view_store *store)
{
	int status;

	build->session = session;
	build->end_ns = session_end_ns(session);
	index_writer_init(&build->writer, store);
	status = event_iterator_open(&build->iterator, session, progress);
	if (status)
		return status;
	status = add_session(build);
	if (!status)
		status =
			view_hosts_init(&build->hosts, &build->writer, session, build->session_row);
	if (!status)
		status = view_threads_init(&build->threads, &build->writer, session, &build->hosts,
					   build->end_ns);
	build->threads.tasks = &build->iterator.tasks;
	view_queues_init(&build->queues, &build->writer, &build->iterator,
			 build->threads.process_rows, build->end_ns);
	view_resources_init(&build->resources, &build->writer, &build->iterator, &build->hosts);
	activity_rows_init(&build->activities, &build->writer, &build->iterator);
	task_graph_init(&build->task_graph, &build->writer, &build->iterator);
	view_samples_init(&build->samples, &build->writer, &build->state_rows.states, session);
	view_cpus_init(&build->cpus, &build->writer, &build->resources, session);
	if (!status)
		status = state_rows_init(&build->state_rows, &build->writer, session);
	if (!status)
		status = range_rows_init(&build->ranges, &build->writer, &build->iterator,
					 build->end_ns);
	if (!status)
		status = path_rows_init(&build->path, &build->writer, &build->iterator,
					build->session_row);
	return status;
}

static void build_close(struct index_build *build)
{
	path_rows_free(&build->path);
	task_graph_free(&build->task_graph);
	range_rows_free(&build->ranges);
	activity_rows_free(&build->activities);
	state_rows_free(&build->state_rows);
	view_samples_free(&build->samples);
	view_cpus_free(&build->cpus);
	view_resources_free(&build->resources);
	view_queues_free(&build->queues);
	view_threads_free(&build->threads);
	view_hosts_free(&build->hosts);
	index_writer_free(&build->writer);
	event_iterator_close(&build->iterator);
}

int index_build(struct trace_session *session, const char *folder, const struct progress *progress,
		struct view_store *store, struct error *error)
{
	struct index_build *build = calloc(1, sizeof(*build));
	struct view_header header = {
		.magic = VIEW_INDEX_MAGIC, .version = VIEW_INDEX_VERSION, .bytes = sizeof(header)};
	int status = build ? 0 : error_add(error, -ENOMEM, "out of memory");

	if (!status)
		status = view_store_create(store, folder, error);
	if (status) {
		free(build);
		return status;
	}
	fingerprint_of(session, header.fingerprint);
	status = build_open(build, session, progress, store);
	if (!status)
		status = build_all(build, &header);
	if (!status)
		status = view_store_commit(store, &header);
	build_close(build);
	free(build);
	if (status) {
		view_store_close(store);
		error_add(error, status, "%s: cannot make the timeline's index: %s", session->path,
			  strerror(-status));
	}
	return status;
}

int index_build_open(struct view_index *index, struct trace_session *session,
		     const struct progress *progress, struct error *error)
{
	/* The one that is kept is of the trace as it is. */
	char *folder = session->kernel_from ? NULL : trace_cache_folder(session->path);
	struct view_store store;
	uint8_t fingerprint[16];
	struct error first = ERROR_INIT;
	int status;

	fingerprint_of(session, fingerprint);
	if (folder && !view_index_open(index, folder, fingerprint)) {
		free(folder);
		return 0;
	}
	status = index_build(session, folder, progress, &store, folder ? &first : error);
	/* The disk of the cache may be full where that of temporary files is not. */
	if (folder && (status == -ENOSPC || status == -EDQUOT || status == -EIO))
		status = index_build(session, NULL, progress, &store, error);
	else if (folder && status && error)
		*error = first;
	free(folder);
	if (status)
		return status;
	status = view_index_map(index, store.fd, fingerprint);
	view_store_close(&store);
	if (status)
		return error_add(error, status, "%s: cannot read the timeline's index: %s",
				 session->path, strerror(-status));
	return 0;
}
