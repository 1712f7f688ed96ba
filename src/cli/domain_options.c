#include "cli/domain_options.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "schema/capture.h"
#include "schema/ids.h"

/* Whether --domains can name it: the system's side has an option of its own, and a part
 * is chosen with what it is a part of. */
static bool is_named(const struct tandem_domain_row *row)
{
	return row->number != TANDEM_DOMAIN_core && row->number != TANDEM_DOMAIN_kernel &&
	       !strcmp(row->part, row->name);
}

/* 1 << number, with that of its parts. */
static uint32_t with_parts(const struct tandem_domain_row *whole)
{
	const struct tandem_domain_row *row = NULL;
	uint32_t mask = 0;

	while ((row = tandem_domain_next(row)))
		if (!strcmp(row->part, whole->name))
			mask |= 1u << row->number;
	return mask;
}

uint32_t domain_options_all(void)
{
	const struct tandem_domain_row *row = NULL;
	uint32_t mask = 0;

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

int domain_options_parse(const char *list, uint32_t *mask)
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
			cli_error("--domains: there is no domain `%s`", word);
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
			cli_error("--%s: there is no `%s`; see --help", row->name, word);
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

#define HELP_INDENT 27
#define HELP_WIDTH 80

/* One word of the help, on a new line where this one is full. */
static void help_add(struct text *help, size_t *column, const char *word, const char *after)
{
	size_t length = strlen(word) + strlen(after);

	if (*column + 1 + length > HELP_WIDTH) {
		text_format(help, "\n%*s", HELP_INDENT, "");
		*column = HELP_INDENT;
	} else {
		text_add_string(help, " ");
		*column += 1;
	}
	text_format(help, "%s%s", word, after);
	*column += length;
}

/* The words whose `on` is such, with commas between; behind the last `after`. */
static void help_add_words(struct text *help, size_t *column, const struct tandem_choice *choices,
			   bool all, const char *after)
{
	const struct tandem_choice *last = NULL;

	for (const struct tandem_choice *choice = choices; choice->word; choice++)
		if (all || !choice->on)
			last = choice;
	for (const struct tandem_choice *choice = choices; choice->word; choice++)
		if (all || !choice->on)
			help_add(help, column, choice->word, choice == last ? after : ",");
}

void domain_choices_help(const struct tandem_domain_row *row, struct text *help)
{
	static const char *const without[] = {"or", "without", "some", "of", "them:"};
	size_t before = help->length, column;
	char example[64];

	text_format(help, "      --%s LIST", row->name);
	column = help->length - before;
	text_format(help, "%*s", column < HELP_INDENT - 1 ? (int)(HELP_INDENT - 1 - column) : 0, "");
	column = HELP_INDENT - 1;
	help_add(help, &column, "of", "");
	help_add(help, &column, row->title, ":");
	help_add_words(help, &column, row->choices, true, ";");
	for (size_t i = 0; i < sizeof(without) / sizeof(*without); i++)
		help_add(help, &column, without[i], "");
	snprintf(example, sizeof(example), "-%s", row->choices[0].word);
	help_add(help, &column, example, "");
	help_add(help, &column, "(all", "");
	help_add(help, &column, "but", "");
	help_add_words(help, &column, row->choices, false, ")");
	text_add_string(help, "\n");
}

int capture_parse(const char *text, char *capture, size_t bytes)
{
	size_t prefix = strlen(TANDEM_CAPTURE_NVTX);
	bool range = !strncmp(text, TANDEM_CAPTURE_NVTX, prefix) && text[prefix];

	if (!range && strcmp(text, TANDEM_CAPTURE_PROFILER) != 0) {
		cli_error("--capture: it is not `%s`; " TANDEM_CAPTURE_PROFILER
			  " or " TANDEM_CAPTURE_NVTX "NAME", text);
		return -EINVAL;
	}
	if (strlen(text) >= bytes) {
		cli_error("--capture: the range's name is too long");
		return -EINVAL;
	}
	strcpy(capture, text);
	return 0;
}
