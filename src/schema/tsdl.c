/* SPDX-License-Identifier: MIT */
#include "schema/tsdl.h"

#include <inttypes.h>

#define ENUMS_SLOTS 1024u

/* Words that can't be a name (CTF 1.8.3, appendix C.1.1): a reader takes a leading
 * underscore away. Sorted by nothing: few fields are compared with all. */
static const char *const keywords[] = {
	"align",	  "byte_order", "callsite", "char",	"clock",	"const",
	"double",	  "enum",	"env",	    "event",	"exponent_dig", "float",
	"floating_point", "int",	"integer",  "long",	"mant_dig",	"short",
	"signed",	  "size",	"stream",   "string",	"struct",	"trace",
	"typealias",	  "typedef",	"unsigned", "variant",	"void",		"base",
	"encoding",	  "map",	"_Bool",    "_Complex", "_Imaginary",
};

#define WORD(name) #name,
static const char *const wait_words[] = {TANDEM_WAIT_SCOPES(WORD)};
static const char *const when_words[] = {TANDEM_WHENS(WORD)};
static const char *const memory_words[] = {TANDEM_MEMORY_ROLES(WORD)};
static const char *const record_words[] = {TANDEM_RECORD_ROLES(WORD)};
static const char *const role_words[] = {TANDEM_ROLES(WORD)};
static const char *const object_words[] = {TANDEM_OBJECTS(WORD)};
#undef WORD
static const char *const class_words[] = {"record", "call",    "enqueue", "wait",
					  "create", "release", "build",	  "query",
					  "retain", "task",    "callback"};

static bool is_keyword(const char *name)
{
	for (size_t i = 0; i < sizeof(keywords) / sizeof(*keywords); i++)
		if (name[0] == keywords[i][0] && !strcmp(name, keywords[i]))
			return true;
	return false;
}

static void add_name(struct text *text, const char *name)
{
	if (is_keyword(name))
		text_add_char(text, '_');
	text_add_string(text, name);
}

static void add_type(struct text *text, const struct tandem_field *field)
{
	char letter = 'u';

	if (field->kind == TANDEM_FIELD_ENUM && field->names && field->names->count) {
		text_add_string(text, "enum ");
		text_add_string(text, field->names->type);
		return;
	}
	if (field->kind == TANDEM_FIELD_STRING) {
		text_add_string(text, "utf8");
		return;
	}
	if (field->kind == TANDEM_FIELD_HEX || field->kind == TANDEM_FIELD_FLAGS)
		letter = 'x';
	else if (field->kind == TANDEM_FIELD_INT ||
		 (field->kind == TANDEM_FIELD_ENUM && field->names && field->names->is_signed))
		letter = 'i';
	else if (field->kind == TANDEM_FIELD_FLOAT)
		letter = 'f';
	text_add_char(text, letter);
	text_add_unsigned(text, field->bytes * 8u);
}

void tandem_tsdl_fields(struct text *text, const struct tandem_event *event,
			const struct tandem_layout *layout, bool call)
{
	if (call && event->has_result && event->results) {
		text_add_string(text, "enum ");
		text_add_string(text, event->results->type);
		text_add_string(text, " result; u64 end; ");
	} else if (call) {
		text_add_string(text, "i32 result; u64 end; ");
	}
	for (unsigned i = 0; i < layout->field_count; i++) {
		const struct tandem_field *field = &layout->fields[i];

		if (field->variable) {
			text_add_string(text, field->count_bytes == 1 ? "u8 _" : "u16 _");
			text_add_string(text, field->name);
			text_add_string(text, "_count; ");
			continue;
		}
		add_type(text, field);
		text_add_char(text, ' ');
		add_name(text, field->name);
		text_add_string(text, "; ");
	}
	for (unsigned i = 0; i < layout->field_count; i++) {
		const struct tandem_field *field = &layout->fields[i];

		if (!field->variable)
			continue;
		add_type(text, field);
		text_add_char(text, ' ');
		add_name(text, field->name);
		text_add_string(text, "[_");
		text_add_string(text, field->name);
		text_add_string(text, "_count]; ");
	}
}

void tandem_tsdl_enum(struct text *text, const struct tandem_names *names)
{
	text_add_string(text, "enum ");
	text_add_string(text, names->type);
	text_add_string(text, names->is_signed ? " : i" : " : u");
	text_add_unsigned(text, names->bytes * 8u);
	text_add_string(text, " { ");
	for (size_t i = 0; i < names->count; i++) {
		const struct tandem_name *name = &names->names[i];
		bool quoted = is_keyword(name->name);

		if (i)
			text_add_string(text, ", ");
		if (quoted)
			text_add_char(text, '"');
		text_add_string(text, name->name);
		text_add_string(text, quoted ? "\" = " : " = ");
		if (name->value < 0 && names->is_signed) {
			text_add_char(text, '-');
			text_add_unsigned(text, -(unsigned long long)name->value);
		} else {
			text_add_unsigned(text, (unsigned long long)name->value);
		}
	}
	text_add_string(text, " };\n");
}

/* --- what stands in comments: trace/schema/tsdl.c reads it */

static void add_meaning(struct text *text, const struct tandem_field *field)
{
	char separator = '=';

	if (!field->role && field->kind != TANDEM_FIELD_OBJECT && field->kind != TANDEM_FIELD_OP &&
	    field->kind != TANDEM_FIELD_FLAGS)
		return;
	text_add_string(text, " .");
	text_add_string(text, field->name);
	if (field->kind == TANDEM_FIELD_OBJECT) {
		text_add_string(text, "=#");
		text_add_string(text, object_words[field->object]);
		separator = ',';
	} else if (field->kind == TANDEM_FIELD_OP) {
		text_add_string(text, "=op");
		separator = ',';
	} else if (field->kind == TANDEM_FIELD_FLAGS && field->names) {
		text_add_string(text, "=|");
		text_add_string(text, field->names->type);
		separator = ',';
	}
	if (!field->role)
		return;
	text_add_char(text, separator);
	text_add_char(text, '@');
	text_add_string(text, role_words[field->role]);
}

static void add_trait(struct text *text, const char *key, const char *word)
{
	text_add_char(text, ' ');
	text_add_string(text, key);
	text_add_char(text, '=');
	text_add_string(text, word);
}

static void add_event(struct text *text, const struct tandem_event *event,
		      enum tandem_args_level level)
{
	const struct tandem_layout *layout = &event->layout[level];
	const struct tandem_traits *traits = &event->traits;

	text_add_string(text, "event { name = \"");
	text_add_string(text, event->name);
	text_add_string(text, "\"; id = ");
	text_add_unsigned(text, event->id);
	text_add_string(text, "; stream_id = 0; fields := struct { ");
	tandem_tsdl_fields(text, event, layout, event->class != TANDEM_CLASS_RECORD);
	text_add_string(text, "}; }; /* ");
	text_add_string(text, class_words[event->class]);
	if (traits->wait)
		add_trait(text, "wait", wait_words[traits->wait]);
	if (traits->synchronous)
		add_trait(text, "synchronous", when_words[traits->synchronous]);
	if (traits->memory)
		add_trait(text, "memory", memory_words[traits->memory]);
	if (traits->record)
		add_trait(text, "is", record_words[traits->record]);
	if (traits->graph)
		add_trait(text, "graph", "1");
	if (traits->signal)
		add_trait(text, "signal", "1");
	if (traits->single)
		add_trait(text, "single", "1");
	if (traits->context)
		add_trait(text, "context", "1");
	if (traits->poll == TANDEM_WHEN_argument)
		text_format(text, " poll=%" PRIu32, traits->poll_value);
	else if (traits->poll)
		add_trait(text, "poll", when_words[traits->poll]);
	for (unsigned i = 0; i < layout->field_count; i++)
		add_meaning(text, &layout->fields[i]);
	text_add_string(text, " */\n");
}

struct enums { /* that were added; a domain has one of a name */
	const struct tandem_names *added[ENUMS_SLOTS];
	unsigned count;
};

static void need_enum(struct text *text, struct enums *enums, const struct tandem_names *names)
{
	size_t at = ((uintptr_t)names >> 4) % ENUMS_SLOTS;

	if (!names || !names->count)
		return;
	for (; enums->added[at]; at = (at + 1) % ENUMS_SLOTS)
		if (enums->added[at] == names)
			return;
	if (enums->count == ENUMS_SLOTS - 1)
		return;
	enums->added[at] = names;
	enums->count++;
	tandem_tsdl_enum(text, names);
}

static void add_enums(struct text *text, const struct tandem_domain *domain,
		      enum tandem_args_level level)
{
	struct enums enums = {.count = 0};

	for (unsigned i = 0; i < domain->event_count; i++) {
		const struct tandem_event *event = &domain->events[i];
		const struct tandem_layout *layout = &event->layout[level];

		if (!event->name)
			continue;
		if (event->has_result && event->class != TANDEM_CLASS_RECORD)
			need_enum(text, &enums, event->results);
		for (unsigned j = 0; j < layout->field_count; j++)
			need_enum(text, &enums, layout->fields[j].names);
	}
}

static void add_row(struct text *text, const struct tandem_domain *domain)
{
	const struct tandem_domain_row *row = tandem_domain_row(domain->number);

	text_format(text, "/* domain %u %s layout=\"%s\" pages=\"", domain->number, domain->name,
		    domain->hash);
	for (unsigned i = 0; i < domain->page_count; i++)
		text_format(text, i ? " %u" : "%u", domain->pages[i]);
	text_format(text, "\" mangled=\"%u\" runtime=\"%u\"", row->mangled, row->runtime);
#define X(member) text_format(text, " " #member "=\"%s\"", row->member);
	TANDEM_DOMAIN_TEXTS(X)
#undef X
	text_add_string(text, " */\n");
}

void tandem_tsdl_domain(struct text *text, const struct tandem_domain *domain,
			enum tandem_args_level level)
{
	add_row(text, domain);
	add_enums(text, domain, level);
	for (unsigned i = 0; i < domain->event_count; i++)
		if (domain->events[i].name)
			add_event(text, &domain->events[i], level);
}

void tandem_tsdl_index(struct text *text, const char *storage, const struct tandem_domain *domain,
		       size_t offset, size_t bytes)
{
	text_format(text, "/* %5s %2u %32s %10zu %10zu */\n", storage, domain->number, domain->hash,
		    offset, bytes);
}
