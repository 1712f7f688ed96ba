/* SPDX-License-Identifier: MIT */
/* The words of OpenCL C: no comments, no strings, no spaces. Reads text that the program owns, which ends
 * with its bytes; no memory of its own. */
#ifndef TANDEM_DOMAINS_OPENCL_SOURCE_TOKENS_H
#define TANDEM_DOMAINS_OPENCL_SOURCE_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum token_kind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_SIGN };

struct token {
	const char *text;
	size_t bytes;
	enum token_kind kind;
	bool directive; /* of the preprocessor's line */
};

struct tokens {
	const char *at, *end;
	bool line_begins, directive;
};

void tokens_begin(struct tokens *tokens, const char *text, size_t bytes);

/* The next one; TOKEN_END, and no text, again and again at the end. A sign is an operator of C, at its
 * longest, or one character. */
struct token tokens_next(struct tokens *tokens);

static inline bool token_is(const struct token *token, const char *word)
{
	return token->bytes == strlen(word) && !memcmp(token->text, word, token->bytes);
}

static inline bool token_equals(const struct token *one, const struct token *other)
{
	return one->kind == other->kind && one->bytes == other->bytes &&
	       !memcmp(one->text, other->text, one->bytes);
}

#endif
