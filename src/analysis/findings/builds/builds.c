/* SPDX-License-Identifier: MIT */
/* What was built, how often, and how long it took. */
#include "analysis/findings/builds/builds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/field.h"
#include "util/array.h"
#include "util/hash.h"

static int builds_begin(struct findings *findings, void *state)
{
	struct build_state *builds = state;

	builds->last_hash = calloc(findings->session->stream_count + 1, sizeof(*builds->last_hash));
	builds->last_api = calloc(findings->session->stream_count + 1, sizeof(const void *));
	builds->started_ns =
		calloc(findings->session->process_count + 1, sizeof(*builds->started_ns));
	builds->enqueued = calloc(findings->session->process_count + 1, sizeof(*builds->enqueued));
	return builds->last_hash && builds->last_api && builds->started_ns && builds->enqueued
		       ? 0
		       : -ENOMEM;
}

/* FNV-1a; never 0. */
static uint64_t hash_of(const uint8_t *bytes, size_t count)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < count; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return hash | 1;
}

/* Of sessions whose program records have no hash: the source is recorded at the highest level
 * of arguments only. */
static void note_source(struct build_state *builds, const struct trace_event *event)
{
	const struct tandem_field *field = NULL;
	uint64_t hash = 0;
	size_t count = 0;

	if (event->layout->event->class == TANDEM_CLASS_BUILD)
		builds->last_api[event->stream->index] = event->layout->event;
	if (event->layout->event->class == TANDEM_CLASS_CREATE)
		field = trace_field_role(event->layout, TANDEM_ROLE_source_text);
	if (field && field->kind == TANDEM_FIELD_STRING) {
		const uint8_t *text = trace_field_elements(event, field, &count);

		hash = count ? hash_of(text, count) : 0;
	}
	builds->last_hash[event->stream->index] = hash;
}

static int note_program(struct build_state *builds, const struct trace_event *event)
{
	const struct tandem_rec_program *record = (const void *)event->record;
	uint64_t key = (uint64_t)event->stream->process->index << 32 | record->program;

	if (array_reserve(&builds->sources, &builds->source_capacity, builds->source_count + 1,
			  sizeof(*builds->sources)))
		return -ENOMEM;
	builds->sources[builds->source_count] = (struct build_source){
		.bytes = record->bytes,
		.hash = builds->last_hash[event->stream->index],
		.from_binary = record->source == TANDEM_PROGRAM_SOURCE_binary ||
			       record->source == TANDEM_PROGRAM_SOURCE_builtin,
		.domain = record->domain,
	};
	return map_set(&builds->programs, key, builds->source_count++);
}

static void note_hash(struct build_state *builds, const struct trace_event *event)
{
	const struct tandem_rec_program_hash *record = (const void *)event->record;
	uint64_t source = map_get(&builds->programs,
				  (uint64_t)event->stream->process->index << 32 | record->program);

	if (source != MAP_NONE)
		builds->sources[source].hash = record->hash;
}

/* A program of which a kernel is made is used. */
static void note_kernel(struct build_state *builds, const struct trace_event *event)
{
	const struct tandem_rec_kernel *record = (const void *)event->record;
	uint64_t source = map_get(&builds->programs,
				  (uint64_t)event->stream->process->index << 32 | record->program);

	if (source != MAP_NONE)
		builds->sources[source].used = true;
}

/* What is not built again need not be released. */
static int note_release(struct findings *findings, const struct build_state *builds,
			const struct event_item *item)
{
	const struct trace_event *event = item->event;
	const struct tandem_field *program = trace_field_object(event->layout);
	uint64_t source;

	if (event->layout->event->class != TANDEM_CLASS_RELEASE || trace_event_failed(event) ||
	    !program || program->object != TANDEM_OBJECT_program)
		return 0;
	source = map_get(&builds->programs, (uint64_t)event->stream->process->index << 32 |
						    trace_field_unsigned(event, program));
	if (source == MAP_NONE || !builds->sources[source].again)
		return 0;
	return graph_remove(findings->graph, item->call, GRAPH_BUILD_AGAIN);
}

/* Whether a call asks for a program's binary, by the name that its runtime has for that. */
static bool asks_binary(const struct trace_event *event, const char *program_binary)
{
	const struct tandem_layout *layout = event->layout->layout;

	for (unsigned i = 0; i < layout->field_count; i++) {
		const struct tandem_field *field = &layout->fields[i];
		const char *name =
			field->kind == TANDEM_FIELD_ENUM
				? trace_name_find(field->names,
						  (int64_t)trace_field_unsigned(event, field))
				: NULL;

		if (name && !strcmp(name, program_binary))
			return true;
	}
	return false;
}

/* What was built from source and is read is kept for the next run, as a rule. */
static void note_read(const struct findings *findings, struct build_state *builds,
		      const struct trace_event *event)
{
	const struct tandem_field *program = trace_field_object(event->layout);
	struct build_source *source;
	uint64_t index;

	if (!program || program->object != TANDEM_OBJECT_program || trace_event_failed(event))
		return;
	index = map_get(&builds->programs, (uint64_t)event->stream->process->index << 32 |
						   trace_field_unsigned(event, program));
	source = index == MAP_NONE ? NULL : &builds->sources[index];
	if (!source || source->read || source->from_binary ||
	    !asks_binary(event,
			 trace_session_domain(findings->session, source->domain)->program_binary))
		return;
	source->read = true;
	builds->first.read++;
}

static bool same_row(const struct build_row *a, const struct build_row *b)
{
	return a->process == b->process && a->source.bytes == b->source.bytes &&
	       a->source.hash == b->source.hash && a->device == b->device &&
	       a->options == b->options && a->step == b->step;
}

static int row_find(struct build_state *builds, const struct build_row *wanted,
		    struct build_row **row)
{
	uint64_t hash = HASH_START, known;

	hash_number(&hash, wanted->source.hash);
	hash_number(&hash, wanted->source.bytes);
	hash_number(&hash, wanted->options);
	hash_number(&hash, wanted->device);
	hash_number(&hash, wanted->process);
	hash_number(&hash, wanted->step);
	known = map_get(&builds->row_of, hash);
	if (known != MAP_NONE && same_row(&builds->rows[known], wanted)) {
		*row = &builds->rows[known];
		return 0;
	}
	if (array_reserve(&builds->rows, &builds->capacity, builds->count + 1,
			  sizeof(*builds->rows)))
		return -ENOMEM;
	*row = &builds->rows[builds->count];
	**row = *wanted;
	return map_set(&builds->row_of, hash, builds->count++);
}

/* Builds that overlap cost the time of one. */
static void count_first(struct build_state *builds, const struct build_row *row,
			const struct tandem_event *api, int64_t begin_ns, int64_t end_ns)
{
	int64_t from_ns = begin_ns < builds->first.until_ns ? builds->first.until_ns : begin_ns;

	if (row->source.from_binary)
		return;
	builds->first.count++;
	builds->first.domain = row->domain;
	if (end_ns > from_ns)
		builds->first.total_ns += (uint64_t)(end_ns - from_ns);
	if (end_ns > builds->first.until_ns)
		builds->first.until_ns = end_ns;
	if (end_ns - begin_ns > builds->first.end_ns - builds->first.begin_ns) {
		builds->first.begin_ns = begin_ns;
		builds->first.end_ns = end_ns;
		builds->first.stream = row->stream;
		builds->first.api = api;
	}
}

/* The call that built; others may have been made inside of it. */
static const struct tandem_event *builder_of(const struct findings *findings,
					     const struct build_state *builds,
					     const struct trace_event *event)
{
	const struct tandem_event *api = builds->last_api[event->stream->index];

	return api ? api : findings->calls[event->stream->index].api;
}

static int count_build(struct findings *findings, struct build_state *builds,
		       const struct event_item *item)
{
	const struct trace_event *event = item->event;
	const struct tandem_rec_build *record = (const void *)event->record;
	uint32_t process = event->stream->process->index;
	uint64_t source = map_get(&builds->programs, (uint64_t)process << 32 | record->program);
	const struct tandem_field *options = trace_field_find(event->layout, "options");
	struct build_row wanted = {
		.step = record->step, .domain = record->domain, .device = item->device};
	const uint8_t *text;
	size_t length = 0;
	struct build_row *row;
	uint64_t ns;

	/* A program made of what we have not seen is like no other. */
	if (source == MAP_NONE || record->end < record->begin)
		return 0;
	wanted.source = builds->sources[source];
	wanted.process = process;
	wanted.stream = event->stream->index;
	wanted.between = builds->enqueued[process];
	builds->enqueued[process] = false;
	text = trace_field_elements(event, options, &length);
	if (intern_add(&builds->texts, (const char *)text, length, &wanted.options) ||
	    row_find(builds, &wanted, &row))
		return -ENOMEM;
	ns = (uint64_t)(findings_ns(findings, record->end) - findings_ns(findings, record->begin));
	row->count++;
	row->total_ns += ns;
	/* What is compiled alone is there to be linked. */
	if (record->step != TANDEM_BUILD_STEP_build)
		builds->sources[source].used = true;
	if (row->count == 1) {
		row->first_ns = ns;
		row->first_from_ns = findings_ns(findings, record->begin);
		row->started_ns = builds->started_ns[process] > 0 ? builds->started_ns[process]
								  : row->first_from_ns;
		builds->started_ns[process] = -1;
		row->first_api = builder_of(findings, builds, event);
	}
	/* One that failed leaves nothing to be kept: that is an error's. */
	if (row->count == 1 && !record->status) {
		builds->sources[source].first_ns += ns;
		count_first(builds, row, builder_of(findings, builds, event),
			    findings_ns(findings, record->begin),
			    findings_ns(findings, record->end));
	}
	if (row->count == 2) {
		row->api = builder_of(findings, builds, event);
		row->stream = event->stream->index;
		row->begin_ns = findings_ns(findings, record->begin);
		row->end_ns = row->begin_ns + (int64_t)ns;
	}
	if (row->source.from_binary || (row->count == 1 && record->status))
		return 0;
	builds->sources[source].again = row->count > 1;
	return graph_remove(findings->graph, item->call,
			    row->count == 1 ? GRAPH_BUILD_FIRST : GRAPH_BUILD_AGAIN);
}

static int builds_item(struct findings *findings, void *state, const struct event_item *item)
{
	struct build_state *builds = state;

	if (loads_item(&builds->loads, findings, item))
		return -ENOMEM;
	if (item->kind == ITEM_CALL) {
		int64_t *started_ns = &builds->started_ns[item->event->stream->process->index];

		if (!*started_ns)
			*started_ns = item->event->ns;
		note_source(state, item->event);
		if (trace_event_op(item->event))
			builds->enqueued[item->event->stream->process->index] = true;
		if (item->event->layout->event->class == TANDEM_CLASS_QUERY)
			note_read(findings, state, item->event);
		return note_release(findings, builds, item);
	}
	if (item->kind == ITEM_OBJECT && item->event->record->id == TANDEM_EVENT_program)
		return note_program(state, item->event);
	else if (item->kind == ITEM_OBJECT && item->event->record->id == TANDEM_EVENT_kernel)
		note_kernel(state, item->event);
	else if (item->kind == ITEM_OTHER && item->event &&
		 item->event->record->id == TANDEM_EVENT_program_hash)
		note_hash(state, item->event);
	else if (item->kind == ITEM_BUILD)
		return count_build(findings, state, item);
	return 0;
}

static int builds_end(struct findings *findings, void *state)
{
	struct build_state *builds = state;
	int status = builds_add_repeated(findings, builds);

	if (!status)
		status = builds_add_in_processes(findings, builds);
	if (!status)
		status = loads_add(&builds->loads, findings);
	return status ? status : builds_add_first(findings, builds);
}

static void builds_release(struct findings *findings, void *state)
{
	struct build_state *builds = state;

	(void)findings;
	intern_free(&builds->texts);
	map_free(&builds->programs);
	map_free(&builds->row_of);
	free(builds->sources);
	free(builds->enqueued);
	free(builds->started_ns);
	free(builds->last_hash);
	free(builds->last_api);
	free(builds->rows);
	loads_release(&builds->loads);
}

const struct finding_ops finding_builds = {
	.name = "builds",
	.words = "programs that were built again",
	.state_bytes = sizeof(struct build_state),
	.graph = true,
	.begin = builds_begin,
	.item = builds_item,
	.items = 1u << ITEM_CALL | 1u << ITEM_OBJECT | 1u << ITEM_OTHER | 1u << ITEM_BUILD,
	.end = builds_end,
	.release = builds_release,
};
