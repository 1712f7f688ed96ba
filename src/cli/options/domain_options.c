/* SPDX-License-Identifier: MIT */
#include "cli/options/domain_options.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "schema/control.h"
#include "schema/ids.h"
#include "util/text.h"

/* Whether --domains can name it: the system's side has an option of its own, and a part
 * is chosen with what it is a part of. */
static bool is_named(const struct tandem_domain_row *row)
{
	return row->number != TANDEM_DOMAIN_core && row->number != TANDEM_DOMAIN_kernel &&
	       !strcmp(row->part, row->name);
}

/* 1 << number, with that of its parts. */
static uint64_t with_parts(const struct tandem_domain_row *whole)
{
	const struct tandem_domain_row *row = NULL;
	uint64_t mask = 0;

	while ((row = tandem_domain_next(row)))
		if (!strcmp(row->part, whole->name))
			mask |= (uint64_t)1 << row->number;
	return mask;
}

uint64_t domain_options_all(void)
{
	const struct tandem_domain_row *row = NULL;
	uint64_t mask = 0;

	while ((row = tandem_domain_next(row)))
		if (is_named(row))
			mask |= with_parts(row);
	return mask;
}

/* The next word of a list into `word`; whether a minus stood before it. */
static const char *word_next(const char *list, char *word, size_t bytes, bool *without)
{
	size_t length;

	*without = *list == '-';
	list += *without;
	length = strcspn(list, ",");
	snprintf(word, bytes, "%.*s", (int)length, list);
	return list + length + (list[length] == ',');
}

int domain_options_parse(const char *list, uint64_t *mask)
{
	const char *at = list;
	char word[32];
	bool without;

	*mask = *list == '-' ? domain_options_all() : 0;
	if (!strcmp(list, "all")) {
		*mask = domain_options_all();
		return 0;
	}
	while (*at) {
		const struct tandem_domain_row *row;

		at = word_next(at, word, sizeof(word), &without);
		row = tandem_domain_row_find(word);
		if (!row || !is_named(row)) {
			cli_error("--domains: unknown domain '%s'; see --help", word);
			return -EINVAL;
		}
		*mask = without ? *mask & ~with_parts(row) : *mask | with_parts(row);
	}
	if (!*mask)
		cli_error("--domains: name one at least, or `all`");
	return *mask ? 0 : -EINVAL;
}

static int choice_find(const struct tandem_domain_row *row, const char *word)
{
	for (int i = 0; row->choices[i].word; i++)
		if (!strcmp(row->choices[i].word, word))
			return i;
	return -EINVAL;
}

int domain_choices_parse(const struct tandem_domain_row *row, const char *list, uint32_t *mask)
{
	char word[32];
	bool without;

	*mask = *list == '-' ? tandem_domain_choices(row) : 0;
	while (*list) {
		int choice;

		list = word_next(list, word, sizeof(word), &without);
		choice = choice_find(row, word);
		if (choice < 0) {
			cli_error("--%s: invalid value '%s'; see --help", row->name, word);
			return -EINVAL;
		}
		*mask = without ? *mask & ~(1u << choice) : *mask | 1u << choice;
	}
	for (unsigned i = 0; row->choices[i].word; i++)
		if (*mask >> i & 1)
			*mask |= row->choices[i].needs;
	if (*mask)
		return 0;
	cli_error("--%s: name one thing at least", row->name);
	return -EINVAL;
}

/* "... (all but queries, cubin)", with those that are off unless they are asked for. */
static void say_about(char *about, size_t size, const struct tandem_domain_row *row)
{
	const char *before = " but ";
	size_t at = (size_t)snprintf(about, size, "of %s: %%s; or without some of them: -%s (all",
				     row->title, row->choices[0].word);

	for (const struct tandem_choice *choice = row->choices; choice->word; choice++) {
		if (choice->on || at >= size)
			continue;
		at += (size_t)snprintf(about + at, size - at, "%s%s", before, choice->word);
		before = ", ";
	}
	if (at < size)
		snprintf(about + at, size - at, ")");
}

const struct option_row *domain_options_row(size_t number)
{
	static struct option_row rows[TANDEM_DOMAINS_MOST];
	static char abouts[TANDEM_DOMAINS_MOST][256];
	const struct tandem_domain_row *row = NULL;
	size_t left = number;

	while ((row = tandem_domain_next(row)))
		if (row->choices && !left--)
			break;
	if (!row)
		return NULL;
	if (!*abouts[number])
		say_about(abouts[number], sizeof(abouts[number]), row);
	rows[number] = (struct option_row){.name = row->name,
					   .value = "LIST",
					   .values = VALUES_LIST,
					   .choices = row->choices,
					   .about = abouts[number]};
	return &rows[number];
}

const struct tandem_domain_row *domain_options_domain(size_t number)
{
	const struct option_row *row = domain_options_row(number);

	return row ? tandem_domain_row_find(row->name) : NULL;
}

const char *domain_options_word(size_t number, const char **about)
{
	const struct tandem_domain_row *row = NULL;

	(void)about;
	if (!number--)
		return "all";
	while ((row = tandem_domain_next(row)))
		if (is_named(row) && !number--)
			return row->name;
	return NULL;
}

/* The marks of all domains, by their numbers; NULL behind the last. */
static const struct tandem_mark *mark_at(size_t number)
{
	const struct tandem_domain_row *row = NULL;

	while ((row = tandem_domain_next(row)))
		for (const struct tandem_mark *mark = row->marks; mark && mark->word; mark++)
			if (!number--)
				return mark;
	return NULL;
}

const char *capture_word(size_t number, const char **about)
{
	const struct tandem_mark *mark = mark_at(number);

	*about = mark ? mark->description : "";
	return mark ? mark->word : NULL;
}

static bool is_mark(const struct tandem_mark *mark, const char *text)
{
	size_t length = strlen(mark->word);

	return mark->argument ? !strncmp(text, mark->word, length) && text[length]
			      : !strcmp(text, mark->word);
}

int capture_parse(const char *text, char *capture, size_t bytes)
{
	struct text accepted = TEXT_INIT;
	const struct tandem_mark *mark;
	int status;

	for (size_t i = 0; (mark = mark_at(i)); i++) {
		if (is_mark(mark, text))
			break;
		text_format(&accepted, "%s%s%s", i ? ", " : "", mark->word, mark->argument ?: "");
	}
	status = mark ? 0 : option_refuse("--capture", text, accepted.data ?: "");
	text_free(&accepted);
	if (!status && strlen(text) >= bytes) {
		cli_error("--capture: the mark's name is too long");
		return -EINVAL;
	}
	if (!status)
		strcpy(capture, text);
	return status;
}
