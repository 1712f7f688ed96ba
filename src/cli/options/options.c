/* SPDX-License-Identifier: MIT */
#include "cli/options/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/newest.h"
#include "schema/domain.h"
#include "util/text.h"

#define ROWS_MOST 48
#define HELP_COLUMNS 80u
/* Of an option's words: where their meanings begin. */
#define MEANING_COLUMNS 15u

const struct option_row *command_row(const struct command *command, size_t number)
{
	if (number < command->row_count)
		return &command->rows[number];
	return command->more ? command->more(number - command->row_count) : NULL;
}

const struct option_row *command_clash(const struct command *command)
{
	static const struct option_row help = {.name = "help", .letter = 'h'};
	const struct option_row *row;

	for (size_t i = 0; (row = command_row(command, i)); i++) {
		const struct option_row *other = &help;

		for (size_t before = 0;; other = command_row(command, before++)) {
			if (!strcmp(row->name, other->name) ||
			    (row->letter && row->letter == other->letter))
				return row;
			if (before == i)
				break;
		}
	}
	return NULL;
}

const char *option_name(char name[OPTION_NAME_BYTES], const struct option_row *row)
{
	snprintf(name, OPTION_NAME_BYTES, "%s", row->name);
	for (char *at = name; *at; at++)
		if (*at == '_')
			*at = '-';
	return name;
}

const char *option_word(char word[OPTION_WORD_BYTES], const struct option_row *row, size_t number,
			const char **about)
{
	const char *unused, *words = row->words;

	if (!about)
		about = &unused;
	*about = "";
	if (row->choices)
		return row->choices[number].word;
	if (row->word_at)
		return row->word_at(number, about);
	if (!words)
		return NULL;
	for (words += strspn(words, " "); number && *words; number--) {
		words += strcspn(words, " ");
		words += strspn(words, " ");
	}
	if (!*words)
		return NULL;
	snprintf(word, OPTION_WORD_BYTES, "%.*s", (int)strcspn(words, " "), words);
	return word;
}

int option_refuse(const char *option, const char *value, const char *accepted)
{
	cli_error("%s: invalid value '%s' (accepted: %s)", option, value, accepted);
	return -EINVAL;
}

/* "text, json, csv". */
static void add_words(struct text *text, const struct option_row *row)
{
	char buffer[OPTION_WORD_BYTES];
	const char *word;

	for (size_t i = 0; (word = option_word(buffer, row, i, NULL)); i++)
		text_format(text, "%s%s", i ? ", " : "", word);
}

int option_missing(const struct command *command, const struct option_row *row)
{
	struct text accepted = TEXT_INIT;
	char name[OPTION_NAME_BYTES];

	add_words(&accepted, row);
	cli_error("no --%s given (accepted: %s)", option_name(name, row),
		  accepted.data ? accepted.data : "");
	text_free(&accepted);
	return options_wrong(command);
}

/* The number of the word, or -EINVAL and a line. */
static int find_word(const struct option_row *row, const char *value)
{
	char buffer[OPTION_WORD_BYTES], option[OPTION_NAME_BYTES + 2] = "--";
	struct text accepted = TEXT_INIT;
	const char *word;

	for (int i = 0; (word = option_word(buffer, row, (size_t)i, NULL)); i++)
		if (!strcmp(word, value))
			return i;
	add_words(&accepted, row);
	option_name(option + 2, row);
	option_refuse(option, value, accepted.data ? accepted.data : "");
	text_free(&accepted);
	return -EINVAL;
}

static int handle_one(const struct command *command, unsigned number, const char *value,
		      option_handler handle, void *user)
{
	const struct option_row *row = command_row(command, number);
	int word = row->values == VALUES_WORD ? find_word(row, value) : 0;

	return word < 0 ? word : handle(user, number, value, word);
}

static unsigned row_of_letter(const struct command *command, int letter)
{
	const struct option_row *row;
	unsigned number = 0;

	while ((row = command_row(command, number)) && row->letter != letter)
		number++;
	return number;
}

/* How many options the word may be the begin of. */
static unsigned count_options(const struct option *options, const char *word, size_t length)
{
	unsigned count = 0;

	for (; options->name; options++)
		count += !strncmp(options->name, word, length);
	return count;
}

/* The C libraries have words of their own for it, and tandem is linked with another one than
 * the reader. After getopt_long(): optopt is the letter, 0 for no option, or an option's value. */
static void complain(const struct option *options, const char *letters, char **argv)
{
	bool letter = optopt && optopt < 256 && optopt != 'h';
	/* Behind a letter it may be any. */
	const char *word = letter ? "" : argv[optind - 1];
	size_t length = strcspn(word, "=");

	if (letter)
		cli_error(strchr(letters, optopt) ? "option '-%c' requires an argument"
						  : "unrecognized option '-%c'",
			  optopt);
	else if (optopt)
		cli_error(word[length] ? "option '%.*s' takes no argument"
				       : "option '%.*s' requires an argument",
			  (int)length, word);
	else if (length > 2 && count_options(options, word + 2, length - 2) > 1)
		cli_error("option '%.*s' may be one of several", (int)length, word);
	else
		cli_error("unrecognized option '%.*s'", (int)length, word);
}

int options_parse(const struct command *command, int argc, char **argv, option_handler handle,
		  void *user)
{
	struct option options[ROWS_MOST + 2] = {{0}};
	char names[ROWS_MOST][OPTION_NAME_BYTES], letters[2 * ROWS_MOST + 4] = "";
	const struct option_row *row;
	char *at = letters;
	unsigned count;
	int given;

	/* The program's own options are not ours. */
	if (command->operands == OPERAND_PROGRAM)
		*at++ = '+';
	for (count = 0; count < ROWS_MOST && (row = command_row(command, count)); count++) {
		options[count] = (struct option){option_name(names[count], row),
						 option_is_optional(row) ? optional_argument
						 : row->value		 ? required_argument
									 : no_argument,
						 NULL, 256 + (int)count};
		if (row->letter)
			*at++ = row->letter;
		if (row->letter && row->value)
			*at++ = ':';
	}
	options[count] = (struct option){"help", no_argument, NULL, 'h'};
	strcpy(at, "h");

	optind = opterr = 0;
	while ((given = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		unsigned number =
			given >= 256 ? (unsigned)given - 256 : row_of_letter(command, given);

		if (given == 'h') {
			options_help(command);
			return OPTIONS_HELPED;
		}
		if (given == '?')
			complain(options, letters, argv);
		if (number >= count || handle_one(command, number, optarg, handle, user))
			return options_wrong(command);
	}
	return optind;
}

int options_wrong(const struct command *command)
{
	cli_usage(command->name);
	return OPTIONS_WRONG;
}

int options_parse_session(const struct command *command, int argc, char **argv,
			  option_handler handle, void *user, const char **path)
{
	int first = options_parse(command, argc, argv, handle, user);

	if (first < 0)
		return first;
	if (argc - first > 1) {
		cli_error("one session at a time, please");
		return options_wrong(command);
	}
	*path = argc == first ? newest_session() : argv[first];
	return *path ? 0 : options_wrong(command);
}

int option_set_word(void *user, unsigned option, const char *value, int word)
{
	(void)option;
	(void)value;
	*(int *)user = word;
	return 0;
}

int options_status(int answer)
{
	return answer == OPTIONS_HELPED ? CLI_DONE : CLI_USAGE;
}

/* `about`, broken between words, each line from the column on. */
static void print_broken(const char *about, unsigned column)
{
	unsigned used = column;

	while (*about) {
		size_t length = strcspn(about, " ");

		if (used > column && used + 1 + length > HELP_COLUMNS) {
			printf("\n%*s", (int)column, "");
			used = column;
		}
		printf("%s%.*s", used > column ? " " : "", (int)length, about);
		used += (unsigned)length + (used > column);
		about += length;
		about += strspn(about, " ");
	}
	putchar('\n');
}

/* A word of an option and what it means. */
static void print_meaning(const char *word, const char *meaning, unsigned column)
{
	printf("%*s%-*s", (int)column, "", (int)MEANING_COLUMNS, word);
	if (strlen(word) >= MEANING_COLUMNS)
		printf("\n%*s", (int)(column + MEANING_COLUMNS), "");
	print_broken(meaning, column + MEANING_COLUMNS);
}

static void print_about(const struct option_row *row, unsigned column)
{
	struct text words = TEXT_INIT, about = TEXT_INIT;
	char buffer[OPTION_WORD_BYTES];
	const char *place = strstr(row->about, "%s"), *word, *meaning;

	add_words(&words, row);
	if (place)
		text_format(&about, "%.*s%s%s", (int)(place - row->about), row->about,
			    words.data ? words.data : "", place + 2);
	print_broken(place && about.data ? about.data : row->about, column);
	for (size_t i = 0; (word = option_word(buffer, row, i, &meaning)) && *meaning; i++)
		print_meaning(word, meaning, column + 2);
	text_free(&words);
	text_free(&about);
}

static void print_row(const struct option_row *row, unsigned column)
{
	char name[OPTION_NAME_BYTES], head[96];
	int used;

	option_name(name, row);
	used = row->letter ? snprintf(head, sizeof(head), "  -%c, --%s", row->letter, name)
			   : snprintf(head, sizeof(head), "      --%s", name);
	if (row->value)
		used += snprintf(head + used, sizeof(head) - (size_t)used, "%s%s",
				 option_is_optional(row) ? "" : " ", row->value);
	if (used + 2 > (int)column)
		printf("%s\n%*s", head, (int)column, "");
	else
		printf("%-*s", (int)column, head);
	print_about(row, column);
}

void options_help(const struct command *command)
{
	static const struct option_row help = {"help", 'h', NULL, FLAG, "this text", NULL};
	const struct option_row *row;
	const char *usage = command->usage;
	const char *prefix = "Usage: ";

	while (*usage) {
		size_t length = strcspn(usage, "\n");

		printf("%standem %s %.*s\n", prefix, command->name, (int)length, usage);
		usage += length + (usage[length] == '\n');
		prefix = "       ";
	}
	printf("\n%s\n", command->about);
	for (size_t i = 0; (row = command_row(command, i)); i++)
		print_row(row, command->column);
	print_row(&help, command->column);
	if (command->examples)
		printf("\n%s", command->examples);
}
