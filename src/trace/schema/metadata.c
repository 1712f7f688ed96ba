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
			  const char *block)
{
	struct token key = {.at = NULL};
	unsigned depth = 1;

	for (;;) {
		struct token token = token_next_code(text);

		if (token_is_end(&token))
			return 0;
		if (token_is_mark(&token, '{'))
			depth++;
		if (token_is_mark(&token, '}') && --depth == 0)
			return 0;
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

int trace_metadata_parse(struct trace_metadata *metadata, const char *text, size_t bytes)
{
	static const char *const blocks[] = {"env", "clock", "trace"};
	struct tsdl_text rest = {text, text + bytes};
	struct token before = {.at = NULL};
	unsigned seen = 0;

	*metadata = (struct trace_metadata){.count = 0};
	for (;;) {
		struct token token = token_next_code(&rest);

		if (token_is_end(&token))
			return 0;
		if (token_is_mark(&token, '{')) {
			const char *block = NULL;

			for (unsigned i = 0; i < sizeof(blocks) / sizeof(*blocks); i++) {
				if (token_is_word(&before) && token_is(&before, blocks[i])) {
					block = blocks[i];
					seen |= 1u << i;
				}
			}
			if (block && metadata_block(metadata, &rest, block))
				return -ENOMEM;
			/* Behind them come the events: long, and known already. */
			if (seen == (1u << sizeof(blocks) / sizeof(*blocks)) - 1)
				return 0;
		}
		before = token;
	}
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
