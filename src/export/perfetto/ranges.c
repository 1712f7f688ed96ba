/* SPDX-License-Identifier: MIT */
/* What a program and its runtime say besides calls and commands: ranges and markers, on
 * their threads and projected onto devices; overhead, faults and loaded code. */
#include <errno.h>
#include <string.h>

#include "export/perfetto/args.h"
#include "export/perfetto/perfetto.h"

/* A row below the process, with room from begin to end. */
static int row_find(struct export *export, uint32_t process, uint64_t number, unsigned depth,
		    const char *text, int64_t begin_ns, int64_t end_ns, uint64_t *id)
{
	struct perfetto *state = export->state;
	uint64_t parent;
	int status = tracks_find(&state->tracks, perfetto_process_key(export, process), &parent);

	if (status >= 0)
		status = tracks_lane(&state->tracks,
				     track_key(TRACK_RANGES, export_process(export, process),
					       number, depth % 16),
				     begin_ns, end_ns, id);
	if (status > 0)
		perfetto_describe_ranked(export, *id, parent, text, RANK_OTHERS);
	return status < 0 ? status : 0;
}

static void annotate(struct perfetto_writer *writer, const struct range_instance *range)
{
	if (*range->scope_name)
		perfetto_annotate_word(writer, "scope", range->scope_name);
	if (*range->category_name)
		perfetto_annotate_word(writer, "category", range->category_name);
	if (range->kind != TANDEM_ANNOTATION_KIND_marker && range->end_ns == INT64_MIN)
		perfetto_annotate_word(writer, "end", "not recorded");
}

static void slice_begin(struct export *export, const struct range_instance *range, int64_t begin_ns,
			uint64_t track, size_t *event)
{
	bool marker = range->kind == TANDEM_ANNOTATION_KIND_marker;

	*event = perfetto_event(export, begin_ns, marker ? PERFETTO_INSTANT : PERFETTO_SLICE_BEGIN,
				track);
	perfetto_event_name(export, *range->name ? range->name : "(no name)", "range");
}

static int write_projection(struct export *export, const struct range_instance *range,
			    const struct range_projection *projection)
{
	struct perfetto *state = export->state;
	struct text name = TEXT_INIT;
	int64_t begin_ns, end_ns;
	uint64_t track;
	size_t event;
	int status;

	if (projection->end_ns < projection->begin_ns)
		return 0;
	begin_ns = export_time(export, projection->begin_ns);
	end_ns = export_time(export, projection->end_ns);
	text_format(&name, "ranges on %s",
		    event_iterator_device_name(export->iterator, projection->device));
	status = name.failed
			 ? -ENOMEM
			 : row_find(export, range->process, track_ranges_device(projection->device),
				    range->depth, name.data, begin_ns, end_ns, &track);
	text_free(&name);
	if (status)
		return status;
	slice_begin(export, range, begin_ns, track, &event);
	annotate(&state->writer, range);
	perfetto_annotate_unsigned(&state->writer, "operations", projection->operations);
	perfetto_annotate_unsigned(&state->writer, "kernels", projection->kernels);
	perfetto_annotate_unsigned(&state->writer, "executing_ns", projection->executing_ns);
	perfetto_end(export, event);
	perfetto_end(export, perfetto_event(export, end_ns, PERFETTO_SLICE_END, track));
	return 0;
}

static int range_track(struct export *export, const struct range_instance *range, int64_t begin_ns,
		       int64_t end_ns, uint64_t *track)
{
	bool nested = range->kind == TANDEM_ANNOTATION_KIND_nested;
	struct text name = TEXT_INIT;
	int status;

	if (range->kind == TANDEM_ANNOTATION_KIND_start_end)
		return row_find(export, range->process, TRACK_RANGES_START_END, 0,
				"ranges across threads", begin_ns, end_ns, track);
	if (!nested || !range->scope) {
		status = perfetto_thread_track(export, range->thread, track);
		return status < 0 ? status : 0;
	}
	/* Ranges of several scopes need not nest. */
	text_format(&name, "%s ranges of %s", range->scope_name, range->thread->thread_name);
	status = name.failed ? -ENOMEM
			     : row_find(export, range->process,
					track_ranges_scope(range->stream, range->scope),
					range->depth, name.data, begin_ns, end_ns, track);
	text_free(&name);
	return status;
}

int perfetto_range(struct export *export, const struct range_instance *range)
{
	struct trace_session *session = export->iterator->session;
	struct perfetto *state = export->state;
	int64_t last_ns = session->start_ns + (int64_t)trace_session_duration_ns(session);
	int64_t begin_ns = export_time(export, range->begin_ns);
	int64_t end_ns = export_time(export, range->end_ns == INT64_MIN ? last_ns : range->end_ns);
	uint64_t track;
	size_t event;
	int status = range_track(export, range, begin_ns, end_ns, &track);

	if (status)
		return status;
	slice_begin(export, range, begin_ns, track, &event);
	annotate(&state->writer, range);
	if (range->operations) {
		perfetto_annotate_unsigned(&state->writer, "operations", range->operations);
		perfetto_annotate_unsigned(&state->writer, "kernels", range->kernels);
	}
	perfetto_end(export, event);
	if (range->kind != TANDEM_ANNOTATION_KIND_marker)
		perfetto_end(export, perfetto_event(export, end_ns, PERFETTO_SLICE_END, track));
	for (size_t i = 0; !status && i < range->projection_count; i++)
		status = write_projection(export, range, &range->projections[i]);
	return status;
}

/* Rows below the process: overhead, faults, loaded code. */
int perfetto_activity(struct export *export, const struct event_item *item)
{
	const struct trace_event *event = item->event;
	unsigned role = event->layout->event->traits.record;
	const char *row = export_activity_row(role);
	struct perfetto *state = export->state;
	uint64_t track;
	int64_t begin_ns, end_ns;
	size_t written;
	int status;

	if (!row)
		return 0;
	export_activity_times(export, event, &begin_ns, &end_ns);
	begin_ns = export_time(export, begin_ns);
	end_ns = export_time(export, end_ns);
	status = row_find(export, event->stream->process->index, (uint64_t)1 << 25 | role, 0, row,
			  begin_ns, end_ns, &track);
	if (status)
		return status;
	written =
		perfetto_event(export, begin_ns,
			       end_ns > begin_ns ? PERFETTO_SLICE_BEGIN : PERFETTO_INSTANT, track);
	perfetto_event_name(
		export, event->layout->event->name,
		trace_session_event_domain(export->iterator->session, event->layout->event)->name);
	perfetto_args(&state->writer, export->iterator, event);
	perfetto_end(export, written);
	if (end_ns > begin_ns)
		perfetto_end(export, perfetto_event(export, end_ns, PERFETTO_SLICE_END, track));
	return 0;
}
