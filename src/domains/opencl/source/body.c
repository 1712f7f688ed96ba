/* SPDX-License-Identifier: MIT */
#include "domains/opencl/source/body.h"

/* So many are looked for in the source. */
#define CALLS_MOST 16u

static bool is_one_of(const struct token *token, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (token_is(token, words[i]))
			return true;
	}
	return false;
}

static bool is_loop(const struct token *token)
{
	static const char *const words[] = {"for", "while", "do", "goto"};

	return is_one_of(token, words, sizeof(words) / sizeof(*words));
}

static bool is_barrier(const struct token *token)
{
	static const char *const words[] = {"barrier", "work_group_barrier", "sub_group_barrier"};

	return is_one_of(token, words, sizeof(words) / sizeof(*words));
}

/* Functions that are code of their own, of the OpenCL C Specification, 6.15.2 "Math Functions", with or without
 * native_ and half_. */
static bool is_transcendental(struct token token)
{
	static const char *const words[] = {
		"sin",	"cos",	 "tan",	  "asin",  "acos",  "atan",  "atan2",  "sinh",	 "cosh",
		"tanh", "exp",	 "exp2",  "exp10", "expm1", "log",   "log2",   "log10",	 "log1p",
		"pow",	"pown",	 "powr",  "cbrt",  "erf",   "erfc",  "tgamma", "lgamma", "sincos",
		"fmod", "sinpi", "cospi", "tanpi", "rootn", "asinh", "acosh",  "atanh",	 "hypot"};
	static const char *const kinds[] = {"native_", "half_"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		size_t bytes = strlen(kinds[i]);

		if (token.bytes > bytes && !memcmp(token.text, kinds[i], bytes)) {
			token.text += bytes;
			token.bytes -= bytes;
			break;
		}
	}
	return is_one_of(&token, words, sizeof(words) / sizeof(*words));
}

/* A function or macro of the source: the name stands there once more, outside of the body. */
static bool is_of_source(const struct token *name, const struct tokens *body, const char *text,
			 size_t bytes)
{
	struct tokens tokens;
	struct token token;

	tokens_begin(&tokens, text, bytes);
	for (token = tokens_next(&tokens); token.kind != TOKEN_END && token.text < body->at;
	     token = tokens_next(&tokens)) {
		if (token_equals(&token, name))
			return true;
	}
	return false;
}

/* No vector instruction divides integers. */
static bool is_remainder(const struct token *token)
{
	return !token->directive && (token_is(token, "%") || token_is(token, "%="));
}

bool source_is_plain(const struct token *token)
{
	return !is_remainder(token) && !is_loop(token) && !is_barrier(token) &&
	       !is_transcendental(*token) && !(token->directive && token_is(token, "include"));
}

enum tandem_kernel_body source_body(struct tokens body, const char *text, size_t bytes,
				    bool plain_before)
{
	enum tandem_kernel_body found = TANDEM_KERNEL_BODY_plain;
	struct tokens tokens = body;
	struct token before = {.kind = TOKEN_END};
	unsigned depth = 1, calls = 0;

	while (depth) {
		struct token token = tokens_next(&tokens);

		if (token.kind == TOKEN_END)
			return TANDEM_KERNEL_BODY_unknown;
		if (is_barrier(&token))
			return TANDEM_KERNEL_BODY_barriers;
		if (!source_is_plain(&token))
			found = TANDEM_KERNEL_BODY_loops;
		/* What it calls may have a loop. */
		if (found == TANDEM_KERNEL_BODY_plain && !plain_before && token_is(&token, "(") &&
		    before.kind == TOKEN_NAME &&
		    (calls++ == CALLS_MOST || is_of_source(&before, &body, text, bytes)))
			found = TANDEM_KERNEL_BODY_unknown;
		depth += token_is(&token, "{");
		depth -= token_is(&token, "}");
		before = token;
	}
	return found;
}
