/* SPDX-License-Identifier: MIT */
#include "view/rows/activity_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/field.h"
#include "util/array.h"
#include "util/keyed_row.h"
#include "util/order/compare.h"

struct activity_span {
	int64_t begin_ns, end_ns;
	uint32_t label, number; /* in the section `activities` */
	uint32_t of;		/* process, or row of devices */
	uint8_t row_kind;	/* enum view_row_kind */
	bool on_device;
};

void activity_rows_init(struct activity_rows *rows, struct index_writer *writer,
			struct event_iterator *iterator)
{
	memset(rows, 0, sizeof(*rows));
	rows->writer = writer;
	rows->iterator = iterator;
}

static void set_times(const struct activity_rows *rows, const struct trace_event *event,
		      struct activity_span *span)
{
	struct trace_session *session = rows->iterator->session;
	uint64_t begin = trace_field_number(event, "begin"), end = trace_field_number(event, "end");

	span->begin_ns = begin ? trace_clock_ns(&session->clock, begin) : event->ns;
	span->end_ns = begin && end > begin ? trace_clock_ns(&session->clock, end) : span->begin_ns;
	span->begin_ns -= session->start_ns;
	span->end_ns -= session->start_ns;
}

static int add_span(struct activity_rows *rows, const struct trace_event *event,
		    struct activity_span *span, const char *name, enum view_span_kind kind,
		    struct view_activity *kept)
{
	struct trace_session *session = rows->iterator->session;
	const char *domain = trace_session_event_domain(session, event->layout->event)->name;
	int status = index_writer_label(rows->writer, name, kind, 0, &span->label);

	if (!status)
		status = index_writer_name(rows->writer, domain, &kept->domain);
	kept->process = event->stream->process->index;
	span->number = (uint32_t)rows->writer->activity_count;
	if (!span->on_device)
		span->of = kept->process;
	if (!status)
		status = index_writer_activity(rows->writer, kept);
	if (status ||
	    array_reserve(&rows->spans, &rows->capacity, rows->count + 1, sizeof(*rows->spans)))
		return status ? status : -ENOMEM;
	rows->spans[rows->count++] = *span;
	return 0;
}

static int add_overhead(struct activity_rows *rows, const struct trace_event *event)
{
	struct activity_span span = {.row_kind = VIEW_ROW_overhead};
	struct view_activity kept = {.number = trace_field_number(event, "tid")};

	set_times(rows, event, &span);
	return add_span(rows, event, &span, trace_field_word(event, "kind", "unknown"),
			VIEW_SPAN_overhead, &kept);
}

static int add_fault(struct activity_rows *rows, const struct trace_event *event)
{
	struct activity_span span = {.row_kind = VIEW_ROW_faults};
	struct view_activity kept = {.number = trace_field_number(event, "value"),
				     .address = trace_field_number(event, "address")};
	uint32_t device = (uint32_t)trace_field_number(event, "device");
	unsigned domain =
		trace_session_domain_of(rows->iterator->session, event->layout->event->id);

	set_times(rows, event, &span);
	span.on_device = device != 0;
	kept.on_device = span.on_device;
	if (device &&
	    devices_of_number(&rows->iterator->devices, event, device, (uint8_t)domain, &span.of))
		return -ENOMEM;
	return add_span(rows, event, &span, trace_field_word(event, "kind", "unknown"),
			VIEW_SPAN_fault, &kept);
}

static int add_module(struct activity_rows *rows, const struct trace_event *event)
{
	struct activity_span span = {.row_kind = VIEW_ROW_modules};
	struct view_activity kept = {.number = trace_field_number(event, "program"),
				     .hash = trace_field_number(event, "hash"),
				     .bytes = trace_field_number(event, "bytes"),
				     .saved = trace_field_number(event, "saved") != 0};
	char name[40];

	set_times(rows, event, &span);
	snprintf(name, sizeof(name), "module %" PRIu64, kept.number);
	return add_span(rows, event, &span, name, VIEW_SPAN_module, &kept);
}

static int add_external(struct activity_rows *rows, const struct trace_event *event)
{
	struct view_external_id kept = {.op = trace_field_number(event, "op"),
					.id = trace_field_number(event, "id"),
					.process = event->stream->process->index};
	int status = index_writer_name(rows->writer, trace_field_word(event, "kind", "unknown"),
				       &kept.kind);

	return status ? status : index_writer_external_id(rows->writer, &kept);
}

int activity_rows_item(struct activity_rows *rows, const struct event_item *item)
{
	if (item->kind != ITEM_OTHER || !item->event)
		return 0;
	switch (item->event->layout->event->traits.record) {
	case TANDEM_RECORD_overhead:
		return add_overhead(rows, item->event);
	case TANDEM_RECORD_fault:
		return add_fault(rows, item->event);
	case TANDEM_RECORD_module:
		return add_module(rows, item->event);
	case TANDEM_RECORD_external_id:
		return add_external(rows, item->event);
	default:
		return 0;
	}
}

static int span_compare(const void *a, const void *b)
{
	const struct activity_span *left = a, *right = b;

	return COMPARE(left->begin_ns, right->begin_ns)
	       ?: COMPARE(right->end_ns, left->end_ns)
	       ?: COMPARE(left->number, right->number);
}

static int make_row(struct activity_rows *rows, const struct activity_span *span,
		    const struct view_threads *threads, struct view_resources *resources,
		    uint32_t *number)
{
	static const char *const names[][2] = {
		[VIEW_ROW_overhead] = {"overhead", "of the runtime and of its tracing"},
		[VIEW_ROW_faults] = {"page faults", "of unified memory"},
		[VIEW_ROW_modules] = {"modules", "device code that was loaded"},
	};
	struct view_row row = {.kind = span->row_kind, .stream = VIEW_NONE, .device = VIEW_NONE};
	int status = 0;

	if (span->on_device) {
		status = view_resources_device(resources, span->of, &row.parent);
		row.device = row.parent;
	} else {
		row.parent = threads->process_rows[span->of];
	}
	if (status)
		return status;
	row.process = rows->writer->rows[row.parent].process;
	return index_writer_named_row(rows->writer, row, names[span->row_kind][0],
				      names[span->row_kind][1], number);
}

static int find_row(struct activity_rows *rows, const struct activity_span *span,
		    const struct view_threads *threads, struct view_resources *resources,
		    struct depth_packing **packing)
{
	uint64_t key = (uint64_t)span->row_kind << 40 | (uint64_t)span->on_device << 32 | span->of;
	const struct depth_packing fresh = {.refs = VIEW_REFS_activity};
	size_t known = rows->row_count;

	*packing = keyed_row(&rows->row_of, key, &rows->rows, &rows->row_capacity, &rows->row_count,
			     &fresh, sizeof(fresh));
	if (!*packing)
		return -ENOMEM;
	return rows->row_count == known
		       ? 0
		       : make_row(rows, span, threads, resources, &(*packing)->row);
}

static int external_compare(const void *a, const void *b)
{
	const struct view_external_id *left = a, *right = b;

	return COMPARE(left->process, right->process)
	       ?: COMPARE(left->op, right->op)
	       ?: COMPARE(left->kind, right->kind)
	       ?: COMPARE(left->id, right->id);
}

int activity_rows_finish(struct activity_rows *rows, const struct view_threads *threads,
			 struct view_resources *resources)
{
	struct index_writer *writer = rows->writer;
	int status = 0;

	if (writer->external_id_count)
		qsort(writer->external_ids, writer->external_id_count,
		      sizeof(*writer->external_ids), external_compare);
	if (rows->count)
		qsort(rows->spans, rows->count, sizeof(*rows->spans), span_compare);
	for (size_t i = 0; i < rows->count && !status; i++) {
		const struct activity_span *span = &rows->spans[i];
		struct depth_packing *packing;
		struct track_writer *track;

		status = find_row(rows, span, threads, resources, &packing);
		if (!status)
			status = depth_packing_pick(packing, writer, span->begin_ns, span->end_ns,
						    &track);
		if (!status)
			status = track_writer_ref(track, span->begin_ns, span->end_ns, span->label,
						  span->number);
	}
	return status;
}

void activity_rows_free(struct activity_rows *rows)
{
	free(rows->spans);
	free(rows->rows);
	map_free(&rows->row_of);
	memset(rows, 0, sizeof(*rows));
}
