/* An index while it is being built: rows, tracks, labels and names, in the order
 * in which they turn up; view_builder_finish() puts them into the order of the
 * picture and writes the sections. One thread.
 *
 *	struct view_builder builder;
 *	view_builder_init(&builder, &store);
 *	view_builder_row(&builder, &row, &number);
 *	view_builder_track(&builder, number, VIEW_TRACK_spans, &track);
 *	view_builder_label(&builder, "clFlush", VIEW_SPAN_call, 0, &label);
 *	view_writer_span(track, begin_ns, end_ns, label);
 *	view_builder_finish(&builder, &header);
 *	view_builder_free(&builder);
 */
#ifndef TANDEM_VIEW_BUILDER_H
#define TANDEM_VIEW_BUILDER_H

#include "util/intern.h"
#include "util/text.h"
#include "view/index/format.h"
#include "view/index/track.h"

struct view_builder {
	struct view_store *store; /* borrowed */
	struct intern names;
	struct map label_of; /* name, kind and flags -> label */
	struct view_label *labels;
	size_t label_count, label_capacity;
	struct view_row *rows;
	size_t row_count, row_capacity;
	struct view_writer **tracks;
	size_t track_count, track_capacity;
	struct view_command *commands;
	size_t command_count, command_capacity;
	uint32_t *wakers; /* rows of threads */
	size_t waker_count, waker_capacity;
	struct view_frame *frames;
	size_t frame_count, frame_capacity;
	struct view_stack *stacks;
	size_t stack_count, stack_capacity;
	uint64_t sample_period_ns;
	struct text records;
	struct view_note *notes;
	size_t note_count, note_capacity;
};

void view_builder_init(struct view_builder *builder, struct view_store *store);

/* All of these return 0 or -ENOMEM. */

int view_builder_name(struct view_builder *builder, const char *text, uint32_t *name);

int view_builder_label(struct view_builder *builder, const char *name, enum view_span_kind kind,
		       unsigned flags, uint32_t *label);

/* A copy of *row; its `parent` is a number that was given before, or VIEW_NONE. */
int view_builder_row(struct view_builder *builder, const struct view_row *row,
		     uint32_t *number);

/* A track of a row, below those that it has. Borrowed; lives as long as the
 * builder. */
int view_builder_track(struct view_builder *builder, uint32_t row, enum view_track_type type,
		       struct view_writer **track);

/* The next thread in the section `wakers`: its row. */
int view_builder_waker(struct view_builder *builder, uint32_t row);

/* The next function, and the next node of the tree of stacks. */
int view_builder_frame(struct view_builder *builder, const char *name, const char *file);
int view_builder_stack(struct view_builder *builder, uint32_t parent, uint32_t frame);

int view_builder_note(struct view_builder *builder, bool warning, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Writes everything, fills header->sections and says in header->last_ns how far it
 * reaches. A command's `track` is the
 * place of its writer in builder->tracks. Returns 0 or -errno. */
int view_builder_finish(struct view_builder *builder, struct view_header *header);

void view_builder_free(struct view_builder *builder);

#endif
