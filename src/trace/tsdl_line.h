/* SPDX-License-Identifier: MIT */
/* A line of TSDL text (CTF 1.8.3, section 7), and its tokens. The text is borrowed, and
 * nothing is read past its end. Any thread.
 *
 *	while (line_next(&at, end, &line))
 *		for (struct token token = token_next(&line); token.length; token = token_next(&line))
 *			...
 */
#ifndef TANDEM_TRACE_TSDL_LINE_H
#define TANDEM_TRACE_TSDL_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A word of a line: a name or number, a string without its quotes, one mark. */
struct token {
	const char *at;
	size_t length; /* 0: the line's end */
	bool quoted;
};

struct line {
	const char *at, *end;
};

/* The line at *at, which moves behind it. False at the text's end. */
bool line_next(const char **at, const char *end, struct line *line);

/* Whether the line begins so; then it goes on behind that. */
bool line_begins(struct line *line, const char *text);

/* Whether the next token is this one; takes it in any case. */
bool line_expect(struct line *line, const char *text);

/* How often the character is in what is left of the line. */
unsigned line_count(const struct line *line, char mark);

/* Takes the next token. */
struct token token_next(struct line *line);

bool token_is(const struct token *token, const char *text);
bool token_ends_with(const struct token *token, const char *end);

/* An identifier of C, of 255 bytes at most. */
bool token_is_name(const struct token *token);

/* False: it is no number, or one that does not fit. */
bool token_number(const struct token *token, int64_t *value);

#endif
