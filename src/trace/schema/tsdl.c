/* SPDX-License-Identifier: MIT */
#include "trace/schema/tsdl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schema/record.h"
#include "trace/schema/former_names.h"
#include "trace/schema/tsdl_meaning.h"
#include "trace/schema/tsdl_token.h"

#define FIELDS_MAX 250u

struct enumeration {
	struct enumeration *next;
	const char *name;
	uint8_t bytes;
	struct tandem_names names;
};

struct parser {
	struct trace_tsdl *tsdl;
	/* Enumerations so far, the latest first. */
	struct enumeration *enums;
	struct trace_tsdl_domain *section; /* of the lines that follow; NULL: by id */
	uint32_t room[TRACE_DOMAINS];	   /* events that the domain's array can take */
};

/* --- enum NAME : BASE { WORD = NUMBER, "WORD" = NUMBER }; */

static uint8_t base_bytes(const struct token *token)
{
	static const struct {
		const char *name;
		uint8_t bytes;
	} bases[] = {{"u8", 1}, {"u16", 2}, {"u32", 4}, {"u64", 8}, {"i32", 4}, {"i64", 8}};

	for (size_t i = 0; i < sizeof(bases) / sizeof(*bases); i++)
		if (token_is(token, bases[i].name))
			return bases[i].bytes;
	return 0;
}

static int parse_enum(struct parser *parser, struct tsdl_text line)
{
	struct arena *arena = &parser->tsdl->arena;
	struct token name = token_next(&line), base, word;
	struct enumeration *made;
	struct tandem_name *values;
	unsigned room;

	if (!token_is_name(&name) || !token_expect(&line, ":"))
		return -EINVAL;
	base = token_next(&line);
	if (!base_bytes(&base) || !token_expect(&line, "{"))
		return -EINVAL;
	room = text_count(&line, '=');
	made = arena_alloc(arena, sizeof(*made));
	values = arena_alloc(arena, (room + 1) * sizeof(*values));
	if (!made || !values)
		return -ENOMEM;
	made->bytes = base_bytes(&base);
	made->name = made->names.type = arena_copy(arena, name.at, name.length);
	made->names.names = values;
	if (!made->name)
		return -ENOMEM;
	for (word = token_next(&line); !token_is(&word, "}"); word = token_next(&line)) {
		struct token number;

		if (token_is(&word, ",") && !word.quoted)
			continue;
		if (!token_is_name(&word) || made->names.count == room || !token_expect(&line, "="))
			return -EINVAL;
		number = token_next(&line);
		if (!token_number(&number, &values[made->names.count].value))
			return -EINVAL;
		values[made->names.count].name = arena_copy(arena, word.at, word.length);
		if (!values[made->names.count++].name)
			return -ENOMEM;
	}
	made->next = parser->enums;
	parser->enums = made;
	return 0;
}

static const struct enumeration *find_enum(const struct parser *parser, const struct token *name)
{
	for (const struct enumeration *at = parser->enums; at; at = at->next)
		if (token_is(name, at->name))
			return at;
	return NULL;
}

/* --- event { name = "NAME"; id = ID; stream_id = 0; fields := struct { FIELDS }; }; */

/* A declaration in the order of the text. */
struct declared {
	struct tandem_field field;
	struct token count; /* of a sequence: the name of its count; else length 0 */
	bool counts;	    /* it is a count: no field */
	bool claimed;	    /* by the sequence that it counts */
};

struct event {
	struct declared declared[FIELDS_MAX];
	unsigned count;
};

static const struct {
	const char *name;
	uint8_t kind, bytes;
} types[] = {
	{"u8", TANDEM_FIELD_UINT, 1},	{"u16", TANDEM_FIELD_UINT, 2},
	{"u32", TANDEM_FIELD_UINT, 4},	{"u64", TANDEM_FIELD_UINT, 8},
	{"x8", TANDEM_FIELD_HEX, 1},	{"x16", TANDEM_FIELD_HEX, 2},
	{"x32", TANDEM_FIELD_HEX, 4},	{"x64", TANDEM_FIELD_HEX, 8},
	{"i32", TANDEM_FIELD_INT, 4},	{"i64", TANDEM_FIELD_INT, 8},
	{"f64", TANDEM_FIELD_FLOAT, 8}, {"utf8", TANDEM_FIELD_STRING, 1},
};

static bool type_of(const struct parser *parser, struct tsdl_text *line, struct tandem_field *field)
{
	struct token type = token_next(line);

	if (token_is(&type, "enum")) {
		const struct enumeration *known;

		type = token_next(line);
		known = find_enum(parser, &type);
		if (!known)
			return false;
		field->kind = TANDEM_FIELD_ENUM;
		field->bytes = known->bytes;
		field->names = &known->names;
		return true;
	}
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		if (!token_is(&type, types[i].name))
			continue;
		field->kind = types[i].kind;
		field->bytes = types[i].bytes;
		return true;
	}
	return false;
}

/* TYPE NAME; or TYPE NAME[COUNT]; up to the struct's end. */
static int parse_fields(struct parser *parser, struct tsdl_text *line, struct event *event)
{
	struct arena *arena = &parser->tsdl->arena;

	for (;;) {
		struct tsdl_text before = *line;
		struct token name = token_next(line);
		struct declared *made = &event->declared[event->count];

		if (token_is(&name, "}"))
			return 0;
		*line = before;
		if (event->count == FIELDS_MAX)
			return -EINVAL;
		*made = (struct declared){.counts = false};
		if (!type_of(parser, line, &made->field))
			return -EINVAL;
		name = token_next(line);
		if (!token_is_name(&name))
			return -EINVAL;
		made->counts = name.at[0] == '_' && token_ends_with(&name, "_count") &&
			       made->field.kind == TANDEM_FIELD_UINT && made->field.bytes <= 2;
		/* A leading underscore makes a name of a keyword (CTF 1.8.3, C.1.2). */
		if (!made->counts && name.at[0] == '_' && name.length > 1) {
			name.at++;
			name.length--;
		}
		made->field.name = arena_copy(arena, name.at, name.length);
		if (!made->field.name)
			return -ENOMEM;
		name = token_next(line);
		if (token_is(&name, "[")) {
			made->count = token_next(line);
			if (!token_is_name(&made->count) || !token_expect(line, "]") ||
			    !token_expect(line, ";"))
				return -EINVAL;
		} else if (!token_is(&name, ";") || made->field.kind == TANDEM_FIELD_STRING) {
			return -EINVAL;
		}
		event->count++;
	}
}

/* Gives each sequence the place of its count; the data lie in the counts' order. */
static bool claim_counts(struct event *event)
{
	unsigned next_count = 0;

	for (unsigned i = 0; i < event->count; i++) {
		struct declared *sequence = &event->declared[i], *count;

		if (!sequence->count.length)
			continue;
		while (next_count < i && !event->declared[next_count].counts)
			next_count++;
		count = &event->declared[next_count];
		if (next_count == i || !token_is(&sequence->count, count->field.name))
			return false;
		sequence->field.variable = 1;
		sequence->field.count_bytes = count->field.bytes;
		count->field = sequence->field;
		count->counts = false;
	}
	for (unsigned i = 0; i < event->count; i++)
		if (event->declared[i].counts)
			return false;
	return true;
}

/* The layout of what was declared: the fixed parts one after another, then the data
 * of the sequences. */
static int lay_out(struct parser *parser, struct event *event, struct tandem_event *made)
{
	const struct declared *at = event->declared;
	bool call = event->count >= 2 && !strcmp(at[0].field.name, "result") &&
		    at[0].field.bytes == 4 && !strcmp(at[1].field.name, "end") &&
		    at[1].field.bytes == 8 && !at[0].counts && !at[1].counts;
	uint32_t offset = call ? sizeof(struct tandem_call_record) : sizeof(struct tandem_record);
	struct tandem_field *fields;
	bool sequences = false;
	unsigned count = 0;

	if (!claim_counts(event))
		return -EINVAL;
	made->class = call ? TANDEM_CLASS_CALL : TANDEM_CLASS_RECORD;
	if (call && at[0].field.kind == TANDEM_FIELD_ENUM) {
		made->has_result = 1;
		made->results = at[0].field.names;
	}
	fields = arena_alloc(&parser->tsdl->arena, (event->count + 1) * sizeof(*fields));
	if (!fields)
		return -ENOMEM;
	for (unsigned i = call ? 2 : 0; i < event->count; i++) {
		sequences |= at[i].count.length > 0;
		if (at[i].count.length)
			continue;
		if (sequences)
			return -EINVAL;
		fields[count] = at[i].field;
		fields[count].offset = (uint16_t)offset;
		offset += at[i].field.variable ? at[i].field.count_bytes : at[i].field.bytes;
		if (offset > UINT16_MAX)
			return -EINVAL;
		count++;
	}
	for (unsigned level = 0; level < 3; level++)
		made->layout[level] =
			(struct tandem_layout){(uint16_t)offset, (uint16_t)count, fields};
	return 0;
}

static const struct tandem_names *names_of(const void *parser, const struct token *name)
{
	const struct enumeration *known = find_enum(parser, name);

	return known ? &known->names : NULL;
}

/* The domain whose event has that id, and its number there. */
static struct trace_tsdl_domain *owner_of(struct parser *parser, unsigned id, unsigned *number)
{
	struct trace_tsdl *tsdl = parser->tsdl;
	unsigned page = id / TANDEM_PAGE_EVENTS;
	struct trace_tsdl_domain *owner = parser->section;

	*number = id % TANDEM_PAGE_EVENTS;
	if (!owner) {
		owner = tsdl->domains[page];
		if (!owner) {
			owner = tsdl->domains[page] = arena_alloc(&tsdl->arena, sizeof(*owner));
			if (!owner)
				return NULL;
			owner->domain.number = owner->domain.pages[0] = (uint8_t)page;
			owner->domain.page_count = 1;
		}
		return owner;
	}
	for (unsigned i = 0; i < owner->domain.page_count; i++) {
		if (owner->domain.pages[i] == page) {
			*number += i * TANDEM_PAGE_EVENTS;
			return owner;
		}
	}
	return NULL;
}

/* Room for the domain's event of that number. */
static int event_place(struct parser *parser, struct trace_tsdl_domain *owner, unsigned number,
		       struct tandem_event **place)
{
	uint32_t *room = &parser->room[owner->domain.number];
	struct tandem_event *events;

	while (number >= *room) {
		*room = *room ? *room * 4 : 64;
		events = arena_alloc(&parser->tsdl->arena, *room * sizeof(*events));
		if (!events)
			return -ENOMEM;
		if (owner->domain.event_count)
			memcpy(events, owner->domain.events,
			       owner->domain.event_count * sizeof(*events));
		owner->domain.events = events;
	}
	*place = (struct tandem_event *)&owner->domain.events[number];
	if (owner->domain.event_count <= number)
		owner->domain.event_count = (uint16_t)(number + 1);
	return 0;
}

/* Gives the event and its fields the names that they have now. */
static void rename_event(const struct trace_tsdl_domain *owner, struct tandem_event *made)
{
	unsigned domain = owner->domain.number;
	struct tandem_field *fields = (struct tandem_field *)made->layout[0].fields;
	const struct tandem_domain *known = tandem_domain_get(domain);

	/* Another domain has this number where the session comes from. */
	if (!known || (owner->domain.name && strcmp(owner->domain.name, known->name) != 0))
		return;
	made->name = former_event_name(domain, made->name);
	for (unsigned i = 0; i < made->layout[0].field_count; i++)
		fields[i].name = former_field_name(domain, made->name, fields[i].name);
}

static int parse_event(struct parser *parser, struct tsdl_text line)
{
	struct trace_tsdl_domain *owner;
	struct tandem_event made = {.name = NULL}, *place;
	struct event event; /* large: only what is counted is written */
	struct token name, number;
	unsigned at;
	int64_t id;
	int status;

	if (!token_expect(&line, "{") || !token_expect(&line, "name") || !token_expect(&line, "="))
		return -EINVAL;
	name = token_next(&line);
	if (!token_is_name(&name) || !token_expect(&line, ";") || !token_expect(&line, "id") ||
	    !token_expect(&line, "="))
		return -EINVAL;
	number = token_next(&line);
	if (!token_number(&number, &id) || id < 0 || id > UINT16_MAX || !token_expect(&line, ";") ||
	    !token_expect(&line, "stream_id") || !token_expect(&line, "=") ||
	    !token_expect(&line, "0") || !token_expect(&line, ";") ||
	    !token_expect(&line, "fields") || !token_expect(&line, ":") ||
	    !token_expect(&line, "=") || !token_expect(&line, "struct") ||
	    !token_expect(&line, "{"))
		return -EINVAL;
	event.count = 0;
	status = parse_fields(parser, &line, &event);
	if (!status)
		status = lay_out(parser, &event, &made);
	if (status)
		return status;
	if (!token_expect(&line, ";") || !token_expect(&line, "}") || !token_expect(&line, ";"))
		return -EINVAL;
	made.id = (uint16_t)id;
	made.name = arena_copy(&parser->tsdl->arena, name.at, name.length);
	owner = made.name ? owner_of(parser, (unsigned)id, &at) : NULL;
	if (!owner)
		return made.name ? -EINVAL : -ENOMEM;
	if (at < owner->domain.event_count && owner->domain.events[at].name)
		return -EINVAL;
	if (token_expect(&line, "/") && token_expect(&line, "*")) {
		owner->annotated = true;
		tsdl_meaning_read(&line, &made, names_of, parser);
	}
	rename_event(owner, &made);
	status = event_place(parser, owner, at, &place);
	if (!status)
		*place = made;
	return status;
}

/* --- a domain: domain NUMBER NAME KEY="TEXT" ... */

static int row_text(struct parser *parser, const struct token *text, const char **member)
{
	*member = arena_copy(&parser->tsdl->arena, text->at, text->length);
	return *member ? 0 : -ENOMEM;
}

static void pages_of(struct tandem_domain *domain, const struct token *text)
{
	struct tsdl_text line = {text->at, text->at + text->length};
	int64_t page;

	for (struct token word = token_next(&line); word.length; word = token_next(&line))
		if (token_number(&word, &page) && page >= 0 && page < TRACE_DOMAINS &&
		    domain->page_count < TANDEM_PAGES)
			domain->pages[domain->page_count++] = (uint8_t)page;
}

static int parse_section(struct parser *parser, struct tsdl_text line)
{
	struct trace_tsdl *tsdl = parser->tsdl;
	struct token number = token_next(&line), name = token_next(&line);
	struct trace_tsdl_domain *made;
	struct tandem_domain_row *row;
	int64_t value;
	int status = 0;

	parser->section = NULL;
	if (!token_number(&number, &value) || value < 0 || value >= TRACE_DOMAINS ||
	    !token_is_name(&name) || tsdl->domains[value])
		return -EINVAL;
	made = arena_alloc(&tsdl->arena, sizeof(*made));
	if (!made)
		return -ENOMEM;
	row = &made->row;
	*row = tandem_domain_row_init();
	row->number = made->domain.number = (uint8_t)value;
	status = row_text(parser, &name, &row->name);
	row->part = row->title = made->domain.name = row->name;
	while (!status) {
		struct token key = token_next(&line), text;

		if (!key.length || token_is(&key, "*") || !token_expect(&line, "="))
			break;
		text = token_next(&line);
		if (token_is(&key, "layout") && text.length < sizeof(made->hash))
			memcpy(made->hash, text.at, text.length);
		else if (token_is(&key, "pages"))
			pages_of(&made->domain, &text);
		else if (token_is(&key, "mangled"))
			row->mangled = token_is(&text, "1");
		else if (token_is(&key, "runtime"))
			row->runtime = token_is(&text, "1");
#define TEXT(member) \
	else if (token_is(&key, #member)) status = row_text(parser, &text, &row->member);
		TANDEM_DOMAIN_TEXTS(TEXT)
#undef TEXT
	}
	if (!made->domain.page_count) {
		made->domain.pages[0] = made->domain.number;
		made->domain.page_count = 1;
	}
	tsdl->domains[value] = parser->section = made;
	return status;
}

/* --- the text */

#define SECTION "/* domain "

bool trace_tsdl_section(const char **at, const char *end, unsigned *number,
			char hash[TRACE_HASH_BYTES])
{
	struct tsdl_text line;

	while (line_next(at, end, &line)) {
		struct token token;
		int64_t value;

		if (!text_begins(&line, SECTION))
			continue;
		token = token_next(&line);
		if (!token_number(&token, &value) || value < 0 || value >= TRACE_DOMAINS)
			continue;
		*number = (unsigned)value;
		hash[0] = '\0';
		token_next(&line);
		for (token = token_next(&line); token.length && !token_is(&token, "*");
		     token = token_next(&line)) {
			struct token text;

			if (!token_expect(&line, "="))
				break;
			text = token_next(&line);
			if (token_is(&token, "layout") && text.length < TRACE_HASH_BYTES) {
				memcpy(hash, text.at, text.length);
				hash[text.length] = '\0';
			}
		}
		return true;
	}
	return false;
}

int trace_tsdl_parse(struct trace_tsdl *tsdl, const char *text, size_t bytes)
{
	struct parser parser = {.tsdl = tsdl};
	const char *at = text, *end = text + bytes;
	struct tsdl_text line;

	*tsdl = (struct trace_tsdl){.bad = 0};
	while (line_next(&at, end, &line)) {
		const char *start = line.at;
		int status = 0;

		if (text_begins(&line, "event "))
			status = parse_event(&parser, line);
		else if (text_begins(&line, "enum "))
			status = parse_enum(&parser, line);
		else if (text_begins(&line, SECTION))
			status = parse_section(&parser, line);
		if (status == -ENOMEM) {
			trace_tsdl_free(tsdl);
			return status;
		}
		if (status && !tsdl->bad++)
			tsdl->bad_offset = (uint64_t)(start - text);
	}
	return 0;
}

void trace_tsdl_free(struct trace_tsdl *tsdl)
{
	arena_free(&tsdl->arena);
	*tsdl = (struct trace_tsdl){.bad = 0};
}
