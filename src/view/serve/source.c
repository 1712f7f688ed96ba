/* SPDX-License-Identifier: MIT */
#include "view/serve/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/query/details/span.h"
#include "view/rows/index_build.h"

/* Of a longer name the page shows so much; the details of a span have it whole. */
#define NAME_MOST_BYTES 1024u

/* Clocks of one boot: by them the two starts are as far apart as the wall's clock
 * says, give or take what somebody may have set it by. */
#define BOOT_TOLERANCE_NS INT64_C(2000000000)

int view_source_open(struct view_source *source, struct trace_session *session,
		     const struct progress *progress, struct error *error)
{
	int status;

	*source = (struct view_source){.session = session,
				       .details_lock = PTHREAD_MUTEX_INITIALIZER,
				       .shown = RANGE_WHOLE};
	status = index_build_open(&source->index, session, progress, error);
	if (status)
		return status;
	status = view_details_open(&source->details, &source->index, session);
	if (status) {
		view_index_close(&source->index);
		return error_add(error, status, "%s: %s", session->path, strerror(-status));
	}
	return 0;
}

int view_source_detail(struct view_source *source, uint32_t track, uint32_t item, struct text *out)
{
	int status;

	pthread_mutex_lock(&source->details_lock);
	status = view_details_json(&source->details, track, item, out);
	/* The next one that somebody looks at is anywhere. */
	view_records_close(&source->details.records);
	pthread_mutex_unlock(&source->details_lock);
	return status;
}

void view_source_close(struct view_source *source)
{
	pthread_mutex_destroy(&source->details_lock);
	view_details_close(&source->details);
	view_index_close(&source->index);
}

static void add_name(struct json *json, const char *key, const char *name)
{
	size_t length = strlen(name);
	struct text cut = TEXT_INIT;

	if (length <= NAME_MOST_BYTES) {
		json_bytes(json, key, name, length);
		return;
	}
	length = NAME_MOST_BYTES;
	/* Not within a character. */
	while (length && ((unsigned char)name[length] & 0xc0) == 0x80)
		length--;
	text_add(&cut, name, length);
	text_add_string(&cut, "\xe2\x80\xa6");
	json_bytes(json, key, cut.data ? cut.data : "", cut.length);
	text_free(&cut);
}

/* From the first begin to the last end of what devices did. */
static void add_device_range(const struct view_index *index, struct json *json)
{
	int64_t from_ns = INT64_MAX, to_ns = INT64_MIN;

	for (uint64_t i = 0; i < index->tracks_count; i++) {
		const struct view_track *track = &index->tracks[i];
		struct view_tree tree;
		int64_t begin_ns;

		if (track->refs != VIEW_REFS_command || !track->again || !track->items)
			continue;
		begin_ns = view_index_item(index, track, 0)->span.begin_ns;
		if (begin_ns < from_ns)
			from_ns = begin_ns;
		view_index_tree(index, track, &tree);
		for (uint32_t k = 0; tree.levels && k < tree.counts[tree.levels - 1]; k++)
			if (tree.nodes[tree.levels - 1][k].span.end_ns > to_ns)
				to_ns = tree.nodes[tree.levels - 1][k].span.end_ns;
		for (uint32_t k = 0; !tree.levels && k < track->items; k++) {
			const struct view_span *span = &view_index_item(index, track, k)->span;
			int64_t end_ns = view_index_end(index, track, k, span);

			if (end_ns > to_ns)
				to_ns = end_ns;
		}
	}
	if (from_ns > to_ns)
		return;
	json_begin_array(json, "devices_ns");
	json_signed(json, NULL, from_ns);
	json_signed(json, NULL, to_ns);
	json_end_array(json);
}

/* As far as it lies in the session. */
static void add_shown(const struct view_source *source, struct json *json)
{
	int64_t last_ns = source->index.header->last_ns;

	if (range_is_whole(&source->shown))
		return;
	json_begin_object(json, "shown");
	json_signed(json, "begin_ns", range_clamp(&source->shown, 0));
	json_signed(json, "end_ns", range_clamp(&source->shown, last_ns));
	json_end_object(json);
}

static void add_run(const struct view_source *source, struct json *json)
{
	const struct trace_session *session = source->session;
	const struct trace_run *run = &session->run;

	json_string(json, "path", session->path);
	json_string(json, "program", run->program);
	json_string(json, "command", run->command);
	json_string(json, "host", run->host);
	json_string(json, "start", run->start);
	json_string(json, "tandem", run->tandem);
	json_bool(json, "ended", run->has_end);
	if (run->has_exit && run->exit_signal)
		json_signed(json, "exit_signal", run->exit_signal);
	else if (run->has_exit)
		json_signed(json, "exit_code", run->exit_code);
	json_unsigned(json, "processes", session->traced_count);
	json_unsigned(json, "events", source->index.header->events);
	json_unsigned(json, "duration_ns", source->index.header->duration_ns);
	json_unsigned(json, "sample_period_ns", source->index.header->sample_period_ns);
	json_unsigned(json, "task_nodes", source->index.task_nodes_count);
	json_signed(json, "last_ns", source->index.header->last_ns);
	add_device_range(&source->index, json);
	json_signed(json, "offset_ns", source->offset_ns);
}

static void add_notes(const struct view_index *index, struct json *json)
{
	json_begin_array(json, "notes");
	for (uint64_t i = 0; i < index->notes_count; i++) {
		json_begin_object(json, NULL);
		json_string(json, "text", view_index_text(index, index->notes[i].text));
		json_bool(json, "warning", index->notes[i].warning);
		json_end_object(json);
	}
	json_end_array(json);
}

static void add_kinds(struct json *json)
{
	json_begin_array(json, "kinds");
	for (unsigned i = 0; i < VIEW_SPAN_COUNT; i++) {
		json_begin_array(json, NULL);
		json_string(json, NULL, view_span_name(i));
		json_string(json, NULL, view_group_name(view_span_group(i)));
		json_end_array(json);
	}
	json_end_array(json);
}

static void add_labels(const struct view_index *index, struct json *json)
{
	json_begin_array(json, "labels");
	for (uint64_t i = 0; i < index->labels_count; i++) {
		const struct view_label *label = &index->labels[i];

		json_begin_array(json, NULL);
		add_name(json, NULL, view_index_text(index, label->name));
		json_unsigned(json, NULL, label->kind);
		json_unsigned(json, NULL, label->flags);
		json_unsigned(json, NULL, label->plain);
		json_unsigned(json, NULL, label->brief);
		json_end_array(json);
	}
	json_end_array(json);
}

/* The most that a counter ever is, which its scale goes up to. */
static uint64_t counter_most(const struct view_index *index, const struct view_track *track)
{
	uint64_t most = 0;
	struct view_tree tree;

	view_index_tree(index, track, &tree);
	if (!tree.levels) {
		for (uint32_t i = 0; i < track->items; i++)
			if (view_index_item(index, track, i)->point.value > most)
				most = view_index_item(index, track, i)->point.value;
		return most;
	}
	for (uint32_t i = 0; i < tree.counts[tree.levels - 1]; i++)
		if (tree.nodes[tree.levels - 1][i].point.most > most)
			most = tree.nodes[tree.levels - 1][i].point.most;
	return most;
}

static void add_row(const struct view_index *index, struct json *json, const struct view_row *row)
{
	static const char *const kinds[] = {
#define X(name) #name,
		VIEW_ROWS(X)
#undef X
	};
	static const char *const types[] = {
#define X(name) #name,
		VIEW_TRACKS(X)
#undef X
	};

	json_begin_object(json, NULL);
	json_signed(json, "parent", row->parent == VIEW_NONE ? -1 : (int64_t)row->parent);
	json_string(json, "kind", kinds[row->kind]);
	add_name(json, "name", view_index_text(index, row->name));
	add_name(json, "note", view_index_text(index, row->note));
	json_unsigned(json, "number", row->number);
	json_signed(json, "device", row->device == VIEW_NONE ? -1 : (int64_t)row->device);
	if (row->kind == VIEW_ROW_device)
		json_unsigned(json, "bound_ns", row->clock_bound_ns);
	if (row->marks) {
		json_begin_array(json, "marks");
#define X(bit, name)            \
	if (row->marks & (bit)) \
		json_string(json, NULL, #name);
		VIEW_MARKS(X)
#undef X
		json_end_array(json);
	}
	json_begin_array(json, "tracks");
	for (uint32_t i = 0; i < row->track_count; i++) {
		const struct view_track *track = &index->tracks[row->first_track + i];

		json_begin_array(json, NULL);
		json_unsigned(json, NULL, row->first_track + i);
		json_string(json, NULL, types[track->type]);
		json_unsigned(json, NULL, track->items);
		json_unsigned(json, NULL, track->again);
		if (track->type == VIEW_TRACK_counter)
			json_unsigned(json, NULL, counter_most(index, track));
		json_end_array(json);
	}
	json_end_array(json);
	json_end_object(json);
}

void view_source_json(const struct view_source *source, struct json *json)
{
	const struct view_index *index = &source->index;

	json_begin_object(json, NULL);
	add_run(source, json);
	add_shown(source, json);
	add_notes(index, json);
	add_kinds(json);
	add_labels(index, json);
	json_begin_array(json, "rows");
	for (uint64_t i = 0; i < index->rows_count; i++)
		add_row(index, json, &index->rows[i]);
	json_end_array(json);
	json_end_object(json);
}

/* Whether CLOCK_MONOTONIC of the two is the same clock. */
static bool same_boot(const struct trace_session *a, const struct trace_session *b)
{
	const struct trace_run *left = &a->run, *right = &b->run;
	int64_t wall, boot;

	if (!left->start_realtime_ns || !right->start_realtime_ns ||
	    strcmp(left->host, right->host) != 0)
		return false;
	wall = (int64_t)(left->start_realtime_ns - right->start_realtime_ns);
	boot = (int64_t)(left->start_monotonic_ns - right->start_monotonic_ns);
	return llabs(wall - boot) < BOOT_TOLERANCE_NS;
}

/* Nanoseconds of the start on the axis that the sessions are put on. */
static int64_t start_of(const struct trace_session *session, enum view_align clock_sync)
{
	switch (clock_sync) {
	case VIEW_ALIGN_clock:
		return session->start_ns;
	case VIEW_ALIGN_join:
		return (int64_t)session->run.start_realtime_ns;
	case VIEW_ALIGN_starts:
		break;
	}
	return 0;
}

bool view_sources_align(struct view_source *sources, size_t count, enum view_align clock_sync)
{
	int64_t first_ns = INT64_MAX;
	bool as_asked = true, same = true, dated = true;

	for (size_t i = 0; i < count; i++) {
		same = same && same_boot(sources[0].session, sources[i].session);
		dated = dated && sources[i].session->run.start_realtime_ns;
	}
	if (clock_sync != VIEW_ALIGN_starts && same) {
		clock_sync = VIEW_ALIGN_clock;
	} else if (clock_sync == VIEW_ALIGN_clock || (clock_sync == VIEW_ALIGN_join && !dated)) {
		clock_sync = VIEW_ALIGN_starts;
		as_asked = count < 2;
	}
	for (size_t i = 0; i < count; i++) {
		sources[i].offset_ns = start_of(sources[i].session, clock_sync);
		if (sources[i].offset_ns < first_ns)
			first_ns = sources[i].offset_ns;
	}
	for (size_t i = 0; i < count; i++)
		sources[i].offset_ns -= first_ns;
	return as_asked;
}
