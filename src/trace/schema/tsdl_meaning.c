/* SPDX-License-Identifier: MIT */
#include "trace/schema/tsdl_meaning.h"

#include <string.h>

#include "trace/schema/former_names.h"

#define WORD(name) #name,
static const char *const wait_words[] = {TANDEM_WAIT_SCOPES(WORD) NULL};
static const char *const when_words[] = {TANDEM_WHENS(WORD) NULL};
static const char *const memory_words[] = {TANDEM_MEMORY_ROLES(WORD) NULL};
static const char *const record_words[] = {TANDEM_RECORD_ROLES(WORD) NULL};
static const char *const role_words[] = {TANDEM_ROLES(WORD) NULL};
static const char *const object_words[] = {TANDEM_OBJECTS(WORD) NULL};
static const char *const class_words[] = {"record", "call",    "enqueue",  "wait",
					  "create", "release", "build",	   "query",
					  "retain", "task",    "callback", NULL};
#undef WORD

/* Its place; 0, which means nothing in all these lists, where a newer version wrote
 * what this one does not know. */
static uint8_t word_of(const char *const *words, const struct token *token)
{
	for (unsigned i = 0; words[i]; i++)
		if (token_is(token, words[i]))
			return (uint8_t)i;
	return 0;
}

static uint8_t object_of(const struct token *word)
{
	char name[32] = "";
	struct token now = *word;

	if (word->length < sizeof(name)) {
		memcpy(name, word->at, word->length);
		now.at = former_object_name(name);
		now.length = strlen(now.at);
	}
	return word_of(object_words, &now);
}

static void read_field(struct tsdl_text *line, struct tandem_event *made,
		       const struct tsdl_enum *enums)
{
	struct tandem_field *fields = (struct tandem_field *)made->layout[0].fields, *field = NULL;
	struct token name = token_next(line), word;

	for (unsigned i = 0; i < made->layout[0].field_count; i++)
		if (token_is(&name, fields[i].name))
			field = &fields[i];
	if (!field || !token_expect(line, "="))
		return;
	do {
		struct token mark = token_next(line);
		const struct tsdl_enum *known;

		word = mark;
		if (token_is(&mark, "#")) {
			word = token_next(line);
			if (field->bytes == 4) {
				field->kind = TANDEM_FIELD_OBJECT;
				field->object = object_of(&word);
			}
		} else if (token_is(&mark, "|")) {
			word = token_next(line);
			known = tsdl_enum_find(enums, &word);
			if (known) {
				field->kind = TANDEM_FIELD_FLAGS;
				field->names = &known->names;
			}
		} else if (token_is(&mark, "@")) {
			word = token_next(line);
			field->role = word_of(role_words, &word);
		} else if (token_is(&word, "op") && field->bytes == 8) {
			field->kind = TANDEM_FIELD_OP;
		}
	} while (line->at < line->end && *line->at == ',' && line->at++);
}

static void read_trait(const struct token *key, const struct token *value,
		       struct tandem_traits *traits)
{
	int64_t number;

	if (token_is(key, "wait"))
		traits->wait = word_of(wait_words, value);
	else if (token_is(key, "synchronous"))
		traits->synchronous = word_of(when_words, value);
	else if (token_is(key, "memory"))
		traits->memory = word_of(memory_words, value);
	else if (token_is(key, "is"))
		traits->record = word_of(record_words, value);
	else if (token_is(key, "graph"))
		traits->graph = 1;
	else if (token_is(key, "signal"))
		traits->signal = 1;
	else if (token_is(key, "single"))
		traits->single = 1;
	else if (token_is(key, "context"))
		traits->context = 1;
	else if (token_is(key, "poll") && token_number(value, &number)) {
		traits->poll = TANDEM_WHEN_argument;
		traits->poll_value = (uint32_t)number;
	} else if (token_is(key, "poll")) {
		traits->poll = word_of(when_words, value);
	}
}

void tsdl_meaning_read(struct tsdl_text *line, struct tandem_event *made,
		       const struct tsdl_enum *enums)
{
	struct token word = token_next(line);
	uint8_t class = word_of(class_words, &word);

	/* Whether it is a call, its layout says. */
	if (class && made->class != TANDEM_CLASS_RECORD)
		made->class = class;
	for (word = token_next(line); word.length && !token_is(&word, "*");
	     word = token_next(line)) {
		if (token_is(&word, ".")) {
			read_field(line, made, enums);
		} else {
			struct token value;

			if (!token_expect(line, "="))
				return;
			value = token_next(line);
			read_trait(&word, &value, &made->traits);
		}
	}
}
