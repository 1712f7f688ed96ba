/* SPDX-License-Identifier: MIT */
#include "trace/metadata.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The scanner's words of TSDL (CTF 1.8.3, appendix C): names and numbers,
 * strings, single marks. Comments and blanks lie between. */
enum token_kind { TOKEN_END, TOKEN_WORD, TOKEN_STRING, TOKEN_MARK };

struct token {
	enum token_kind kind;
	const char *start; /* of a string: behind the quote */
	size_t length;
};

struct scanner {
	const char *at, *end;
};

static bool word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '+' || c == '-';
}

/* Passes over blanks and one comment; whether there was any. */
static bool scanner_skip(struct scanner *scanner)
{
	const char *at = scanner->at;

	while (at < scanner->end && isspace((unsigned char)*at))
		at++;
	if (scanner->end - at >= 2 && at[0] == '/' && at[1] == '*') {
		at += 2;
		while (scanner->end - at >= 2 && !(at[0] == '*' && at[1] == '/'))
			at++;
		at = scanner->end - at >= 2 ? at + 2 : scanner->end;
	} else if (scanner->end - at >= 2 && at[0] == '/' && at[1] == '/') {
		while (at < scanner->end && *at != '\n')
			at++;
	}
	if (at == scanner->at)
		return false;
	scanner->at = at;
	return true;
}

static struct token scanner_next(struct scanner *scanner)
{
	struct token token = {TOKEN_END, scanner->end, 0};

	while (scanner_skip(scanner))
		;
	if (scanner->at == scanner->end)
		return token;
	token.start = scanner->at;
	if (*scanner->at == '"') {
		token.kind = TOKEN_STRING;
		token.start = ++scanner->at;
		while (scanner->at < scanner->end && *scanner->at != '"')
			scanner->at +=
				*scanner->at == '\\' && scanner->end - scanner->at > 1 ? 2 : 1;
		token.length = (size_t)(scanner->at - token.start);
		if (scanner->at < scanner->end)
			scanner->at++;
	} else if (word_char(*scanner->at)) {
		token.kind = TOKEN_WORD;
		while (scanner->at < scanner->end && word_char(*scanner->at))
			scanner->at++;
		token.length = (size_t)(scanner->at - token.start);
	} else {
		token.kind = TOKEN_MARK;
		token.length = 1;
		scanner->at++;
	}
	return token;
}

static bool token_is(const struct token *token, const char *text)
{
	return token->length == strlen(text) && !memcmp(token->start, text, token->length);
}

static unsigned digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	return c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10 : 99;
}

/* A number of up to `max` digits; moves *at behind it. */
static char escape_number(const char **at, const char *end, unsigned base, unsigned max)
{
	unsigned value = 0;

	while (max-- && *at < end && digit_value(**at) < base)
		value = value * base + digit_value(*(*at)++);
	return (char)value;
}

/* Copies a string's contents with C's escapes resolved. */
static char *token_copy(struct arena *arena, const struct token *token)
{
	static const char escapes[] = "abfnrtv", values[] = "\a\b\f\n\r\t\v";
	const char *end = token->start + token->length;
	char *copy = arena_alloc(arena, token->length + 1);
	char *out = copy;

	if (!copy)
		return NULL;
	for (const char *at = token->start; at < end;) {
		const char *known;

		if (token->kind != TOKEN_STRING || *at != '\\' || at + 1 == end) {
			*out++ = *at++;
			continue;
		}
		at++;
		known = strchr(escapes, *at);
		if (known && *at) {
			*out++ = values[known - escapes];
			at++;
		} else if (*at == 'x') {
			at++;
			*out++ = escape_number(&at, end, 16, 2);
		} else if (digit_value(*at) < 8) {
			*out++ = escape_number(&at, end, 8, 3);
		} else {
			*out++ = *at++;
		}
	}
	return copy;
}

static int metadata_add(struct trace_metadata *metadata, const char *block, const struct token *key,
			const struct token *value)
{
	struct trace_metadata_value *place = &metadata->values[metadata->count];

	place->block = block;
	place->key = arena_copy(&metadata->arena, key->start, key->length);
	place->value = token_copy(&metadata->arena, value);
	if (!place->key || !place->value)
		return -ENOMEM;
	metadata->count++;
	return 0;
}

/* The members of a block, up to its closing bracket; `{` was read. */
static int metadata_block(struct trace_metadata *metadata, struct scanner *scanner,
			  const char *block)
{
	struct token key = {TOKEN_END, NULL, 0};
	unsigned depth = 1;

	for (;;) {
		struct token token = scanner_next(scanner);

		if (token.kind == TOKEN_END)
			return 0;
		if (token_is(&token, "{") && token.kind == TOKEN_MARK)
			depth++;
		if (token_is(&token, "}") && token.kind == TOKEN_MARK && --depth == 0)
			return 0;
		if (depth == 1 && token.kind == TOKEN_MARK && token_is(&token, "=") &&
		    key.kind == TOKEN_WORD && metadata->count < METADATA_VALUES) {
			struct token value = scanner_next(scanner);

			/* A value that is cut off is none. */
			token = scanner_next(scanner);
			if (token.kind == TOKEN_MARK && token_is(&token, ";") &&
			    metadata_add(metadata, block, &key, &value))
				return -ENOMEM;
		}
		key = token;
	}
}

int trace_metadata_parse(struct trace_metadata *metadata, const char *text, size_t bytes)
{
	static const char *const blocks[] = {"env", "clock", "trace"};
	struct scanner scanner = {text, text + bytes};
	struct token before = {TOKEN_END, NULL, 0};
	unsigned seen = 0;

	*metadata = (struct trace_metadata){.count = 0};
	for (;;) {
		struct token token = scanner_next(&scanner);

		if (token.kind == TOKEN_END)
			return 0;
		if (token.kind == TOKEN_MARK && token_is(&token, "{")) {
			const char *block = NULL;

			for (unsigned i = 0; i < sizeof(blocks) / sizeof(*blocks); i++) {
				if (before.kind == TOKEN_WORD && token_is(&before, blocks[i])) {
					block = blocks[i];
					seen |= 1u << i;
				}
			}
			if (block && metadata_block(metadata, &scanner, block))
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
