/* SPDX-License-Identifier: MIT */
#include "trace/tsdl_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 255u

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-';
}

struct token token_next(struct line *line)
{
	struct token token = {line->at, 0, false};

	while (line->at < line->end && (*line->at == ' ' || *line->at == '\t'))
		line->at++;
	token.at = line->at;
	if (line->at == line->end)
		return token;
	if (*line->at == '"') {
		token.at = ++line->at;
		token.quoted = true;
		while (line->at < line->end && *line->at != '"')
			line->at++;
		token.length = (size_t)(line->at - token.at);
		if (line->at == line->end)
			token.length = 0;
		else
			line->at++;
		return token;
	}
	while (line->at < line->end && is_word(*line->at))
		line->at++;
	if (line->at == token.at)
		line->at++;
	token.length = (size_t)(line->at - token.at);
	return token;
}

bool token_is(const struct token *token, const char *text)
{
	return token->length == strlen(text) && !memcmp(token->at, text, token->length);
}

bool line_expect(struct line *line, const char *text)
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

unsigned line_count(const struct line *line, char mark)
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

bool line_next(const char **at, const char *end, struct line *line)
{
	const char *newline;

	if (*at == end)
		return false;
	newline = memchr(*at, '\n', (size_t)(end - *at));
	*line = (struct line){*at, newline ? newline : end};
	*at = newline ? newline + 1 : end;
	return true;
}

bool line_begins(struct line *line, const char *text)
{
	size_t length = strlen(text);

	if ((size_t)(line->end - line->at) < length || memcmp(line->at, text, length) != 0)
		return false;
	line->at += length;
	return true;
}
