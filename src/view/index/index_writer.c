/* SPDX-License-Identifier: MIT */
#include "view/index/index_writer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/text.h"

void index_writer_init(struct index_writer *writer, struct view_store *store)
{
	memset(writer, 0, sizeof(*writer));
	writer->store = store;
}

int index_writer_name(struct index_writer *writer, const char *text, uint32_t *name)
{
	return intern_add(&writer->names, text, strlen(text), name);
}

int index_writer_label(struct index_writer *writer, const char *name, enum view_span_kind kind,
		       unsigned flags, uint32_t *label)
{
	uint32_t number, plain = (uint32_t)writer->label_count;
	uint64_t key, known;
	int status = index_writer_name(writer, name, &number);

	if (status)
		return status;
	key = (uint64_t)number << 16 | (unsigned)kind << 8 | flags;
	known = map_get(&writer->label_of, key);
	if (known != MAP_NONE) {
		*label = (uint32_t)known;
		return 0;
	}
	if (flags)
		status = index_writer_label(writer, name, kind, 0, &plain);
	*label = (uint32_t)writer->label_count;
	if (status ||
	    array_reserve(&writer->labels, &writer->label_capacity, writer->label_count + 1,
			  sizeof(*writer->labels)) ||
	    map_set(&writer->label_of, key, *label))
		return -ENOMEM;
	writer->labels[writer->label_count++] = (struct view_label){
		.name = number,
		.kind = (uint8_t)kind,
		.flags = (uint8_t)flags,
		.plain = plain,
	};
	return 0;
}

void index_writer_brief(struct index_writer *writer, uint32_t label, const char *name,
			const char *brief)
{
	if (brief > name && brief - name <= UINT16_MAX)
		writer->labels[label].brief = (uint16_t)(brief - name);
}

int index_writer_row(struct index_writer *writer, const struct view_row *row, uint32_t *number)
{
	if (array_reserve(&writer->rows, &writer->row_capacity, writer->row_count + 1,
			  sizeof(*writer->rows)))
		return -ENOMEM;
	*number = (uint32_t)writer->row_count;
	writer->rows[writer->row_count++] = *row;
	return 0;
}

int index_writer_named_row(struct index_writer *writer, struct view_row row, const char *name,
			   const char *note, uint32_t *number)
{
	int status = index_writer_name(writer, name, &row.name);

	if (!status)
		status = index_writer_name(writer, note, &row.note);
	return status ? status : index_writer_row(writer, &row, number);
}

int index_writer_track(struct index_writer *writer, uint32_t row, enum view_track_type type,
		       struct track_writer **track)
{
	*track = malloc(sizeof(**track));
	if (!*track || array_reserve(&writer->tracks, &writer->track_capacity,
				     writer->track_count + 1, sizeof(*writer->tracks))) {
		free(*track);
		return -ENOMEM;
	}
	track_writer_init(*track, writer->store, row, type);
	(*track)->number = (uint32_t)writer->track_count;
	writer->tracks[writer->track_count++] = *track;
	return 0;
}

int index_writer_waker(struct index_writer *writer, uint32_t row)
{
	return ARRAY_ADD(writer->wakers, writer->waker_capacity, writer->waker_count, row);
}

int index_writer_range(struct index_writer *writer, const struct view_range *range)
{
	if (writer->range_count == UINT32_MAX - 1)
		return -EOVERFLOW;
	return ARRAY_ADD(writer->ranges, writer->range_capacity, writer->range_count, *range);
}

int index_writer_activity(struct index_writer *writer, const struct view_activity *activity)
{
	return ARRAY_ADD(writer->activities, writer->activity_capacity, writer->activity_count,
			 *activity);
}

int index_writer_external_id(struct index_writer *writer, const struct view_external_id *id)
{
	return ARRAY_ADD(writer->external_ids, writer->external_id_capacity,
			 writer->external_id_count, *id);
}

int index_writer_frame(struct index_writer *writer, const char *name, const char *file)
{
	struct view_frame frame;

	if (index_writer_name(writer, name, &frame.name) ||
	    index_writer_name(writer, file, &frame.file))
		return -ENOMEM;
	return ARRAY_ADD(writer->frames, writer->frame_capacity, writer->frame_count, frame);
}

int index_writer_stack(struct index_writer *writer, uint32_t parent, uint32_t frame)
{
	return ARRAY_ADD(writer->stacks, writer->stack_capacity, writer->stack_count,
			 (struct view_stack){parent, frame});
}

int index_writer_note(struct index_writer *writer, bool warning, const char *format, ...)
{
	struct text text = TEXT_INIT;
	struct view_note note = {.warning = warning};
	va_list arguments;
	int status;

	va_start(arguments, format);
	text_vformat(&text, format, arguments);
	va_end(arguments);
	status = text.failed ? -ENOMEM : index_writer_name(writer, text.data, &note.text);
	text_free(&text);
	return status ? -ENOMEM
		      : ARRAY_ADD(writer->notes, writer->note_capacity, writer->note_count, note);
}

void index_writer_free(struct index_writer *writer)
{
	for (size_t i = 0; i < writer->track_count; i++) {
		track_writer_free(writer->tracks[i]);
		free(writer->tracks[i]);
	}
	intern_free(&writer->names);
	map_free(&writer->label_of);
	free(writer->labels);
	free(writer->rows);
	free(writer->tracks);
	free(writer->commands);
	free(writer->wakers);
	free(writer->ranges);
	free(writer->activities);
	free(writer->external_ids);
	free(writer->task_places);
	free(writer->task_nodes);
	free(writer->task_edges);
	free(writer->task_ops);
	free(writer->frames);
	free(writer->stacks);
	text_free(&writer->records);
	free(writer->notes);
	memset(writer, 0, sizeof(*writer));
}
