/* SPDX-License-Identifier: MIT */
/* The options of a command: one list, from which the parser, --help, the completions
 * and the headings in the man pages come.
 *
 *	#define PRINT_OPTIONS(X)                                             \
 *		X(format, 'f', "FORMAT", WORD("text json"), "(default: text)") \
 *		X(raw, 'r', NULL, FLAG, "as recorded")
 *
 *	OPTIONS(PRINT_OPTIONS)
 *	const struct command command_print = {
 *		.name = "print", .usage = "DIR", .about = "Prints ...\n",
 *		COMMAND_OPTIONS, .operands = OPERAND_SESSION,
 *	};
 *
 *	static int handle_option(void *user, unsigned option, const char *value, int word)
 *	{
 *		switch (option) {
 *		case OPTION_format: ... word is the index of what was given
 *	}
 *
 *	first = options_parse(&command_print, argc, argv, handle_option, &arguments);
 *	if (first < 0)
 *		return options_status(first);
 *
 * A value in brackets, "[=BYTES]", may be left out: `value` is NULL then.
 *
 * A row: its name (`_` stands for `-`), its letter (0: none), what its value is called
 * (NULL: it takes none), which values there are, and what it does.
 */
#ifndef TANDEM_CLI_OPTIONS_H
#define TANDEM_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct tandem_choice;

enum option_values {
	VALUES_NONE, /* takes no value */
	VALUES_WORD, /* one of the words */
	VALUES_LIST, /* several of them, with commas */
	VALUES_TEXT, /* any; the words are examples */
	VALUES_FILE,
	VALUES_DIRECTORY,
};

/* The word with this number, or NULL behind the last; *about what it means, or "". */
typedef const char *(*option_word_at)(size_t number, const char **about);

struct option_row {
	const char *name; /* with `_` for `-` */
	char letter;
	const char *value;
	enum option_values values;
	const char *words;	/* separated by blanks; or NULL, and */
	option_word_at word_at; /* where other code has them, or NULL */
	/* One line, broken as it fits. %s: the words, with commas. Words that have a
	 * meaning each are listed below it. */
	const char *about;
	const struct tandem_choice *choices; /* in place of words: those of a domain */
};

#define FLAG VALUES_NONE, NULL, NULL
#define WORD(words) VALUES_WORD, words, NULL
#define WORD_AT(function) VALUES_WORD, NULL, function
#define LIST(words) VALUES_LIST, words, NULL
#define LIST_AT(function) VALUES_LIST, NULL, function
#define TEXT(examples) VALUES_TEXT, examples, NULL
#define TEXT_AT(function) VALUES_TEXT, NULL, function
#define FILE_NAME VALUES_FILE, NULL, NULL
#define DIRECTORY_NAME VALUES_DIRECTORY, NULL, NULL

enum command_operands {
	OPERAND_NONE,
	OPERAND_SESSION,
	OPERAND_SESSIONS,
	OPERAND_PROGRAM, /* whose own options are not ours */
	OPERAND_WORD,	 /* one of `words` */
};

struct command {
	const char *name;
	const char *usage;    /* what follows `tandem NAME `; a second way on a line of its own */
	const char *about;    /* lines */
	const char *examples; /* lines; or NULL */
	unsigned column;      /* where the help has what an option does */
	const struct option_row *rows;
	size_t row_count;
	/* More rows, of what this list can't know, numbered on; NULL behind the last. */
	const struct option_row *(*more)(size_t number);
	enum command_operands operands;
	const char *words; /* for OPERAND_WORD, separated by blanks */
};

/* Whether the value may be left out; it takes `=` otherwise. */
static inline bool option_is_optional(const struct option_row *row)
{
	return row->value && row->value[0] == '[';
}

/* The row with this number, or NULL behind the last. */
const struct option_row *command_row(const struct command *command, size_t number);

/* The row whose name, or letter, an earlier one has, or --help; NULL: each is one option's. */
const struct option_row *command_clash(const struct command *command);

#define OPTION_ID_(name, ...) OPTION_##name,
#define OPTION_ROW_(name, letter, value, ...) {#name, letter, value, __VA_ARGS__, NULL},

#define OPTIONS(ROWS)                           \
	enum { ROWS(OPTION_ID_) OPTION_COUNT }; \
	static const struct option_row option_rows[] = {ROWS(OPTION_ROW_)};
#define COMMAND_OPTIONS .rows = option_rows, .row_count = OPTION_COUNT

/* A row's name as it is typed. */
#define OPTION_NAME_BYTES 32
const char *option_name(char name[OPTION_NAME_BYTES], const struct option_row *row);

/* The words of a row, one after the other; NULL behind the last. */
#define OPTION_WORD_BYTES 32
const char *option_word(char word[OPTION_WORD_BYTES], const struct option_row *row, size_t number,
			const char **about);

/* Handles one option. `word` is the number of the word for VALUES_WORD. Returns 0, or
 * negative after a cli_error(). */
typedef int (*option_handler)(void *user, unsigned option, const char *value, int word);

/* The handler of a command whose one option has words: *user, an int, becomes the word's number. */
int option_set_word(void *user, unsigned option, const char *value, int word);

/* Reads the options. Returns the index of the first argument that is none (getopt
 * has put them behind the options), or negative: */
enum { OPTIONS_HELPED = -1, OPTIONS_WRONG = -2 };
int options_parse(const struct command *command, int argc, char **argv, option_handler handle,
		  void *user);

/* The same for a command that takes one session and nothing else: its directory in *path,
 * the newest one here where none is given (newest.h).
 * Returns 0, or negative as above. */
int options_parse_session(const struct command *command, int argc, char **argv,
			  option_handler handle, void *user, const char **path);

/* After a cli_error() about what else was given: points to the help. OPTIONS_WRONG. */
int options_wrong(const struct command *command);

/* Says that an option with words is needed, and which words. OPTIONS_WRONG. */
int option_missing(const struct command *command, const struct option_row *row);

/* The exit status for a negative answer. */
int options_status(int answer);

/* Says that a value was wrong, and what is right. Returns -EINVAL. */
int option_refuse(const char *option, const char *value, const char *accepted);

/* Prints the help on stdout. */
void options_help(const struct command *command);

#endif
