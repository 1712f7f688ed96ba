/* SPDX-License-Identifier: MIT */
#include "trace/schema/tsdl_fields.h"

#include <errno.h>
#include <string.h>

#include "schema/record.h"

#define FIELDS_MAX 250u

/* A declaration in the order of the text. */
struct declared {
	struct tandem_field field;
	struct token count; /* of a sequence: the name of its count; else length 0 */
	bool counts;	    /* it is a count: no field */
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

static bool type_of(const struct tsdl_enum *enums, struct tsdl_text *line,
		    struct tandem_field *field)
{
	struct token type = token_next(line);

	if (token_is(&type, "enum")) {
		const struct tsdl_enum *known;

		type = token_next(line);
		known = tsdl_enum_find(enums, &type);
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
static int parse_fields(const struct tsdl_enum *enums, struct arena *arena, struct tsdl_text *line,
			struct event *event)
{
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
		if (!type_of(enums, line, &made->field))
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
static int lay_out(struct arena *arena, struct event *event, struct tandem_event *made)
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
	fields = arena_alloc(arena, (event->count + 1) * sizeof(*fields));
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

int tsdl_fields_parse(struct tsdl_text *line, const struct tsdl_enum *enums, struct arena *arena,
		      struct tandem_event *made)
{
	struct event event; /* large: only what is counted is written */
	int status;

	event.count = 0;
	status = parse_fields(enums, arena, line, &event);
	return status ? status : lay_out(arena, &event, made);
}
