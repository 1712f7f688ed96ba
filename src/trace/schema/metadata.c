/* SPDX-License-Identifier: MIT */
#include "trace/schema/metadata.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "trace/schema/tsdl_token.h"

static int metadata_add(struct trace_metadata *metadata, const char *block, const struct token *key,
			const struct token *value)
{
	struct trace_metadata_value *place = &metadata->values[metadata->count];

	place->block = block;
	place->key = arena_copy(&metadata->arena, key->at, key->length);
	place->value = token_copy(&metadata->arena, value);
	if (!place->key || !place->value)
		return -ENOMEM;
	metadata->count++;
	return 0;
}

/* The members of a block, up to its closing bracket; `{` was read. */
static int metadata_block(struct trace_metadata *metadata, struct tsdl_text *text,
			  const char *block, bool *closed)
{
	struct token key = {.at = NULL};
	unsigned depth = 1;

	for (;;) {
		struct token token = token_next_code(text);

		*closed = token_is_mark(&token, '}') && depth == 1;
		if (*closed || token_is_end(&token))
			return 0;
		if (token_is_mark(&token, '{'))
			depth++;
		if (token_is_mark(&token, '}'))
			depth--;
		if (depth == 1 && token_is_mark(&token, '=') && token_is_word(&key) &&
		    metadata->count < METADATA_VALUES) {
			struct token value = token_next_code(text);

			/* A value that is cut off is none. */
			token = token_next_code(text);
			if (token_is_mark(&token, ';') &&
			    metadata_add(metadata, block, &key, &value))
				return -ENOMEM;
		}
		key = token;
	}
}

enum { ENV, CLOCK, TRACE, BLOCKS };

/* Which of the blocks a name begins; BLOCKS: none. */
static unsigned block_of(const struct token *name, const char *const names[BLOCKS])
{
	unsigned block = 0;

	while (block < BLOCKS && !(token_is_word(name) && token_is(name, names[block])))
		block++;
	return block;
}

int trace_metadata_parse(struct trace_metadata *metadata, const char *text, size_t bytes)
{
	static const char *const names[BLOCKS] = {"env", "clock", "trace"};
	struct tsdl_text rest = {text, text + bytes};
	struct token before = {.at = NULL};
	bool seen[BLOCKS] = {false}, closed[BLOCKS] = {false};

	*metadata = (struct trace_metadata){.count = 0};
	/* Behind them come the events: long, and known already. */
	while (!seen[ENV] || !seen[CLOCK] || !seen[TRACE]) {
		struct token token = token_next_code(&rest);
		unsigned block = token_is_mark(&token, '{') ? block_of(&before, names) : BLOCKS;

		if (token_is_end(&token))
			break;
		if (block < BLOCKS) {
			seen[block] = true;
			if (metadata_block(metadata, &rest, names[block], &closed[block]))
				return -ENOMEM;
		}
		before = token;
	}
	metadata->whole = closed[ENV] && (closed[CLOCK] || !seen[TRACE]);
	return 0;
}

const char *trace_metadata_get(const struct trace_metadata *metadata, const char *block,
			       const char *key, const char *otherwise)
{
	for (size_t i = 0; i < metadata->count; i++) {
		if (!strcmp(metadata->values[i].block, block) &&
		    !strcmp(metadata->values[i].key, key))
			return metadata->values[i].value;
	}
	return otherwise;
}

uint64_t trace_metadata_number(const struct trace_metadata *metadata, const char *block,
			       const char *key, uint64_t otherwise)
{
	const char *text = trace_metadata_get(metadata, block, key, "");
	unsigned long long value;
	char *rest;

	errno = 0;
	value = strtoull(text, &rest, 0);
	return *text && !*rest && !errno ? value : otherwise;
}

void trace_metadata_free(struct trace_metadata *metadata)
{
	arena_free(&metadata->arena);
	metadata->count = 0;
}
