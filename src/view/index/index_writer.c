#include "view/index/index_writer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/text.h"

void view_builder_init(struct view_builder *builder, struct view_store *store)
{
	memset(builder, 0, sizeof(*builder));
	builder->store = store;
}

int view_builder_name(struct view_builder *builder, const char *text, uint32_t *name)
{
	return intern_add(&builder->names, text, strlen(text), name);
}

int view_builder_label(struct view_builder *builder, const char *name, enum view_span_kind kind,
		       unsigned flags, uint32_t *label)
{
	uint32_t number, plain = (uint32_t)builder->label_count;
	uint64_t key, known;
	int status = view_builder_name(builder, name, &number);

	if (status)
		return status;
	key = (uint64_t)number << 16 | (unsigned)kind << 8 | flags;
	known = map_get(&builder->label_of, key);
	if (known != MAP_NONE) {
		*label = (uint32_t)known;
		return 0;
	}
	if (flags)
		status = view_builder_label(builder, name, kind, 0, &plain);
	*label = (uint32_t)builder->label_count;
	if (status ||
	    array_reserve(&builder->labels, &builder->label_capacity, builder->label_count + 1,
			  sizeof(*builder->labels)) ||
	    map_set(&builder->label_of, key, *label))
		return -ENOMEM;
	builder->labels[builder->label_count++] = (struct view_label){
		.name = number,
		.kind = (uint8_t)kind,
		.flags = (uint8_t)flags,
		.plain = plain,
	};
	return 0;
}

int view_builder_row(struct view_builder *builder, const struct view_row *row, uint32_t *number)
{
	if (array_reserve(&builder->rows, &builder->row_capacity, builder->row_count + 1,
			  sizeof(*builder->rows)))
		return -ENOMEM;
	*number = (uint32_t)builder->row_count;
	builder->rows[builder->row_count++] = *row;
	return 0;
}

int view_builder_track(struct view_builder *builder, uint32_t row, enum view_track_type type,
		       struct view_writer **track)
{
	*track = malloc(sizeof(**track));
	if (!*track || array_reserve(&builder->tracks, &builder->track_capacity,
				     builder->track_count + 1, sizeof(*builder->tracks))) {
		free(*track);
		return -ENOMEM;
	}
	view_writer_init(*track, builder->store, row, type);
	(*track)->number = (uint32_t)builder->track_count;
	builder->tracks[builder->track_count++] = *track;
	return 0;
}

int view_builder_waker(struct view_builder *builder, uint32_t row)
{
	if (array_reserve(&builder->wakers, &builder->waker_capacity, builder->waker_count + 1,
			  sizeof(*builder->wakers)))
		return -ENOMEM;
	builder->wakers[builder->waker_count++] = row;
	return 0;
}

int view_builder_frame(struct view_builder *builder, const char *name, const char *file)
{
	struct view_frame frame;

	if (view_builder_name(builder, name, &frame.name) ||
	    view_builder_name(builder, file, &frame.file) ||
	    array_reserve(&builder->frames, &builder->frame_capacity, builder->frame_count + 1,
			  sizeof(*builder->frames)))
		return -ENOMEM;
	builder->frames[builder->frame_count++] = frame;
	return 0;
}

int view_builder_stack(struct view_builder *builder, uint32_t parent, uint32_t frame)
{
	if (array_reserve(&builder->stacks, &builder->stack_capacity, builder->stack_count + 1,
			  sizeof(*builder->stacks)))
		return -ENOMEM;
	builder->stacks[builder->stack_count++] = (struct view_stack){parent, frame};
	return 0;
}

int view_builder_note(struct view_builder *builder, bool warning, const char *format, ...)
{
	struct text words = TEXT_INIT;
	struct view_note note = {.warning = warning};
	va_list arguments;
	int status;

	va_start(arguments, format);
	text_vformat(&words, format, arguments);
	va_end(arguments);
	status = words.failed ? -ENOMEM : view_builder_name(builder, words.data, &note.text);
	text_free(&words);
	if (status || array_reserve(&builder->notes, &builder->note_capacity,
				    builder->note_count + 1, sizeof(*builder->notes)))
		return -ENOMEM;
	builder->notes[builder->note_count++] = note;
	return 0;
}

void view_builder_free(struct view_builder *builder)
{
	for (size_t i = 0; i < builder->track_count; i++) {
		view_writer_free(builder->tracks[i]);
		free(builder->tracks[i]);
	}
	intern_free(&builder->names);
	map_free(&builder->label_of);
	free(builder->labels);
	free(builder->rows);
	free(builder->tracks);
	free(builder->commands);
	free(builder->wakers);
	free(builder->frames);
	free(builder->stacks);
	text_free(&builder->records);
	free(builder->notes);
	memset(builder, 0, sizeof(*builder));
}
