/* SPDX-License-Identifier: MIT */
/* Tokens of TSDL text (CTF 1.8.3, section 7 and appendix C). The text is borrowed, and
 * nothing is read past its end. Any thread.
 *
 *	while (line_next(&at, end, &line))
 *		for (struct token token = token_next(&line); token.length; token = token_next(&line))
 *			...
 */
#ifndef TANDEM_TRACE_TSDL_TOKEN_H
#define TANDEM_TRACE_TSDL_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/arena.h"

/* A name or number, a string without its quotes, one mark. */
struct token {
	const char *at;
	size_t length; /* 0, not quoted: the end */
	bool quoted;
};

/* What is left of a text, or of one line of it. */
struct tsdl_text {
	const char *at, *end;
};

/* The line at *at, which moves behind it. False at the text's end. */
bool line_next(const char **at, const char *end, struct tsdl_text *line);

/* Whether the text begins so; then it goes on behind that. */
bool text_begins(struct tsdl_text *text, const char *with);

/* Whether the next token is this one; takes it in any case. */
bool token_expect(struct tsdl_text *text, const char *expected);

/* How often the character is in what is left. */
unsigned text_count(const struct tsdl_text *text, char mark);

/* Takes the next token; a string that does not end is empty, and the last one. In lines of
 * ours comments have a meaning: their tokens are as any others. */
struct token token_next(struct tsdl_text *text);

/* The same, but comments are passed over. */
struct token token_next_code(struct tsdl_text *text);

bool token_is(const struct token *token, const char *text);
bool token_is_mark(const struct token *token, char mark);
bool token_ends_with(const struct token *token, const char *end);
bool token_is_end(const struct token *token);

/* A name, a keyword or a number. */
bool token_is_word(const struct token *token);

/* An identifier of C, of 255 bytes at most. */
bool token_is_name(const struct token *token);

/* False: it is no number, or one that does not fit. */
bool token_number(const struct token *token, int64_t *value);

/* A copy, of a string with C's escapes resolved; NULL: no memory. */
char *token_copy(struct arena *arena, const struct token *token);

#endif
