/* SPDX-License-Identifier: MIT */
#include "schema/domain.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define DOMAIN_HEADERS
#define DOMAIN(...)
#include "schema/domains.def"
#undef DOMAIN
#undef DOMAIN_HEADERS

#define WITHOUT_WORDS                                                                           \
	.runtime = 1, .prefixes = "", .verb = "", .group = "group", .item = "item",             \
	.queue = "queue", .multiprocessor = "multiprocessor", .use_callback = "",               \
	.use_pinned = "", .use_wait = "wait for the event", .pinned = "", .program_binary = "", \
	.batch = "", .fewer_registers = "", .prefetch = "", .set_callback = "",                 \
	.entry_library = ""

/* A row overrides what stands before it. */
#pragma GCC diagnostic ignored "-Woverride-init"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Winitializer-overrides"
#endif

#define CHOICE(word, on, needs, description) {#word, on, needs, description},
#define CHOICES(LIST)                    \
	(const struct tandem_choice[])   \
	{                                \
		LIST(CHOICE)             \
		{                        \
			NULL, 0, 0, NULL \
		}                        \
	}
#define NOTICE(name, text) text,
#define NOTICES(LIST)             \
	(const char *const[])     \
	{                         \
		LIST(NOTICE) NULL \
	}

#define VARIABLES(...)                   \
	(const struct tandem_variable[]) \
	{                                \
		__VA_ARGS__,             \
		{                        \
			.name = NULL     \
		}                        \
	}
#define MARKS(...)                   \
	(const struct tandem_mark[]) \
	{                            \
		__VA_ARGS__,         \
		{                    \
			.word = NULL \
		}                    \
	}

#define PAGES(...)          \
	{                   \
		__VA_ARGS__ \
	}

static const struct tandem_domain_row rows[] = {
#define DOMAIN(number_, name_, ...)                                       \
	[number_] = {WITHOUT_WORDS,  .number = (number_), .name = #name_, \
		     .part = #name_, .title = #name_,	  __VA_ARGS__},
#include "schema/domains.def"
#undef DOMAIN
};

#define ROW_COUNT (sizeof(rows) / sizeof(*rows))

struct tandem_domain_row tandem_domain_row_init(void)
{
	return (struct tandem_domain_row){WITHOUT_WORDS, .name = "", .part = "", .title = ""};
}

const struct tandem_domain_row *tandem_domain_row(unsigned number)
{
	return number < ROW_COUNT && rows[number].name ? &rows[number] : NULL;
}

const struct tandem_domain_row *tandem_domain_row_find(const char *name)
{
	for (size_t i = 0; i < ROW_COUNT; i++)
		if (rows[i].name && !strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

const struct tandem_domain_row *tandem_domain_next(const struct tandem_domain_row *row)
{
	for (size_t i = row ? row->number + 1u : 0; i < ROW_COUNT; i++)
		if (rows[i].name)
			return &rows[i];
	return NULL;
}

uint32_t tandem_domain_choices(const struct tandem_domain_row *row)
{
	uint32_t mask = 0;

	for (unsigned i = 0; row->choices && row->choices[i].word; i++)
		mask |= (uint32_t)row->choices[i].on << i;
	return mask;
}

static bool starts_with(const char *text, const char *start, size_t length)
{
	return !strncmp(text, start, length);
}

/* Behind the prefix; `function` where it has none of them. */
static const char *behind_prefix(const struct tandem_domain_row *row, const char *function)
{
	for (const char *at = row->prefixes; *at; at += strspn(at, " ")) {
		size_t length = strcspn(at, " ");

		/* A name that is no more than a prefix stays. */
		if (starts_with(function, at, length) && function[length])
			return function + length;
		at += length;
	}
	return function;
}

const char *tandem_domain_brief(const struct tandem_domain_row *row, const char *function)
{
	const char *rest = behind_prefix(row, function);
	size_t verb = strlen(row->verb);

	return rest != function && starts_with(rest, row->verb, verb) && rest[verb] ? rest + verb
										    : rest;
}

const char *tandem_domain_command(const struct tandem_domain_row *row, const char *function)
{
	const char *rest = behind_prefix(row, function);
	size_t verb = strlen(row->verb);

	return verb && starts_with(rest, row->verb, verb) && rest[verb] ? rest + verb : function;
}
