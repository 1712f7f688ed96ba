/* SPDX-License-Identifier: MIT */
#include "view/rows/range_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/keyed_row.h"
#include "util/order/compare.h"
#include "view/rows/depth_packing.h"

enum range_place { ON_THREAD, ON_PROCESS, ON_DEVICE };

struct range_span {
	int64_t begin_ns, end_ns;
	uint32_t label, number; /* in the section `ranges` */
	uint32_t of;		/* stream, process, row of devices */
	uint8_t place;		/* enum range_place */
};

struct range_row {
	struct depth_packing packing;
};

static int64_t relative(const struct range_rows *rows, int64_t ns)
{
	return ns - rows->iterator->session->start_ns;
}

static int add_span(struct range_rows *rows, const struct range_span *span)
{
	return ARRAY_ADD(rows->spans, rows->capacity, rows->count, *span);
}

/* Names may hold any bytes: up to the first NUL. */
static int add_label(struct range_rows *rows, const struct range_instance *range, bool projected,
		     uint32_t *label)
{
	enum view_span_kind kind = projected ? VIEW_SPAN_range_device
				   : range->kind == TANDEM_ANNOTATION_KIND_marker ? VIEW_SPAN_mark
										  : VIEW_SPAN_range;
	unsigned flags = range->end_ns == INT64_MIN ? VIEW_FLAG_unfinished : 0;

	return index_writer_label(rows->writer, *range->name ? range->name : "(no name)", kind,
				  projected ? 0 : flags, label);
}

static int add_projections(struct range_rows *rows, const struct range_instance *range,
			   uint32_t number, uint64_t *executing_ns)
{
	int status = 0;

	for (size_t i = 0; i < range->projection_count && !status; i++) {
		const struct range_projection *projection = &range->projections[i];
		struct range_span span = {
			.begin_ns = relative(rows, projection->begin_ns),
			.end_ns = relative(rows, projection->end_ns),
			.number = number,
			.of = projection->device,
			.place = ON_DEVICE,
		};

		if (projection->operations == projection->untimed)
			continue;
		*executing_ns += projection->executing_ns;
		status = add_label(rows, range, true, &span.label);
		if (!status)
			status = add_span(rows, &span);
	}
	return status;
}

static int on_range(void *rows_of, const struct range_instance *range)
{
	struct range_rows *rows = rows_of;
	bool start_end = range->kind == TANDEM_ANNOTATION_KIND_start_end;
	struct view_range kept = {
		.operations = range->operations,
		.kernels = range->kernels,
		.payload = range->payload,
		.payload_type = range->payload_type,
		.track = VIEW_NONE,
	};
	struct range_span span = {
		.begin_ns = relative(rows, range->begin_ns),
		.end_ns = range->end_ns == INT64_MIN ? rows->end_ns : relative(rows, range->end_ns),
		.of = start_end ? range->process : range->stream,
		.place = start_end ? ON_PROCESS : ON_THREAD,
	};
	int status;

	if (range->kind == TANDEM_ANNOTATION_KIND_marker)
		span.end_ns = span.begin_ns;
	if (span.end_ns < span.begin_ns)
		span.end_ns = span.begin_ns;
	kept.begin_ns = span.begin_ns;
	span.number = (uint32_t)rows->writer->range_count;
	status = add_projections(rows, range, span.number, &kept.device_ns);
	if (!status)
		status = add_label(rows, range, false, &span.label);
	if (!status)
		status = index_writer_name(rows->writer, range->scope_name, &kept.scope);
	if (!status)
		status = index_writer_name(rows->writer, range->category_name, &kept.category);
	if (!status)
		status = index_writer_range(rows->writer, &kept);
	return status ? status : add_span(rows, &span);
}

int range_rows_init(struct range_rows *rows, struct index_writer *writer,
		    struct event_iterator *iterator, int64_t end_ns)
{
	memset(rows, 0, sizeof(*rows));
	rows->writer = writer;
	rows->iterator = iterator;
	rows->end_ns = end_ns;
	return ranges_init(&rows->ranges, iterator->session, on_range, rows);
}

int range_rows_item(struct range_rows *rows, const struct event_item *item)
{
	return ranges_item(&rows->ranges, item);
}

/* The outer one of two that begin together comes first, so that it is above the other. */
static int span_compare(const void *a, const void *b)
{
	const struct range_span *left = a, *right = b;

	return COMPARE(left->begin_ns, right->begin_ns)
	       ?: COMPARE(right->end_ns, left->end_ns)
	       ?: COMPARE(left->number, right->number);
}

/* Ranges across threads, and those of a device, have a row of their own. */
static int add_row(struct range_rows *rows, uint32_t parent, uint32_t device, const char *name,
		   const char *note, uint32_t *number)
{
	struct view_row row = {
		.kind = VIEW_ROW_ranges,
		.parent = parent,
		.process = rows->writer->rows[parent].process,
		.stream = VIEW_NONE,
		.device = device,
	};

	return index_writer_named_row(rows->writer, row, name, note, number);
}

static int make_row(struct range_rows *rows, const struct range_span *span,
		    const struct view_threads *threads, struct view_resources *resources,
		    uint32_t *number)
{
	uint32_t device;
	int status;

	switch ((enum range_place)span->place) {
	case ON_THREAD:
		*number = view_threads_row(threads, span->of);
		return 0;
	case ON_PROCESS:
		return add_row(rows, threads->process_rows[span->of], VIEW_NONE, "ranges",
			       "start-end ranges, of any thread", number);
	case ON_DEVICE:
		break;
	}
	status = view_resources_device(resources, span->of, &device);
	return status ? status
		      : add_row(rows, device, device, "ranges",
				"from the first to the last operation enqueued inside", number);
}

static int find_row(struct range_rows *rows, const struct range_span *span,
		    const struct view_threads *threads, struct view_resources *resources,
		    struct depth_packing **packing)
{
	uint64_t key = (uint64_t)span->place << 32 | span->of;
	const struct range_row fresh = {
		.packing = {.again = span->place == ON_DEVICE, .refs = VIEW_REFS_range}};
	size_t known = rows->row_count;
	struct range_row *row = keyed_row(&rows->row_of, key, &rows->rows, &rows->row_capacity,
					  &rows->row_count, &fresh, sizeof(fresh));

	if (!row)
		return -ENOMEM;
	*packing = &row->packing;
	return rows->row_count == known
		       ? 0
		       : make_row(rows, span, threads, resources, &row->packing.row);
}

int range_rows_finish(struct range_rows *rows, const struct view_threads *threads,
		      struct view_resources *resources)
{
	int status = ranges_finish(&rows->ranges);

	if (!status && rows->count)
		qsort(rows->spans, rows->count, sizeof(*rows->spans), span_compare);
	for (size_t i = 0; i < rows->count && !status; i++) {
		const struct range_span *span = &rows->spans[i];
		struct depth_packing *packing;
		struct track_writer *track;

		status = find_row(rows, span, threads, resources, &packing);
		if (!status)
			status = depth_packing_pick(packing, rows->writer, span->begin_ns,
						    span->end_ns, &track);
		if (!status)
			status = track_writer_ref(track, span->begin_ns, span->end_ns, span->label,
						  span->number);
		if (!status && span->place != ON_DEVICE)
			rows->writer->ranges[span->number].track = track->number;
	}
	return status;
}

void range_rows_free(struct range_rows *rows)
{
	ranges_free(&rows->ranges);
	free(rows->spans);
	free(rows->rows);
	map_free(&rows->row_of);
	memset(rows, 0, sizeof(*rows));
}
