/* SPDX-License-Identifier: MIT */
#include "trace/schema/schema.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

/* FNV-1a */
#define HASH_START UINT64_C(0xcbf29ce484222325)
#define HASH_PRIME UINT64_C(0x100000001b3)

static bool names_within(const struct tandem_names *names, const struct tandem_names *known)
{
	if (names == known || !names)
		return true;
	if (!known)
		return false;
	for (size_t i = 0, at = 0; i < names->count; i++) {
		size_t tried = 0;

		/* Nearly always both are in one order. */
		for (; tried < known->count; tried++, at = at + 1 < known->count ? at + 1 : 0)
			if (at < known->count && known->names[at].value == names->names[i].value &&
			    !strcmp(known->names[at].name, names->names[i].name))
				break;
		if (tried == known->count)
			return false;
	}
	return true;
}

static bool field_equal(const struct tandem_field *field, const struct tandem_field *known)
{
	return field->bytes == known->bytes && field->variable == known->variable &&
	       field->count_bytes == known->count_bytes && field->offset == known->offset &&
	       !strcmp(field->name, known->name);
}

/* Whether a field that is described by itself has no names but those known. */
static bool field_names_equal(const struct tandem_field *field, const struct tandem_field *known)
{
	return !field->names || names_within(field->names, known->names);
}

struct names_pair { /* the latest that were compared */
	const struct tandem_names *names, *known;
	bool equal;
};

static bool event_equal(const struct tandem_event *event, const struct tandem_event *known,
			enum tandem_args_level level, struct names_pair *pair)
{
	const struct tandem_layout *layout = &event->layout[level], *other = &known->layout[level];

	if (event->id != known->id || strcmp(event->name, known->name) != 0 ||
	    layout->fixed_bytes != other->fixed_bytes ||
	    layout->field_count != other->field_count || event->has_result != known->has_result ||
	    (event->class == TANDEM_CLASS_RECORD) != (known->class == TANDEM_CLASS_RECORD))
		return false;
	for (unsigned i = 0; i < layout->field_count; i++)
		if (!field_equal(&layout->fields[i], &other->fields[i]) ||
		    !field_names_equal(&layout->fields[i], &other->fields[i]))
			return false;
	if (!event->has_result)
		return true;
	if (pair->names != event->results || pair->known != known->results)
		*pair = (struct names_pair){event->results, known->results,
					    names_within(event->results, known->results)};
	return pair->equal;
}

static const struct tandem_event *domain_event(const struct tandem_domain *domain, unsigned number)
{
	return domain && number < domain->event_count && domain->events[number].name
		       ? &domain->events[number]
		       : NULL;
}

/* Whether all events that the one has are the other's, too. */
static bool domain_within(const struct tandem_domain *domain, const struct tandem_domain *known,
			  enum tandem_args_level level)
{
	struct names_pair pair = {NULL, NULL, false};

	for (unsigned i = 0; i < domain->event_count; i++) {
		const struct tandem_event *event = domain_event(domain, i);
		const struct tandem_event *other = domain_event(known, i);

		if (event && (!other || !event_equal(event, other, level, &pair)))
			return false;
	}
	return true;
}

/* What this build knows of a field of the same name: more than a name and a size. */
static void field_enrich(struct tandem_field *field, const struct tandem_layout *known)
{
	for (unsigned i = 0; i < known->field_count; i++) {
		const struct tandem_field *other = &known->fields[i];

		if (strcmp(field->name, other->name) != 0 || field->bytes != other->bytes ||
		    field->variable != other->variable)
			continue;
		field->role = other->role;
		if (field->kind == TANDEM_FIELD_ENUM)
			return;
		field->kind = other->kind;
		field->object = other->object;
		if (!field->names)
			field->names = other->names;
		return;
	}
}

/* A call that this build lays out otherwise: the session's layout, our meaning. */
static void event_enrich(struct tandem_event *event, const struct tandem_event *known)
{
	struct tandem_field *fields = (struct tandem_field *)event->layout[0].fields;

	event->class = known->class;
	event->traits = known->traits;
	/* All that a call can have is in its full layout. */
	for (unsigned i = 0; i < event->layout[0].field_count; i++)
		field_enrich(&fields[i], &known->layout[TANDEM_ARGS_FULL]);
}

/* One event of a domain that this build has, too, but not just so. */
static void event_adapt(struct tandem_event *event, const struct tandem_domain *known,
			unsigned number, enum tandem_args_level level, struct names_pair *pair,
			const struct tandem_event **stored)
{
	const struct tandem_event *other = domain_event(known, number);
	bool record = event->class == TANDEM_CLASS_RECORD;

	const struct tandem_event *said = *stored;

	*stored = NULL;
	if (other && event_equal(event, other, level, pair)) {
		*event = *other;
	} else if (other && !strcmp(other->name, event->name) &&
		   record == (other->class == TANDEM_CLASS_RECORD)) {
		/* Whoever reads records of our own knows their structs. */
		*stored = record ? said : NULL;
		if (record)
			*event = *other;
		else
			event_enrich(event, other);
	} else if (other && record) {
		/* Its number means another event here: it must not pass for that. */
		*stored = said;
		event->id = TANDEM_ID(TANDEM_DOMAIN_core, 0);
	}
}

static int domain_adapt(struct trace_schema *schema, struct trace_schema_domain *into,
			const struct tandem_domain *domain, const struct tandem_domain *known,
			enum tandem_args_level level)
{
	struct names_pair pair = {NULL, NULL, false};
	struct tandem_event *events;
	const struct tandem_event **stored;
	struct tandem_domain *made;
	bool any = false;

	made = arena_alloc(&schema->arena, sizeof(*made));
	events = arena_alloc(&schema->arena, (domain->event_count + 1u) * sizeof(*events));
	stored = arena_alloc(&schema->arena, (domain->event_count + 1u) * sizeof(*stored));
	if (!made || !events || !stored)
		return -ENOMEM;
	*made = *domain;
	made->name = known->name;
	made->events = events;
	for (unsigned i = 0; i < domain->event_count; i++) {
		if (!domain->events[i].name)
			continue;
		events[i] = domain->events[i];
		stored[i] = &domain->events[i];
		event_adapt(&events[i], known, i, level, &pair, &stored[i]);
		any |= stored[i] != NULL;
	}
	into->domain = made;
	into->stored = any ? stored : NULL;
	return 0;
}

static void take_pages(struct trace_schema *schema, const struct tandem_domain *domain)
{
	for (unsigned i = 0; i < domain->page_count; i++) {
		unsigned page = domain->pages[i];

		if (page >= TANDEM_PAGES || schema->page_domain[page])
			continue;
		schema->page_domain[page] = (uint8_t)(domain->number + 1);
		schema->page_index[page] = (uint8_t)i;
	}
}

/* A domain of which nothing was known. */
static int take_domain(struct trace_schema *schema, const struct trace_tsdl_domain *said,
		       enum tandem_args_level level)
{
	unsigned number = said->domain.number;
	struct trace_schema_domain *into = &schema->domains[number];
	const struct tandem_domain *known = tandem_domain_get(number);
	int status = 0;

	/* Another domain had this number where the session comes from. */
	if (known && said->domain.name && strcmp(known->name, said->domain.name) != 0)
		known = NULL;
	memcpy(into->hash, said->hash, sizeof(into->hash));
	into->known = known != NULL;
	into->row = known ? tandem_domain_row(number) : said->domain.name ? &said->row : NULL;
	if (!known)
		into->domain = &said->domain;
	else if (!said->domain.event_count && strcmp(said->hash, known->hash) != 0)
		into->domain = &said->domain; /* of a build whose layouts nothing describes */
	else if (domain_within(&said->domain, known, level))
		into->domain = known;
	else
		status = domain_adapt(schema, into, &said->domain, known, level);
	if (into->domain)
		take_pages(schema, into->domain);
	return status;
}

static bool contradicts(const struct trace_schema_domain *is, const struct trace_tsdl_domain *said,
			enum tandem_args_level level)
{
	struct names_pair pair = {NULL, NULL, false};

	if (*is->hash && *said->hash)
		return strcmp(is->hash, said->hash) != 0;
	for (unsigned i = 0; i < said->domain.event_count; i++) {
		const struct tandem_event *event = domain_event(&said->domain, i);
		const struct tandem_event *other = domain_event(is->domain, i);

		/* As the session has it, where this build has it otherwise. */
		if (is->stored && i < is->domain->event_count && is->stored[i])
			other = is->stored[i];
		if (event && (!other || !event_equal(event, other, level, &pair)))
			return true;
	}
	return false;
}

static int take_text(struct trace_schema *schema, enum tandem_args_level level, const char *text,
		     size_t bytes, struct trace_schema_said *said)
{
	struct trace_tsdl tsdl;
	bool kept = false;
	int status;

	if (array_reserve(&schema->texts, &schema->text_capacity, schema->text_count + 1,
			  sizeof(*schema->texts)))
		return -ENOMEM;
	status = trace_tsdl_parse(&tsdl, text, bytes);
	if (status)
		return status;
	said->bad = tsdl.bad;
	said->bad_offset = tsdl.bad_offset;
	for (unsigned i = 0; !status && i < TRACE_DOMAINS; i++) {
		const struct trace_tsdl_domain *domain = tsdl.domains[i];

		if (!domain || (!domain->domain.event_count && !*domain->hash))
			continue;
		if (schema->domains[i].domain) {
			if (contradicts(&schema->domains[i], domain, level))
				said->conflicts |= UINT64_C(1) << i;
			continue;
		}
		kept = true;
		status = take_domain(schema, domain, level);
	}
	if (kept)
		schema->texts[schema->text_count++] = tsdl;
	else
		trace_tsdl_free(&tsdl);
	return status;
}

/* Where all that the text describes is known by its hashes, nothing of it needs to
 * be read. */
static bool take_hashes(struct trace_schema *schema, const char *text, size_t bytes)
{
	const char *at = text, *end = text + bytes;
	uint64_t found = 0;
	unsigned number;
	char hash[TRACE_HASH_BYTES];

	while (trace_tsdl_section(&at, end, &number, hash)) {
		const struct trace_schema_domain *is = &schema->domains[number];
		const struct tandem_domain *known = tandem_domain_get(number);

		if (is->domain ? !*hash || strcmp(hash, is->hash) != 0
			       : !known || strcmp(hash, known->hash) != 0)
			return false;
		found |= UINT64_C(1) << number;
	}
	for (number = 0; number < TRACE_DOMAINS; number++) {
		struct trace_schema_domain *into = &schema->domains[number];

		if (!(found >> number & 1) || into->domain)
			continue;
		into->domain = tandem_domain_get(number);
		into->row = tandem_domain_row(number);
		into->known = true;
		strcpy(into->hash, into->domain->hash);
		take_pages(schema, into->domain);
	}
	return found != 0;
}

/* The text behind what differs from process to process. */
static uint64_t hash_of(const char *text, size_t bytes)
{
	const char *stream = memmem(text, bytes, "\nstream {", strlen("\nstream {"));
	uint64_t hash = HASH_START;

	for (const char *at = stream ? stream : text; at < text + bytes; at++)
		hash = (hash ^ (uint8_t)*at) * HASH_PRIME;
	return hash;
}

int trace_schema_add(struct trace_schema *schema, enum tandem_args_level level, const char *text,
		     size_t bytes, struct trace_schema_said *said)
{
	uint64_t key, known;
	int status;

	*said = (struct trace_schema_said){.bad = 0};
	if (take_hashes(schema, text, bytes))
		return 0;
	key = hash_of(text, bytes) ^ (uint64_t)level;
	known = map_get(&schema->seen, key);
	if (known != MAP_NONE) {
		said->conflicts = known;
		return 0;
	}
	status = take_text(schema, level, text, bytes, said);
	return status ? status : map_set(&schema->seen, key, said->conflicts);
}

/* A domain's descriptions, which go on up to the next domain's. */
static size_t section_bytes(const char *text, const char *end)
{
	static const char next[] = "\n/* domain ";
	const char *last =
		text == end ? NULL : memmem(text, (size_t)(end - text), next, sizeof(next) - 1);

	last = last ?: end;
	while (last > text && last[-1] == '\n')
		last--;
	return (size_t)(last - text);
}

void trace_schema_measure(struct trace_schema *schema, const char *text, size_t bytes)
{
	const char *at = text, *end = text + bytes;
	unsigned number;
	char hash[TRACE_HASH_BYTES];

	while (trace_tsdl_section(&at, end, &number, hash)) {
		struct trace_schema_section *section = &schema->sections[number];

		strcpy(section->hash, hash);
		section->bytes = section_bytes(at, end);
		schema->has_sections = true;
	}
}

bool trace_schema_is_cut(const struct trace_schema *schema, const char *text, size_t bytes)
{
	const char *at = text, *end = text + bytes, *last = NULL;
	const struct trace_schema_section *section = NULL;
	char hash[TRACE_HASH_BYTES];
	unsigned number;
	size_t length;

	while (trace_tsdl_section(&at, end, &number, hash)) {
		section = &schema->sections[number];
		last = at;
	}
	if (!last)
		return schema->has_sections;
	/* A process that could not read them says the domain's name alone. */
	length = section_bytes(last, end);
	return length && *hash && !strcmp(hash, section->hash) && length < section->bytes;
}

/* A row for a number of which nothing but that is known. */
static const struct tandem_domain_row *unknown_row(struct trace_schema *schema, unsigned number)
{
	struct tandem_domain_row *row = arena_alloc(&schema->arena, sizeof(*row));
	char name[16];

	if (!row)
		return NULL;
	*row = tandem_domain_row_init();
	snprintf(name, sizeof(name), "domain-%u", number);
	row->number = (uint8_t)number;
	row->name = row->title = row->part = arena_copy(&schema->arena, name, strlen(name));
	return row->name ? row : NULL;
}

int trace_schema_finish(struct trace_schema *schema)
{
	for (unsigned number = 0; number < TRACE_DOMAINS; number++) {
		struct trace_schema_domain *into = &schema->domains[number];
		const struct tandem_domain *known = tandem_domain_get(number);

		if (!into->domain && known && !schema->page_domain[number]) {
			into->domain = known;
			into->row = tandem_domain_row(number);
			into->known = true;
			take_pages(schema, known);
		}
		if (!into->row)
			into->row = unknown_row(schema, number);
		if (!into->row)
			return -ENOMEM;
	}
	return 0;
}

void trace_schema_free(struct trace_schema *schema)
{
	for (size_t i = 0; i < schema->text_count; i++)
		trace_tsdl_free(&schema->texts[i]);
	free(schema->texts);
	arena_free(&schema->arena);
	map_free(&schema->seen);
	*schema = (struct trace_schema){.text_count = 0};
}

const struct tandem_event *trace_schema_event(const struct trace_schema *schema, unsigned id)
{
	unsigned number = trace_schema_domain_of(schema, id);

	if (number == TRACE_DOMAINS || !TANDEM_ID_EVENT(id))
		return NULL;
	return domain_event(schema->domains[number].domain,
			    schema->page_index[TANDEM_ID_PAGE(id)] * TANDEM_PAGE_EVENTS +
				    TANDEM_ID_EVENT(id));
}

const struct tandem_domain_row *trace_schema_row(const struct trace_schema *schema, unsigned number)
{
	return schema->domains[number % TRACE_DOMAINS].row;
}
