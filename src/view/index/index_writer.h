/* SPDX-License-Identifier: MIT */
/* An index while it is being built: rows, tracks, labels and names, in the order
 * in which they turn up; index_layout() puts them into the order of the
 * picture and writes the sections. One thread.
 *
 *	struct index_writer writer;
 *	index_writer_init(&writer, &store);
 *	index_writer_row(&writer, &row, &number);
 *	index_writer_track(&writer, number, VIEW_TRACK_spans, &track);
 *	index_writer_label(&writer, "flush", VIEW_SPAN_call, 0, &label);
 *	track_writer_span(track, begin_ns, end_ns, label);
 *	index_layout(&writer, &header);
 *	index_writer_free(&writer);
 */
#ifndef TANDEM_VIEW_INDEX_WRITER_H
#define TANDEM_VIEW_INDEX_WRITER_H

#include "util/intern.h"
#include "util/text.h"
#include "view/index/format.h"
#include "view/index/track.h"

struct index_writer {
	struct view_store *store; /* borrowed */
	struct intern names;
	struct map label_of; /* name, kind and flags -> label */
	struct view_label *labels;
	size_t label_count, label_capacity;
	struct view_row *rows;
	size_t row_count, row_capacity;
	struct track_writer **tracks;
	size_t track_count, track_capacity;
	struct view_command *commands;
	size_t command_count, command_capacity;
	uint32_t *wakers; /* rows of threads */
	size_t waker_count, waker_capacity;
	struct view_range *ranges; /* `track`: the place of its writer in `tracks` */
	size_t range_count, range_capacity;
	struct view_activity *activities;
	size_t activity_count, activity_capacity;
	struct view_external_id *external_ids; /* sorted before the layout */
	size_t external_id_count, external_id_capacity;
	struct view_frame *frames;
	size_t frame_count, frame_capacity;
	struct view_stack *stacks;
	size_t stack_count, stack_capacity;
	struct view_task_place *task_places;
	size_t task_place_count, task_place_capacity;
	struct view_task_node *task_nodes; /* sorted before the layout, as are the next two */
	size_t task_node_count, task_node_capacity;
	struct view_task_edge *task_edges;
	size_t task_edge_count, task_edge_capacity;
	struct view_task_op *task_ops;
	size_t task_op_count, task_op_capacity;
	uint64_t sample_period_ns;
	struct text records;
	struct view_note *notes;
	size_t note_count, note_capacity;
};

void index_writer_init(struct index_writer *writer, struct view_store *store);

/* All of these return 0 or -ENOMEM. */

int index_writer_name(struct index_writer *writer, const char *text, uint32_t *name);

int index_writer_label(struct index_writer *writer, const char *name, enum view_span_kind kind,
		       unsigned flags, uint32_t *label);

/* A label's name without what all names of its runtime begin with: `brief` points into `name`, the
 * label's. */
void index_writer_brief(struct index_writer *writer, uint32_t label, const char *name,
			const char *brief);

/* A copy of *row; its `parent` is a number that was given before, or VIEW_NONE. */
int index_writer_row(struct index_writer *writer, const struct view_row *row, uint32_t *number);

/* The same, with its name and note. */
int index_writer_named_row(struct index_writer *writer, struct view_row row, const char *name,
			   const char *note, uint32_t *number);

/* A track of a row, below those that it has. Borrowed; lives as long as the
 * writer. */
int index_writer_track(struct index_writer *writer, uint32_t row, enum view_track_type type,
		       struct track_writer **track);

/* The next thread in the section `wakers`: its row. */
int index_writer_waker(struct index_writer *writer, uint32_t row);

/* The next range in the section `ranges`. */
int index_writer_range(struct index_writer *writer, const struct view_range *range);

/* The next in the sections `activities` and `external_ids`. */
int index_writer_activity(struct index_writer *writer, const struct view_activity *activity);
int index_writer_external_id(struct index_writer *writer, const struct view_external_id *id);

/* The next function, and the next node of the tree of stacks. */
int index_writer_frame(struct index_writer *writer, const char *name, const char *file);
int index_writer_stack(struct index_writer *writer, uint32_t parent, uint32_t frame);

int index_writer_note(struct index_writer *writer, bool warning, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Writes everything, fills header->sections and says in header->last_ns how far it
 * reaches. A command's `track` is the
 * place of its writer in writer->tracks. Returns 0 or -errno. */
int index_layout(struct index_writer *writer, struct view_header *header);

void index_writer_free(struct index_writer *writer);

#endif
