/* SPDX-License-Identifier: MIT */
/* The same program built again: the same source, options and device; and a run of which much
 * is the first builds. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/findings/builds/loads.h"
#include "analysis/findings/finding.h"
#include "trace/field.h"
#include "util/array.h"
#include "util/hash.h"
#include "util/keyed_row.h"
#include "util/units.h"

/* First builds are reported from here on: so long, and such a part of the run; or half of it, from ... */
#define FIRST_LEAST_NS UINT64_C(1000000000)
#define FIRST_SHARE 10u
#define MOST_LEAST_NS UINT64_C(300000000)
#define MANY_BUILDS 4u /* as many are worth a cache wherever they are most of the run */

/* So many times one source, with other options each time, are told of from the same part on. */
#define VARIANTS_LEAST 8u

/* Of one it may be that this run had no need of it. */
#define UNUSED_LEAST 2u

struct build_source { /* of a program object */
	uint64_t bytes;
	uint64_t hash; /* of what it was made of; 0: not recorded */
	bool from_binary;
	bool used;  /* a kernel was made of it, or it was linked */
	bool again; /* it was built, as another one before */
	uint8_t domain;
	uint64_t first_ns; /* that its first builds took */
};

struct build_row { /* one process, source, options, device */
	struct build_source source;
	uint32_t process;
	uint32_t device;  /* row of devices, or TRACE_NONE */
	uint32_t options; /* in `texts` */
	uint8_t step, domain;
	uint64_t count, first_ns, total_ns;
	const struct tandem_event *api; /* of the second */
	uint32_t stream;
	int64_t begin_ns, end_ns; /* same */
};

struct build_state {
	struct intern texts;
	struct map programs; /* process and number -> source */
	struct build_source *sources;
	size_t source_count, source_capacity;
	uint64_t *last_hash; /* by stream: of the text that its latest call was given */
	const struct tandem_event **last_api; /* ... and the latest call that builds */
	struct build_row *rows;
	size_t count, capacity;
	struct map row_of; /* hash of what makes a row -> the latest such one */
	struct loads loads;

	/* Builds of what had not been built before. */
	struct {
		uint64_t count, total_ns; /* of time in which one or more were under way */
		int64_t until_ns;
		int64_t begin_ns, end_ns;	/* of the longest */
		const struct tandem_event *api; /* that built it */
		uint32_t stream;
		uint8_t domain;
	} first;
};

static int builds_begin(struct findings *findings, void *state)
{
	struct build_state *builds = state;

	builds->last_hash = calloc(findings->session->stream_count + 1, sizeof(*builds->last_hash));
	builds->last_api = calloc(findings->session->stream_count + 1, sizeof(const void *));
	return builds->last_hash && builds->last_api ? 0 : -ENOMEM;
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
	struct trace_clock *clock = &findings->session->clock;
	uint32_t process = event->stream->process->index;
	uint64_t source = map_get(&builds->programs, (uint64_t)process << 32 | record->program);
	const struct tandem_field *options = trace_field_find(event->layout, "options");
	struct build_row wanted = {
		.step = record->step, .domain = record->domain, .device = TRACE_NONE};
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
	text = trace_field_elements(event, options, &length);
	if (intern_add(&builds->texts, (const char *)text, length, &wanted.options) ||
	    (record->device && devices_of_number(&findings->iterator->devices, event,
						 record->device, record->domain, &wanted.device)) ||
	    row_find(builds, &wanted, &row))
		return -ENOMEM;
	ns = (uint64_t)(trace_clock_ns(clock, record->end) - trace_clock_ns(clock, record->begin));
	row->count++;
	row->total_ns += ns;
	/* What is compiled alone is there to be linked. */
	if (record->step != TANDEM_BUILD_STEP_build)
		builds->sources[source].used = true;
	if (row->count == 1)
		row->first_ns = ns;
	/* One that failed leaves nothing to be kept: that is an error's. */
	if (row->count == 1 && !record->status) {
		builds->sources[source].first_ns += ns;
		count_first(builds, row, builder_of(findings, builds, event),
			    trace_clock_ns(clock, record->begin),
			    trace_clock_ns(clock, record->end));
	}
	if (row->count == 2) {
		row->api = builder_of(findings, builds, event);
		row->stream = event->stream->index;
		row->begin_ns = trace_clock_ns(clock, record->begin);
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
		note_source(state, item->event);
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

/* What was linked of what nobody has seen may be anything. */
static bool is_repeated(const struct build_row *row)
{
	return row->count > 1 && row->source.hash;
}

struct build_sum { /* of programs that were built again: of a process, and made in one way */
	struct build_row row;
	uint64_t programs;
};

static const char *describe(struct findings *findings, const struct build_row *row,
			    const char *options, uint64_t programs)
{
	char count[UNITS_BYTES], bytes[UNITS_BYTES];
	const char *by = row->api ? findings_text(findings, " (%s)", row->api->name) : "";

	units_count(count, row->count);
	if (programs > 1)
		return findings_text(findings,
				     "%llu programs, always the same, were built %s times in all%s",
				     (unsigned long long)programs, count, by);
	return findings_text(findings, "the same program (source of %s%s%s) was built %s times%s",
			     units_bytes(bytes, (double)row->source.bytes),
			     *options ? ", options " : "", options, count, by);
}

static int add_row(struct findings *findings, const struct build_state *builds,
		   const struct build_row *row, uint64_t programs)
{
	const char *options = intern_text(&builds->texts, row->options);
	struct finding *finding = findings_add(findings, "builds", "repeated");
	const char *binary = trace_session_domain(findings->session, row->domain)->program_binary;

	if (!finding)
		return -ENOMEM;
	finding->count = row->count;
	finding->cost_ns = row->total_ns - row->first_ns;
	if (!row->source.from_binary)
		finding->removes = GRAPH_BUILD_AGAIN;
	finding->object = programs > 1 ? "" : findings_text(findings, "%s", options);
	finding->what = describe(findings, row, options, programs);
	finding->confidence = CONFIDENCE_HIGH;
	finding->why = "the sources are identical";
	finding->suggestion = findings_text(findings,
					    "build %s once and keep the program, or keep its "
					    "binary%s%s%s for the next run",
					    programs > 1 ? "each" : "it", *binary ? " (" : "",
					    binary, *binary ? ")" : "");
	if (row->device != TRACE_NONE)
		finding->device =
			findings_text(findings, "%s",
				      event_iterator_device_name(findings->iterator, row->device));
	finding_place(findings, finding, row->stream);
	finding_time(findings, finding, row->begin_ns, row->end_ns);
	return 0;
}

struct variants { /* of sources that were built with ever other options */
	uint64_t builds, sources;
	uint32_t options; /* in `texts`, of one */
};

/* 0 or -ENOMEM. */
static int find_variants(const struct build_state *builds, struct variants *variants)
{
	struct map rows_of = {0};
	int status = 0;

	for (size_t i = 0; !status && i < builds->count; i++) {
		const struct build_row *row = &builds->rows[i];
		uint64_t source = HASH_START, rows;

		if (row->source.from_binary || !row->source.hash)
			continue;
		hash_number(&source, row->source.hash);
		hash_number(&source, row->device);
		hash_number(&source, (uint64_t)row->process << 8 | row->step);
		status = map_count(&rows_of, source, 1);
		rows = status ? 0 : map_get(&rows_of, source);
		if (rows < VARIANTS_LEAST)
			continue;
		variants->sources += rows == VARIANTS_LEAST;
		variants->builds += rows == VARIANTS_LEAST ? VARIANTS_LEAST : 1;
		variants->options = row->options;
	}
	map_free(&rows_of);
	return status;
}

static const char *variants_words(struct findings *findings, const struct build_state *builds,
				  const struct variants *variants)
{
	char count[UNITS_BYTES], sources[UNITS_BYTES];
	const char *options = intern_text(&builds->texts, variants->options);

	return findings_text(
		findings, "%s of them are %s source%s with other options each time%s%.60s%s",
		units_count(count, variants->builds),
		variants->sources == 1 ? "one" : units_count(sources, variants->sources),
		variants->sources == 1 ? "" : "s", *options ? " (" : "", options,
		*options ? ")" : "");
}

/* Short ones and short runs are not worth a cache. */
static bool is_much(uint64_t count, const struct variants *variants, uint64_t build_ns,
		    uint64_t run_ns)
{
	return ((build_ns >= FIRST_LEAST_NS || variants->builds) &&
		build_ns >= run_ns / FIRST_SHARE) ||
	       ((build_ns >= MOST_LEAST_NS || count >= MANY_BUILDS) && build_ns >= run_ns / 2);
}

struct unused { /* programs that were built from source, and of which nothing was used */
	uint64_t count, ns;
};

/* None of a domain where no kernel was seen of any: a compiler's programs have none. */
static struct unused find_unused(const struct build_state *builds)
{
	struct unused unused = {0};
	bool any[UINT8_MAX + 1] = {false};

	for (size_t i = 0; i < builds->source_count; i++)
		any[builds->sources[i].domain] |=
			builds->sources[i].used && builds->sources[i].first_ns;
	for (size_t i = 0; i < builds->source_count; i++) {
		const struct build_source *source = &builds->sources[i];

		if (source->used || source->from_binary || !source->first_ns ||
		    !any[source->domain])
			continue;
		unused.count++;
		unused.ns += source->first_ns;
	}
	return unused;
}

static const char *unused_words(struct findings *findings, const struct unused *unused)
{
	char count[UNITS_BYTES], took[UNITS_BYTES];

	return findings_text(findings, "%s of them, %s, had no kernel that was used",
			     units_count(count, unused->count), units_ns(took, (double)unused->ns));
}

/* Short builds, and few, are not told, but of what is not used. */
static int add_unused(struct findings *findings, const struct build_state *builds,
		      const struct unused *unused)
{
	char count[UNITS_BYTES];
	struct finding *finding;

	if (unused->count < UNUSED_LEAST)
		return 0;
	finding = findings_add(findings, "builds", "first");
	if (!finding)
		return -ENOMEM;
	finding->count = unused->count;
	finding->cost_ns = unused->ns;
	finding->object = builds->first.api ? builds->first.api->name : "";
	finding->what = findings_text(findings, "%s programs were built from source%s%s%s; %s",
				      units_count(count, builds->first.count),
				      *finding->object ? " (" : "", finding->object,
				      *finding->object ? ")" : "", unused_words(findings, unused));
	finding->confidence = CONFIDENCE_HIGH;
	finding->why = "no kernel object was made of them";
	finding->suggestion = "build a program when its first kernel is needed";
	finding_place(findings, finding, builds->first.stream);
	finding_time(findings, finding, builds->first.begin_ns, builds->first.end_ns);
	return 0;
}

/* What no run need do again. */
static int add_first(struct findings *findings, const struct build_state *builds)
{
	struct unused unused = find_unused(builds);
	struct variants variants = {0};
	uint64_t run_ns = trace_session_duration_ns(findings->session);
	struct finding *finding;
	const char *binary;
	char count[UNITS_BYTES], took[UNITS_BYTES];

	if (find_variants(builds, &variants))
		return -ENOMEM;
	if (!is_much(builds->first.count, &variants, builds->first.total_ns, run_ns))
		return add_unused(findings, builds, &unused);
	finding = findings_add(findings, "builds", "first");
	if (!finding)
		return -ENOMEM;
	binary = trace_session_domain(findings->session, builds->first.domain)->program_binary;
	finding->once = !variants.builds;
	finding->count = builds->first.count;
	finding->cost_ns = builds->first.total_ns;
	finding->removes = GRAPH_BUILD_FIRST;
	finding->object = builds->first.api ? builds->first.api->name : "";
	finding->what = findings_text(
		findings, "%s program%s took %s to build from source%s%s%s, as in each run",
		units_count(count, builds->first.count), builds->first.count == 1 ? "" : "s",
		units_ns(took, (double)builds->first.total_ns), *finding->object ? " (" : "",
		finding->object, *finding->object ? ")" : "");
	if (unused.count)
		finding->what = findings_text(findings, "%s; %s", finding->what,
					      unused_words(findings, &unused));
	if (variants.builds)
		finding->what = findings_text(findings, "%s; %s", finding->what,
					      variants_words(findings, builds, &variants));
	finding->confidence = CONFIDENCE_MEDIUM;
	finding->why = "loading a binary takes some time as well";
	finding->suggestion = findings_text(
		findings,
		"keep the program's binary%s%s%s, and build from that in "
		"the next run%s",
		*binary ? " (" : "", binary, *binary ? ")" : "",
		variants.builds ? ", or give the kernel an argument for what differs" : "");
	finding_place(findings, finding, builds->first.stream);
	finding_time(findings, finding, builds->first.begin_ns, builds->first.end_ns);
	return 0;
}

static int add_repeated(struct findings *findings, const struct build_state *builds)
{
	struct build_sum *sums = NULL, *sum;
	size_t count = 0, capacity = 0;
	struct map sum_of = {0};
	int status = 0;

	for (size_t i = 0; !status && i < builds->count; i++) {
		const struct build_row *row = &builds->rows[i];
		const struct build_sum fresh = {.row = *row};
		uint64_t key = (uint64_t)row->process << 32 | (uint32_t)row->step << 16 |
			       (uint32_t)row->domain << 8 | row->source.from_binary;

		if (!is_repeated(row))
			continue;
		sum = keyed_row(&sum_of, key, &sums, &capacity, &count, &fresh, sizeof(fresh));
		status = sum ? 0 : -ENOMEM;
		if (!sum || !sum->programs++)
			continue;
		sum->row.count += row->count;
		sum->row.total_ns += row->total_ns;
		sum->row.first_ns += row->first_ns;
	}
	for (size_t i = 0; !status && i < count; i++)
		status = add_row(findings, builds, &sums[i].row, sums[i].programs);
	map_free(&sum_of);
	free(sums);
	return status;
}

static int builds_end(struct findings *findings, void *state)
{
	struct build_state *builds = state;
	int status = add_repeated(findings, builds);

	if (!status)
		status = loads_add(&builds->loads, findings);
	return status ? status : add_first(findings, builds);
}

static void builds_release(struct findings *findings, void *state)
{
	struct build_state *builds = state;

	(void)findings;
	intern_free(&builds->texts);
	map_free(&builds->programs);
	map_free(&builds->row_of);
	free(builds->sources);
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
	.end = builds_end,
	.release = builds_release,
};
