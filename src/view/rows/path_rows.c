/* SPDX-License-Identifier: MIT */
#include "view/rows/path_rows.h"

#include <errno.h>
#include <string.h>

#include "analysis/model/graph_event.h"

static const enum view_span_kind span_kinds[] = {
	[GRAPH_PART_BEFORE] = VIEW_SPAN_path_before,
	[GRAPH_PART_HOST] = VIEW_SPAN_path_host,
	[GRAPH_PART_CALL] = VIEW_SPAN_path_call,
	[GRAPH_PART_LAUNCH] = VIEW_SPAN_path_launch,
	[GRAPH_PART_BEHIND] = VIEW_SPAN_path_behind,
	[GRAPH_PART_EXECUTION] = VIEW_SPAN_path_execution,
	[GRAPH_PART_RETURN] = VIEW_SPAN_path_return,
	[GRAPH_PART_AFTER] = VIEW_SPAN_path_after,
};

static int add_row(struct path_rows *rows)
{
	struct index_writer *writer = rows->writer;
	const struct view_row row = {
		.kind = VIEW_ROW_critical_path,
		.parent = rows->session_row,
		.process = VIEW_NONE,
		.stream = VIEW_NONE,
		.device = VIEW_NONE,
	};
	uint32_t number;
	int status = index_writer_named_row(writer, row, "critical path",
					    "what the run was waiting for at each moment", &number);

	if (!status)
		status = index_writer_track(writer, number, VIEW_TRACK_spans, &rows->track);
	if (status)
		return status;
	rows->track->refs_kind = VIEW_REFS_path;
	rows->track->again = true;
	return 0;
}

/* A call is as short here as in its thread's row. */
static void set_brief(struct path_rows *rows, uint32_t label, const char *name)
{
	const struct trace_session *session = rows->iterator->session;

	for (size_t i = 0; i < session->event_count; i++) {
		const struct tandem_event *event = trace_session_event_at(session, i);

		if (!event || strcmp(event->name, name) != 0)
			continue;
		index_writer_brief(
			rows->writer, label, name,
			tandem_domain_brief(trace_session_event_domain(session, event), name));
		return;
	}
}

static int find_label(struct path_rows *rows, const struct trail_piece *piece, uint32_t *label)
{
	const char *name = *piece->name ? piece->name
					: graph_part_kind_words((enum graph_part_kind)piece->kind);
	enum view_span_kind kind = piece->mixed ? VIEW_SPAN_path_several : span_kinds[piece->kind];
	uint64_t key = (uint64_t)(uintptr_t)name << 6 | kind;
	uint64_t known = map_get(&rows->label_of, key);
	int status;

	*label = (uint32_t)known;
	if (known != MAP_NONE)
		return 0;
	status = index_writer_label(rows->writer, name, kind, 0, label);
	if (!status && piece->kind == GRAPH_PART_CALL)
		set_brief(rows, *label, name);
	return status ? status : map_set(&rows->label_of, key, *label);
}

static int take_piece(void *user, const struct trail_piece *piece)
{
	struct path_rows *rows = user;
	int64_t start_ns = rows->iterator->session->start_ns;
	uint32_t label;
	int status = rows->track ? 0 : add_row(rows);

	if (!status)
		status = find_label(rows, piece, &label);
	return status ? status
		      : track_writer_ref(rows->track, piece->begin_ns - start_ns,
					 piece->end_ns - start_ns, label, piece->stream);
}

static int take_event(void *user, const struct sequence_event *event)
{
	return graph_event(&((struct path_rows *)user)->graph, event);
}

static void take_interval(void *user, const struct wait_thread *thread,
			  const struct states_interval *interval)
{
	struct path_rows *rows = user;

	if (!rows->failed)
		rows->failed = graph_interval(&rows->graph, thread, interval);
}

int path_rows_init(struct path_rows *rows, struct index_writer *writer,
		   struct event_iterator *iterator, uint32_t session_row)
{
	int status;

	memset(rows, 0, sizeof(*rows));
	rows->writer = writer;
	rows->iterator = iterator;
	rows->session_row = session_row;
	status = waits_init(&rows->waits, iterator->session);
	if (status)
		return status;
	rows->waits.range = RANGE_WHOLE;
	rows->waits.states.counted = RANGE_WHOLE;
	rows->waits.emit = take_interval;
	rows->waits.user = rows;
	status = graph_open(&rows->graph, iterator, rows->waits.any ? &rows->waits : NULL);
	rows->opened = !status;
	if (status) {
		waits_free(&rows->waits);
		return status;
	}
	graph_follow(&rows->graph, take_piece, rows);
	status = event_sequence_open(&rows->sequence, iterator, take_event, rows);
	rows->sequence.unwanted = 1u << SEQUENCE_QUEUED;
	rows->sequenced = !status;
	return status;
}

int path_rows_item(struct path_rows *rows, const struct event_item *item)
{
	int status = 0;

	if (item->system)
		status = rows->waits.any ? waits_kernel(&rows->waits, item->event) : 0;
	else if (item->kind == ITEM_CALL && rows->waits.any)
		status = waits_call(&rows->waits, item->event);
	if (!status)
		status = rows->failed;
	if (!status && !item->system)
		status = event_sequence_item(&rows->sequence, item);
	return status;
}

int path_rows_finish(struct path_rows *rows)
{
	int status = event_sequence_finish(&rows->sequence);

	return status ? status : graph_finish(&rows->graph);
}

void path_rows_free(struct path_rows *rows)
{
	if (rows->sequenced)
		event_sequence_close(&rows->sequence);
	if (rows->opened) {
		graph_close(&rows->graph);
		waits_free(&rows->waits);
	}
	map_free(&rows->label_of);
	memset(rows, 0, sizeof(*rows));
}
