/* SPDX-License-Identifier: MIT */
/* Prints what follows from the options of all commands, for the build and its tests:
 *
 *	tandem-options bash|zsh TEMPLATE   the completion: the template, its line
 *	                                   `@generated@` replaced
 *	tandem-options man                 the headings of the man pages: COMMAND<TAB>HEADING
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options/options.h"

/* A command that is not in this build has no options. */
#define X(name, about) extern const struct command command_##name __attribute__((weak));
CLI_READER_COMMANDS(X)
#undef X

static const struct {
	const struct command *command;
	const char *about;
} commands[] = {
#define X(name, about) {&command_##name, about},
	CLI_RECORDER_COMMANDS(X) CLI_READER_COMMANDS(X)
#undef X
};

enum { COMMAND_COUNT = sizeof(commands) / sizeof(*commands) };

static void print_words(const struct option_row *row)
{
	char buffer[OPTION_WORD_BYTES];
	const char *word;

	for (size_t i = 0; (word = option_word(buffer, row, i, NULL)); i++)
		printf("%s%s", i ? " " : "", word);
}

static void print_commands(void)
{
	const char *space = "";

	for (int i = 0; i < COMMAND_COUNT; i++) {
		if (!commands[i].command)
			continue;
		printf("%s%s", space, commands[i].command->name);
		space = " ";
	}
}

/* Bash: functions that tandem.bash calls. */

static void print_bash_options(void)
{
	const struct option_row *row;
	char name[OPTION_NAME_BYTES];

	printf("_tandem_commands=\"");
	print_commands();
	printf("\"\n\n# COMMAND: its options\n_tandem_options() {\n\tcase $1 in\n");
	for (int i = 0; i < COMMAND_COUNT; i++) {
		const struct command *command = commands[i].command;

		if (!command)
			continue;
		printf("\t%s) echo \"", command->name);
		for (size_t r = 0; (row = command_row(command, r)); r++) {
			if (row->letter)
				printf("-%c ", row->letter);
			printf("--%s ", option_name(name, row));
		}
		printf("-h --help\" ;;\n");
	}
	printf("\tesac\n}\n\n");
}

static void print_bash_operands(void)
{
	printf("# COMMAND: the words of which it takes one; fails where it takes none\n"
	       "_tandem_operands() {\n\tcase $1 in\n");
	for (int i = 0; i < COMMAND_COUNT; i++)
		if (commands[i].command && commands[i].command->words)
			printf("\t%s) echo \"%s\" ;;\n", commands[i].command->name,
			       commands[i].command->words);
	printf("\t*) return 1 ;;\n\tesac\n}\n\n");
}

static void print_bash_value(const char *command, const struct option_row *row)
{
	char name[OPTION_NAME_BYTES];

	printf("\t");
	if (row->letter)
		printf("%s,-%c | ", command, row->letter);
	printf("%s,--%s) ", command, option_name(name, row));
	if (row->values == VALUES_FILE || row->values == VALUES_DIRECTORY) {
		printf("COMPREPLY=($(compgen -%c -- \"$cur\")) ;;\n",
		       row->values == VALUES_FILE ? 'f' : 'd');
		return;
	}
	printf("COMPREPLY=($(compgen -W \"");
	print_words(row);
	printf("\" -- \"$cur\")) ;;\n");
}

static void print_bash_values(void)
{
	printf("# COMMAND OPTION: offers its values in COMPREPLY; fails where it takes none\n"
	       "_tandem_values() {\n\tcase $1,$2 in\n");
	for (int i = 0; i < COMMAND_COUNT; i++) {
		const struct command *command = commands[i].command;
		const struct option_row *row;

		for (size_t r = 0; command && (row = command_row(command, r)); r++)
			if (row->value && !option_is_optional(row))
				print_bash_value(command->name, row);
	}
	printf("\t*) return 1 ;;\n\tesac\n\treturn 0\n}\n");
}

/* Zsh: a function that completes the words behind the command. */

/* Within single quotes; a backslash before what `special` has. */
static void print_quoted(const char *text, size_t length, const char *special)
{
	for (size_t i = 0; i < length && text[i]; i++) {
		if (text[i] == '\'')
			printf("'\\''");
		else
			printf("%s%c", strchr(special, text[i]) ? "\\" : "", text[i]);
	}
}

/* What an option does, up to the first mark of punctuation. */
static void print_zsh_about(const struct option_row *row)
{
	size_t length = strcspn(row->about, ":(;,.%");
	char name[OPTION_NAME_BYTES];

	while (length && row->about[length - 1] == ' ')
		length--;
	putchar('[');
	if (length)
		print_quoted(row->about, length, "[]");
	else
		fputs(option_name(name, row), stdout);
	putchar(']');
}

static void print_zsh_words(const struct option_row *row)
{
	char buffer[OPTION_WORD_BYTES];
	const char *word;

	for (size_t i = 0; (word = option_word(buffer, row, i, NULL)); i++) {
		if (i)
			putchar(' ');
		print_quoted(word, strlen(word), ":");
	}
}

static void print_zsh_row(const struct option_row *row)
{
	char name[OPTION_NAME_BYTES], buffer[OPTION_WORD_BYTES];

	printf("\t\t\t%s", row->value ? "'*'" : "");
	if (row->letter)
		printf("{-%c,--%s}'", row->letter, option_name(name, row));
	else
		printf("'--%s%s", option_name(name, row), option_is_optional(row) ? "=-" : "");
	print_zsh_about(row);
	if (row->value)
		printf(option_is_optional(row) ? "::value:" : ":value:");
	switch (row->values) {
	case VALUES_WORD:
	case VALUES_TEXT:
		if (option_word(buffer, row, 0, NULL)) {
			printf("(");
			print_zsh_words(row);
			printf(")");
		}
		break;
	case VALUES_LIST:
		printf("_values -s , value ");
		print_zsh_words(row);
		break;
	case VALUES_FILE:
		printf("_files");
		break;
	case VALUES_DIRECTORY:
		printf("_files -/");
		break;
	case VALUES_NONE:
		break;
	}
	printf("' \\\n");
}

static void print_zsh(void)
{
	static const char *const operands[] = {
		[OPERAND_NONE] = "",
		[OPERAND_SESSION] = " '1:session:_tandem_sessions'",
		[OPERAND_SESSIONS] = " '*:session:_tandem_sessions'",
		[OPERAND_WORD] = "",
		[OPERAND_PROGRAM] = " '1:program:_command_names -e' '*::arguments:_normal'",
	};
	const struct option_row *row;

	printf("_tandem_commands=(\n");
	for (int i = 0; i < COMMAND_COUNT; i++) {
		if (!commands[i].command)
			continue;
		printf("\t'%s:", commands[i].command->name);
		print_quoted(commands[i].about, strlen(commands[i].about), ":");
		printf("'\n");
	}
	printf(")\n\n_tandem_words() {\n\tcase $1 in\n");
	for (int i = 0; i < COMMAND_COUNT; i++) {
		const struct command *command = commands[i].command;

		if (!command)
			continue;
		printf("\t%s)\n\t\t_arguments%s \\\n", command->name,
		       command->operands == OPERAND_PROGRAM ? " -S" : "");
		for (size_t r = 0; (row = command_row(command, r)); r++)
			print_zsh_row(row);
		printf("\t\t\t{-h,--help}'[show help]'%s", operands[command->operands]);
		if (command->words)
			printf(" '1:action:(%s)'", command->words);
		printf("\n\t\t;;\n");
	}
	printf("\tesac\n}\n");
}

#define CHOICES_MOST 6

/* "on | off", as roff's alternating fonts have it; false: too many, or none. */
static bool print_man_choices(const struct option_row *row)
{
	char buffer[OPTION_WORD_BYTES];
	const char *word;

	if (row->values != VALUES_WORD || option_word(buffer, row, CHOICES_MOST, NULL))
		return false;
	for (size_t i = 0; (word = option_word(buffer, row, i, NULL)); i++)
		printf(" %s %s", i ? "|" : "\" \"", word);
	return true;
}

/* The man page's heading of an option: with the words to choose from if they are few. */
static void print_man_row(const char *command, const struct option_row *row)
{
	char name[OPTION_NAME_BYTES];

	printf("%s\t%s", command, row->letter || row->value ? ".BR " : ".B ");
	if (row->letter)
		printf("\\-%c \", \" ", row->letter);
	printf("\\-\\-");
	for (const char *at = option_name(name, row); *at; at++)
		printf("%s%c", *at == '-' ? "\\" : "", *at);
	if (option_is_optional(row))
		printf(" \"[=\" \\fI%.*s\\fR ]", (int)strcspn(row->value + 2, "]"), row->value + 2);
	else if (row->value && !print_man_choices(row))
		printf(" \" \" \\fI%s\\fR", row->value);
	putchar('\n');
}

static void print_man(void)
{
	for (int i = 0; i < COMMAND_COUNT; i++) {
		const struct command *command = commands[i].command;
		const struct option_row *row;

		for (size_t r = 0; command && (row = command_row(command, r)); r++)
			print_man_row(command->name, row);
	}
}

static int print_template(const char *path, void (*print)(void))
{
	FILE *file = fopen(path, "re");
	char line[1024];

	if (!file) {
		perror(path);
		return 1;
	}
	while (fgets(line, sizeof(line), file)) {
		if (strcmp(line, "@generated@\n") != 0)
			fputs(line, stdout);
		else
			print();
	}
	fclose(file);
	return 0;
}

static void print_bash(void)
{
	print_bash_options();
	print_bash_operands();
	print_bash_values();
}

/* A row of schema/domains.def may have a name that a command's own list has: then this is what
 * ends the build. */
static bool check_names(void)
{
	char name[OPTION_NAME_BYTES];
	bool good = true;

	for (int i = 0; i < COMMAND_COUNT; i++) {
		const struct option_row *row =
			commands[i].command ? command_clash(commands[i].command) : NULL;

		if (!row)
			continue;
		fprintf(stderr, "tandem %s: two options are called --%s, or have its letter\n",
			commands[i].command->name, option_name(name, row));
		good = false;
	}
	return good;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!check_names())
		return 1;
	if (!strcmp(what, "bash") && argc > 2)
		return print_template(argv[2], print_bash);
	if (!strcmp(what, "zsh") && argc > 2)
		return print_template(argv[2], print_zsh);
	if (!strcmp(what, "man")) {
		print_man();
		return 0;
	}
	fputs("tandem-options bash|zsh TEMPLATE, or man\n", stderr);
	return 2;
}
