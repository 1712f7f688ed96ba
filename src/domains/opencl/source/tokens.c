/* SPDX-License-Identifier: MIT */
#include "domains/opencl/source/tokens.h"

#include <ctype.h>

void tokens_begin(struct tokens *tokens, const char *text, size_t bytes)
{
	*tokens = (struct tokens){.at = text, .end = text + bytes, .line_begins = true};
}

static bool is_at(const struct tokens *tokens, const char *word)
{
	size_t bytes = strlen(word);

	return (size_t)(tokens->end - tokens->at) >= bytes && !memcmp(tokens->at, word, bytes);
}

static void skip_until(struct tokens *tokens, const char *word)
{
	while (tokens->at < tokens->end && !is_at(tokens, word))
		tokens->at++;
}

/* Spaces, ends of lines, comments. False: there is a word. */
static bool skip_one(struct tokens *tokens)
{
	if (is_at(tokens, "\\\n")) {
		tokens->at += 2;
	} else if (*tokens->at == '\n') {
		tokens->at++;
		tokens->line_begins = true;
		tokens->directive = false;
	} else if (isspace((unsigned char)*tokens->at)) {
		tokens->at++;
	} else if (is_at(tokens, "//")) {
		skip_until(tokens, "\n");
	} else if (is_at(tokens, "/*")) {
		tokens->at += 2;
		skip_until(tokens, "*/");
		tokens->at += tokens->end - tokens->at < 2 ? tokens->end - tokens->at : 2;
	} else {
		return false;
	}
	return true;
}

/* A string or a character is a number to us. */
static const char *quoted_end(const struct tokens *tokens)
{
	const char *at = tokens->at + 1;

	while (at < tokens->end && *at != *tokens->at && *at != '\n')
		at += *at == '\\' && at + 1 < tokens->end ? 2 : 1;
	return at < tokens->end ? at + 1 : tokens->end;
}

static const char *word_end(const struct tokens *tokens, bool number)
{
	const char *at = tokens->at;

	while (at < tokens->end &&
	       (isalnum((unsigned char)*at) || *at == '_' || (number && *at == '.')))
		at++;
	return at;
}

static const char *sign_end(const struct tokens *tokens)
{
	static const char *const signs[] = {
		"<<=", ">>=", "->", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=",
		"|=",  "^=",  "==", "!=", "<=", ">=", "&&", "||", "<<", ">>"};

	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++) {
		if (is_at(tokens, signs[i]))
			return tokens->at + strlen(signs[i]);
	}
	return tokens->at + 1;
}

struct token tokens_next(struct tokens *tokens)
{
	struct token token = {.kind = TOKEN_END};
	const char *end;

	while (tokens->at < tokens->end && skip_one(tokens))
		;
	if (tokens->at >= tokens->end)
		return token;
	if (tokens->line_begins && *tokens->at == '#')
		tokens->directive = true;
	tokens->line_begins = false;
	if (isdigit((unsigned char)*tokens->at)) {
		token.kind = TOKEN_NUMBER;
		end = word_end(tokens, true);
	} else if (isalpha((unsigned char)*tokens->at) || *tokens->at == '_') {
		token.kind = TOKEN_NAME;
		end = word_end(tokens, false);
	} else if (*tokens->at == '"' || *tokens->at == '\'') {
		token.kind = TOKEN_NUMBER;
		end = quoted_end(tokens);
	} else {
		token.kind = TOKEN_SIGN;
		end = sign_end(tokens);
	}
	token.text = tokens->at;
	token.bytes = (size_t)(end - tokens->at);
	token.directive = tokens->directive;
	tokens->at = end;
	return token;
}
