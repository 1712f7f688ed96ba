/* SPDX-License-Identifier: MIT */
#include "export/chrome/ranges.h"

#include <errno.h>

#include "export/chrome/line.h"

/* Nested ranges without a scope are on their thread, around its calls. Others may overlap
 * them, and so have rows of their own, as have projections onto devices. */
static int range_row(struct export *export, const struct range_instance *range, uint64_t row,
		     const char *text, int64_t begin_ns, int64_t end_ns, uint64_t *tid)
{
	const struct trace_process *process = &export->iterator->session->processes[range->process];
	struct chrome *state = export->state;
	uint64_t key = track_key(TRACK_RANGES, export_process(export, range->process), row,
				 range->depth % 16);
	int status = tracks_lane(&state->tracks, key, begin_ns, end_ns, tid);

	if (status < 0)
		return status;
	*tid += CHROME_FIRST_ROW_TID;
	if (status)
		chrome_name_place(export, "thread_name", "name", process->pid, *tid, text);
	return 0;
}

static void add_range(struct export *export, const struct range_instance *range, uint64_t tid,
		      int64_t begin_ns, int64_t end_ns, const struct range_projection *projection)
{
	struct chrome *state = export->state;
	struct json *json = &state->json;

	chrome_line_begin(export, range->kind == TANDEM_ANNOTATION_KIND_marker ? "i" : "X",
			  range->name);
	json_string(json, "cat", projection ? "projected" : "range");
	chrome_add_place(export, export->iterator->session->processes[range->process].pid, tid);
	chrome_add_time(export, "ts", begin_ns);
	if (range->kind == TANDEM_ANNOTATION_KIND_marker)
		json_string(json, "s", "t");
	else
		chrome_add_us(json, "dur", end_ns - begin_ns);
	json_begin_object(json, "args");
	if (*range->scope_name)
		json_string(json, "scope", range->scope_name);
	if (*range->category_name)
		json_string(json, "category", range->category_name);
	json_unsigned(json, "operations", projection ? projection->operations : range->operations);
	json_unsigned(json, "kernels", projection ? projection->kernels : range->kernels);
	if (projection)
		json_unsigned(json, "executing_ns", projection->executing_ns);
	if (range->end_ns == INT64_MIN)
		json_bool(json, "open", true);
	json_end_object(json);
	chrome_line_end(export);
}

static int64_t range_end(struct export *export, const struct range_instance *range)
{
	struct trace_session *session = export->iterator->session;

	return range->end_ns != INT64_MIN
		       ? range->end_ns
		       : session->start_ns + (int64_t)trace_session_duration_ns(session);
}

static int chrome_projection(struct export *export, const struct range_instance *range,
			     const struct range_projection *projection)
{
	struct text name = TEXT_INIT;
	uint64_t tid;
	int status;

	if (projection->end_ns < projection->begin_ns)
		return 0;
	text_format(&name, "ranges on %s",
		    event_iterator_device_name(export->iterator, projection->device));
	status = name.failed ? -ENOMEM
			     : range_row(export, range, track_ranges_device(projection->device),
					 name.data, projection->begin_ns, projection->end_ns, &tid);
	text_free(&name);
	if (!status)
		add_range(export, range, tid, projection->begin_ns, projection->end_ns, projection);
	return status;
}

int chrome_range(struct export *export, const struct range_instance *range)
{
	bool nested = range->kind == TANDEM_ANNOTATION_KIND_nested;
	bool on_thread = range->kind == TANDEM_ANNOTATION_KIND_marker || (nested && !range->scope);
	int64_t end_ns = range_end(export, range);
	uint64_t tid = range->thread->tid;
	struct text name = TEXT_INIT;
	int status = 0;

	if (nested && !on_thread) {
		text_format(&name, "%s ranges of %s", range->scope_name,
			    range->thread->thread_name);
		status = name.failed ? -ENOMEM
				     : range_row(export, range,
						 track_ranges_scope(range->stream, range->scope),
						 name.data, range->begin_ns, end_ns, &tid);
	} else if (!on_thread) {
		status = range_row(export, range, TRACK_RANGES_START_END, "ranges across threads",
				   range->begin_ns, end_ns, &tid);
	}
	text_free(&name);
	if (!status)
		add_range(export, range, tid, range->begin_ns, end_ns, NULL);
	for (size_t i = 0; !status && i < range->projection_count; i++)
		status = chrome_projection(export, range, &range->projections[i]);
	return status;
}
