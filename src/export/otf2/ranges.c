/* SPDX-License-Identifier: MIT */
#include "export/otf2/ranges.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export/export.h"
#include "schema/gen/annotation_records.h"
#include "util/array.h"
#include "util/keyed_row.h"

/* A tag: what it is (2 bits), in which row or scope (30 bits), its region. */
enum tag { TAG_BEGIN, TAG_END, TAG_MARKER, TAG_ROW };

static uint64_t make_tag(enum tag what, bool row, uint32_t place, uint32_t region)
{
	return (uint64_t)what << 62 | (uint64_t)row << 61 | (uint64_t)(place & 0x1fffffff) << 32 |
	       region;
}

static uint64_t place_key(uint32_t owner, uint32_t place, bool row)
{
	return (uint64_t)row << 63 | (uint64_t)owner << 31 | place;
}

void otf2_ranges_session(struct otf2_ranges *ranges, struct export *export,
			 struct otf2_archive *archive)
{
	otf2_ranges_free(ranges);
	ranges->export = export;
	ranges->archive = archive;
}

static int region_of(struct otf2_ranges *ranges, const char *name, size_t length,
		     OTF2_RegionRole role, uint32_t *region)
{
	uint32_t number;

	if (intern_add(&ranges->names, name, length, &number))
		return -ENOMEM;
	return otf_archive_region(ranges->archive,
				  length ? intern_text(&ranges->names, number) : "(no name)", role,
				  OTF2_PARADIGM_USER, region);
}

static struct text *stack_find(struct otf2_ranges *ranges, uint32_t stream, uint32_t scope)
{
	static const struct text fresh = TEXT_INIT;

	return keyed_row(&ranges->stacks, place_key(stream, scope, false), &ranges->open,
			 &ranges->open_capacity, &ranges->open_count, &fresh, sizeof(fresh));
}

/* The first row on which no start-end range is. */
static int row_take(struct otf2_ranges *ranges, uint32_t *row)
{
	size_t i = 0;

	while (i < ranges->row_count && ranges->rows[i])
		i++;
	if (i == ranges->row_count) {
		if (array_reserve(&ranges->rows, &ranges->row_capacity, i + 1,
				  sizeof(*ranges->rows)))
			return -ENOMEM;
		ranges->row_count++;
	}
	ranges->rows[i] = 1;
	*row = (uint32_t)i;
	return 0;
}

static uint64_t number_key(const struct trace_event *event, uint64_t number)
{
	return (uint64_t)event->stream->process->index << 48 ^ number;
}

static int want_begin(struct otf2_ranges *ranges, const struct trace_event *event, uint64_t *tag)
{
	const struct tandem_annotation_range *record = (const void *)event->record;
	bool marker = record->kind == TANDEM_ANNOTATION_KIND_marker;
	bool wanted = export_holds(ranges->export, event->ns);
	uint32_t region = 0, row = 0;
	struct text *stack;
	int status = 0;

	if (wanted)
		status = region_of(ranges, (const char *)(record + 1), record->text_count,
				   marker ? OTF2_REGION_ROLE_ARTIFICIAL : OTF2_REGION_ROLE_CODE,
				   &region);
	if (status)
		return status;
	if (record->kind == TANDEM_ANNOTATION_KIND_nested) {
		stack = stack_find(ranges, event->stream->index, record->scope);
		if (!stack)
			return -ENOMEM;
		text_add_char(stack, wanted);
		*tag = make_tag(TAG_BEGIN, false, record->scope, region);
		return stack->failed ? -ENOMEM : wanted;
	}
	if (marker || !wanted) {
		*tag = make_tag(TAG_MARKER, false, 0, region);
		return wanted;
	}
	status = row_take(ranges, &row);
	if (!status)
		status = map_set(&ranges->started, number_key(event, record->range),
				 (uint64_t)row << 32 | region);
	*tag = make_tag(TAG_BEGIN, true, row, region);
	return status ? status : 1;
}

static int want_end(struct otf2_ranges *ranges, const struct trace_event *event, uint64_t *tag)
{
	const struct tandem_annotation_range_end *record = (const void *)event->record;
	struct text *stack;
	uint64_t known;

	if (record->range) {
		known = map_remove(&ranges->started, number_key(event, record->range));
		if (known == MAP_NONE)
			return 0;
		ranges->rows[known >> 32] = 0;
		*tag = make_tag(TAG_END, true, (uint32_t)(known >> 32), (uint32_t)known);
		return 1;
	}
	stack = stack_find(ranges, event->stream->index, record->scope);
	if (!stack)
		return -ENOMEM;
	/* Of one that began before the recording did. */
	if (!stack->length)
		return 0;
	*tag = make_tag(TAG_END, false, record->scope, 0);
	return stack->data[--stack->length];
}

int otf2_ranges_want(struct otf2_ranges *ranges, const struct event_item *item, uint64_t *tag)
{
	switch (item->event->record->id) {
	case TANDEM_ANNOTATION_EVENT_range:
	case TANDEM_EVENT_range:
		return want_begin(ranges, item->event, tag);
	case TANDEM_ANNOTATION_EVENT_range_end:
	case TANDEM_EVENT_range_end:
		return want_end(ranges, item->event, tag);
	default:
		return range_names_record(&ranges->scopes, item->event);
	}
}

static int place_name(struct otf2_ranges *ranges, const struct sequence_event *event,
		      uint32_t place, bool row, struct text *name)
{
	struct event_iterator *iterator = ranges->export->iterator;
	const struct trace_stream *stream = trace_ahead_stream(&iterator->ahead, event->stream);
	const char *scope = range_names_scope(&ranges->scopes, event->process, place);

	if (row && place)
		text_format(name, "ranges across threads, row %u", place + 1);
	else if (row)
		text_add_string(name, "ranges across threads");
	else
		text_format(name, "%s ranges of %s %u", scope ? scope : "scoped",
			    stream->thread_name, stream->tid);
	return name->failed ? -ENOMEM : 0;
}

/* The location for the ranges of a scope of a thread, or for a row of a process. */
static int location_of(struct otf2_ranges *ranges, const struct sequence_event *event,
		       uint32_t place, bool row, uint32_t group, uint32_t *location)
{
	uint64_t key = place_key(row ? event->process : event->stream, place, row);
	uint64_t known = map_get(&ranges->locations, key);
	struct text name = TEXT_INIT;
	int status;

	if (known != MAP_NONE) {
		*location = (uint32_t)known;
		return 0;
	}
	status = place_name(ranges, event, place, row, &name);
	if (!status)
		status = otf_archive_location(ranges->archive, name.data, group,
					      OTF2_LOCATION_TYPE_CPU_THREAD, location);
	text_free(&name);
	return status ? status : map_set(&ranges->locations, key, *location);
}

int otf2_ranges_event(struct otf2_ranges *ranges, const struct sequence_event *event, uint64_t ns,
		      uint32_t thread, uint32_t group)
{
	enum tag what = (enum tag)(event->tag >> 62);
	bool row = event->tag >> 61 & 1;
	uint32_t place = (uint32_t)(event->tag >> 32) & 0x1fffffff, region = (uint32_t)event->tag;
	uint32_t location = thread;
	int status = row || place ? location_of(ranges, event, place, row, group, &location) : 0;

	if (!status && what != TAG_END)
		status = otf_archive_enter(ranges->archive, location, ns, region, 0);
	if (!status && what != TAG_BEGIN)
		status = otf_archive_leave_innermost(ranges->archive, location, ns);
	return status;
}

void otf2_ranges_free(struct otf2_ranges *ranges)
{
	for (size_t i = 0; i < ranges->open_count; i++)
		text_free(&ranges->open[i]);
	free(ranges->open);
	free(ranges->rows);
	range_names_free(&ranges->scopes);
	map_free(&ranges->stacks);
	map_free(&ranges->started);
	map_free(&ranges->locations);
	intern_free(&ranges->names);
	memset(ranges, 0, sizeof(*ranges));
}
