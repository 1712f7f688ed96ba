/* SPDX-License-Identifier: MIT */
#include "domains/opencl/source/read_only.h"

#include <ctype.h>

#include "domains/opencl/source/body.h"
#include "domains/opencl/source/tokens.h"

struct argument {
	struct token name;
	bool memory;		      /* a pointer to what is not the group's own, or an image */
	bool declared;		      /* so that it cannot be written */
	bool used, written, assigned; /* written: it may be; assigned: an element of it is */
	bool whole;		      /* each time it is used, an element of it is assigned */
	unsigned statement;	      /* the first that uses it */
	bool kept;		      /* in which an element of it is read */
};

struct kernel {
	struct token name;
	struct argument arguments[READ_ONLY_MOST];
	unsigned count;
	bool too_many;
};

/* Behind the sign that closes what has just been opened. */
static void skip_closed(struct tokens *tokens, const char *open, const char *close)
{
	unsigned depth = 1;

	while (depth) {
		struct token token = tokens_next(tokens);

		if (token.kind == TOKEN_END)
			return;
		depth += token_is(&token, open);
		depth -= token_is(&token, close);
	}
}

/* Up to its parameters; false: it is no kernel that has a name. */
static bool find_name(struct tokens *tokens, struct kernel *kernel)
{
	struct token token;

	kernel->name.bytes = 0;
	for (;;) {
		token = tokens_next(tokens);
		if (token.kind == TOKEN_END || token_is(&token, "{") || token_is(&token, ";"))
			return false;
		if (token_is(&token, "__attribute__")) {
			tokens_next(tokens);
			skip_closed(tokens, "(", ")");
		} else if (token_is(&token, "(")) {
			return kernel->name.bytes > 0;
		} else if (token.kind == TOKEN_NAME) {
			kernel->name = token;
		}
	}
}

static void note_word(struct argument *argument, const struct token *token, bool *constant,
		      bool *local)
{
	if (token_is(token, "*"))
		argument->memory = true;
	else if (token_is(token, "const") && !argument->memory)
		*constant = true;
	else if (token_is(token, "__constant") || token_is(token, "constant"))
		*constant = true;
	else if (token_is(token, "__local") || token_is(token, "local"))
		*local = true;
	else if (token_is(token, "read_only") || token_is(token, "__read_only"))
		argument->memory = *constant = true;
	else if (token->kind == TOKEN_NAME)
		argument->name = *token;
}

/* As far as the parenthesis that closes them. */
static void find_arguments(struct tokens *tokens, struct kernel *kernel)
{
	struct argument argument = {.memory = false};
	bool constant = false, local = false, any = false;
	unsigned depth = 1;

	kernel->count = 0;
	kernel->too_many = false;
	while (depth) {
		struct token token = tokens_next(tokens);

		if (token.kind == TOKEN_END)
			return;
		depth += token_is(&token, "(");
		depth -= token_is(&token, ")");
		if (!depth || (depth == 1 && token_is(&token, ","))) {
			argument.memory &= !local;
			argument.declared = constant;
			if (any && kernel->count == READ_ONLY_MOST)
				kernel->too_many = true;
			else if (any)
				kernel->arguments[kernel->count++] = argument;
			argument = (struct argument){.memory = false};
			constant = local = any = false;
		} else {
			note_word(&argument, &token, &constant, &local);
			any = true;
		}
	}
}

static struct argument *argument_named(struct kernel *kernel, const struct token *token)
{
	for (unsigned i = 0; token->kind == TOKEN_NAME && i < kernel->count; i++) {
		if (token_equals(&kernel->arguments[i].name, token))
			return &kernel->arguments[i];
	}
	return NULL;
}

static bool is_assignment(const struct token *token)
{
	return token->kind == TOKEN_SIGN &&
	       (token_is(token, "++") || token_is(token, "--") || token_is(token, "=") ||
		(token->bytes > 1 && token->text[token->bytes - 1] == '=' &&
		 !token_is(token, "==") && !token_is(token, "!=") && !token_is(token, "<=") &&
		 !token_is(token, ">=")));
}

/* Macros are named so: they may write what they are given. */
static bool is_macro(const struct token *token)
{
	for (size_t i = 0; i < token->bytes; i++) {
		if (islower((unsigned char)token->text[i]))
			return false;
	}
	return token->kind == TOKEN_NAME;
}

struct body {
	struct token before, before_that;
	unsigned parentheses, in_macro; /* depth; of the outermost macro's: 0: in none */
	unsigned statement;		/* number, from 1 */
};

/* What is done with an argument: an element is read; all of it is assigned; what it was is a part of what
 * it becomes. */
enum use { USE_READ, USE_ASSIGN, USE_UPDATE, USE_OTHER };

static enum use use_by_sign(const struct token *token, bool whole)
{
	if (token_is(token, "="))
		return whole ? USE_ASSIGN : USE_OTHER;
	if (is_assignment(token))
		return USE_UPDATE;
	return token_is(token, "->") || token->kind == TOKEN_END ? USE_OTHER : USE_READ;
}

/* As far as what stands around it says. `tokens` is behind the name. */
static enum use use_of(struct tokens tokens, const struct body *body)
{
	const struct token *before = &body->before;
	struct token token = tokens_next(&tokens);
	bool value = body->before_that.kind == TOKEN_NUMBER ||
		     body->before_that.kind == TOKEN_NAME || token_is(&body->before_that, ")") ||
		     token_is(&body->before_that, "]");
	unsigned parts;

	if (body->in_macro || !token_is(&token, "[") || token_is(before, "&") ||
	    token_is(before, "++") || token_is(before, "--") || (token_is(before, "*") && !value))
		return USE_OTHER;
	for (parts = 0;; parts++) {
		if (token_is(&token, "["))
			skip_closed(&tokens, "[", "]");
		else if (token_is(&token, "."))
			tokens_next(&tokens);
		else
			break;
		token = tokens_next(&tokens);
	}
	return use_by_sign(&token, parts == 1);
}

static void note_use(struct argument *argument, enum use use, unsigned statement)
{
	if (!argument->used)
		argument->statement = statement;
	argument->whole = use == USE_ASSIGN && (argument->whole || !argument->used);
	argument->used = true;
	argument->written |= use != USE_READ;
	argument->assigned |= use == USE_ASSIGN || use == USE_UPDATE;
	argument->kept |=
		(use == USE_READ || use == USE_UPDATE) && argument->statement == statement;
}

static void look_at_body(struct tokens *tokens, struct kernel *kernel)
{
	struct body body = {.statement = 1};
	unsigned depth = 1;

	while (depth) {
		struct token token = tokens_next(tokens);
		struct argument *argument = argument_named(kernel, &token);

		if (token.kind == TOKEN_END)
			return;
		depth += token_is(&token, "{");
		depth -= token_is(&token, "}");
		if (token_is(&token, "(")) {
			body.parentheses++;
			if (!body.in_macro && is_macro(&body.before))
				body.in_macro = body.parentheses;
		} else if (token_is(&token, ")") && body.parentheses) {
			if (body.in_macro == body.parentheses)
				body.in_macro = 0;
			body.parentheses--;
		}
		body.statement +=
			token_is(&token, ";") || token_is(&token, "{") || token_is(&token, "}");
		if (argument && !token_is(&body.before, ".") && !token_is(&body.before, "->"))
			note_use(argument, token.directive ? USE_OTHER : use_of(*tokens, &body),
				 body.statement);
		body.before_that = body.before;
		body.before = token;
	}
}

/* What a macro names it may read and write, wherever the macro is used. */
static void look_at_directives(const char *text, size_t bytes, struct kernel *kernel)
{
	struct tokens tokens;
	struct token token;
	struct argument *argument;

	tokens_begin(&tokens, text, bytes);
	for (token = tokens_next(&tokens); token.kind != TOKEN_END; token = tokens_next(&tokens)) {
		argument = token.directive ? argument_named(kernel, &token) : NULL;
		if (argument) {
			argument->written = true;
			argument->whole = argument->kept = false;
		}
	}
}

static struct source_uses uses_of(const struct kernel *kernel, bool complete)
{
	struct source_uses found = {0};

	for (unsigned i = 0; !kernel->too_many && i < kernel->count; i++) {
		const struct argument *argument = &kernel->arguments[i];
		uint32_t bit = UINT32_C(1) << i;

		if (!argument->memory)
			continue;
		if (argument->declared || (complete && argument->used && !argument->written))
			found.reads |= bit;
		else if (complete && argument->whole)
			found.writes |= bit;
		else if (complete && argument->kept && argument->assigned)
			found.keeps |= bit;
	}
	return found;
}

/* Macros of another file are not seen. */
static bool has_include(const char *text, size_t bytes)
{
	struct tokens tokens;
	struct token token;

	tokens_begin(&tokens, text, bytes);
	for (token = tokens_next(&tokens); token.kind != TOKEN_END; token = tokens_next(&tokens)) {
		if (token.directive && token_is(&token, "include"))
			return true;
	}
	return false;
}

void read_only_arguments(const char *text, size_t bytes, read_only_found *found, void *user)
{
	bool complete = !has_include(text, bytes), plain = true;
	struct tokens tokens;
	struct token token;
	struct kernel kernel;
	enum tandem_kernel_body body;
	struct source_uses uses;

	tokens_begin(&tokens, text, bytes);
	for (token = tokens_next(&tokens); token.kind != TOKEN_END; token = tokens_next(&tokens)) {
		plain &= source_is_plain(&token);
		if (token.directive ||
		    (!token_is(&token, "__kernel") && !token_is(&token, "kernel")) ||
		    !find_name(&tokens, &kernel))
			continue;
		find_arguments(&tokens, &kernel);
		token = tokens_next(&tokens);
		if (!token_is(&token, "{"))
			continue;
		body = source_body(tokens, text, bytes, plain);
		look_at_body(&tokens, &kernel);
		if (complete)
			look_at_directives(text, bytes, &kernel);
		uses = uses_of(&kernel, complete);
		uses.body = body;
		found(user, kernel.name.text, kernel.name.bytes, &uses);
	}
}
