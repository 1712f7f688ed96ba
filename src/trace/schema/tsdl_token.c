/* SPDX-License-Identifier: MIT */
#include "trace/schema/tsdl_token.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 255u

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-';
}

struct token token_next(struct tsdl_text *text)
{
	struct token token;

	while (text->at < text->end && isspace((unsigned char)*text->at))
		text->at++;
	token = (struct token){text->at, 0, false};
	if (text->at == text->end)
		return token;
	if (*text->at == '"') {
		token.at = ++text->at;
		token.quoted = true;
		while (text->at < text->end && *text->at != '"')
			text->at += *text->at == '\\' && text->end - text->at > 1 ? 2 : 1;
		if (text->at < text->end)
			token.length = (size_t)(text->at++ - token.at);
		return token;
	}
	while (text->at < text->end && is_word(*text->at))
		text->at++;
	if (text->at == token.at)
		text->at++;
	token.length = (size_t)(text->at - token.at);
	return token;
}

/* Passes over a comment, if there is one. */
static bool comment_skip(struct tsdl_text *text)
{
	const char *at = text->at;

	while (at < text->end && isspace((unsigned char)*at))
		at++;
	if (text->end - at < 2 || at[0] != '/' || (at[1] != '*' && at[1] != '/'))
		return false;
	if (at[1] == '/') {
		while (at < text->end && *at != '\n')
			at++;
	} else {
		at += 2;
		while (text->end - at >= 2 && !(at[0] == '*' && at[1] == '/'))
			at++;
		at = text->end - at >= 2 ? at + 2 : text->end;
	}
	text->at = at;
	return true;
}

struct token token_next_code(struct tsdl_text *text)
{
	while (comment_skip(text))
		;
	return token_next(text);
}

bool token_is_mark(const struct token *token, char mark)
{
	return !token->quoted && token->length == 1 && *token->at == mark;
}

bool token_is_end(const struct token *token)
{
	return !token->quoted && !token->length;
}

bool token_is_word(const struct token *token)
{
	return !token->quoted && token->length && is_word(*token->at);
}

bool token_is(const struct token *token, const char *text)
{
	return token->length == strlen(text) && !memcmp(token->at, text, token->length);
}

bool token_expect(struct tsdl_text *line, const char *text)
{
	struct token token = token_next(line);

	return token_is(&token, text);
}

/* An identifier of C, not too long. */
bool token_is_name(const struct token *token)
{
	if (!token->length || token->length > NAME_MAX_BYTES)
		return false;
	for (size_t i = 0; i < token->length; i++)
		if (!is_word(token->at[i]) || token->at[i] == '-')
			return false;
	return token->at[0] < '0' || token->at[0] > '9';
}

bool token_number(const struct token *token, int64_t *value)
{
	char copy[24], *rest;

	if (!token->length || token->length >= sizeof(copy) || token->quoted)
		return false;
	memcpy(copy, token->at, token->length);
	copy[token->length] = '\0';
	errno = 0;
	*value = copy[0] == '-' ? strtoll(copy, &rest, 0) : (int64_t)strtoull(copy, &rest, 0);
	return !*rest && !errno;
}

unsigned text_count(const struct tsdl_text *line, char mark)
{
	unsigned count = 0;

	for (const char *at = line->at; at < line->end; at++)
		count += *at == mark;
	return count;
}

bool token_ends_with(const struct token *token, const char *end)
{
	return token->length > strlen(end) &&
	       !memcmp(token->at + token->length - strlen(end), end, strlen(end));
}

bool line_next(const char **at, const char *end, struct tsdl_text *line)
{
	const char *newline;

	if (*at == end)
		return false;
	newline = memchr(*at, '\n', (size_t)(end - *at));
	*line = (struct tsdl_text){*at, newline ? newline : end};
	*at = newline ? newline + 1 : end;
	return true;
}

bool text_begins(struct tsdl_text *line, const char *text)
{
	size_t length = strlen(text);

	if ((size_t)(line->end - line->at) < length || memcmp(line->at, text, length) != 0)
		return false;
	line->at += length;
	return true;
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

char *token_copy(struct arena *arena, const struct token *token)
{
	static const char escapes[] = "abfnrtv", values[] = "\a\b\f\n\r\t\v";
	const char *end = token->at + token->length;
	char *copy = arena_alloc(arena, token->length + 1);
	char *out = copy;

	if (!copy)
		return NULL;
	for (const char *at = token->at; at < end;) {
		const char *known;

		if (!token->quoted || *at != '\\' || at + 1 == end) {
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
