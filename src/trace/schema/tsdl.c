/* SPDX-License-Identifier: MIT */
#include "trace/schema/tsdl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/schema/former_names.h"
#include "trace/schema/tsdl_enum.h"
#include "trace/schema/tsdl_fields.h"
#include "trace/schema/tsdl_meaning.h"
#include "trace/schema/tsdl_token.h"

struct parser {
	struct trace_tsdl *tsdl;
	/* Enumerations so far, the latest first. */
	struct tsdl_enum *enums;
	struct trace_tsdl_domain *section; /* of the lines that follow; NULL: by id */
	uint32_t room[TRACE_DOMAINS];	   /* events that the domain's array can take */
};

/* --- event { name = "NAME"; id = ID; stream_id = 0; fields := struct { FIELDS }; }; */

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
	status = tsdl_fields_parse(&line, parser->enums, &parser->tsdl->arena, &made);
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
	if (token_expect(&line, "/") && token_expect(&line, "*"))
		tsdl_meaning_read(&line, &made, parser->enums);
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
			status = tsdl_enum_parse(&parser.enums, &tsdl->arena, line);
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
