/* SPDX-License-Identifier: MIT */
/* tandem: runs a command, or hands it on to tandem-reader. */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "setup/library.h"

struct row {
	const char *name;
	const char *about;
	int (*run)(int argc, char **argv); /* NULL: the reader's */
};

static const struct row commands[] = {
#define X(name, about) {#name, about, cmd_##name},
	CLI_RECORDER_COMMANDS(X)
#undef X
#define X(name, about) {#name, about, NULL},
		CLI_READER_COMMANDS(X)
#undef X
};

enum { COMMAND_COUNT = sizeof(commands) / sizeof(*commands) };

static int print_help(void)
{
	puts("Usage: tandem COMMAND [options]\n"
	     "\n"
	     "Tandem records what a program does on the CPU and on the GPU in one trace, on\n"
	     "one clock, without recompiling it, and shows where the time went.\n");
	for (int i = 0; i < COMMAND_COUNT; i++)
		printf("  %-8s  %s\n", commands[i].name, commands[i].about);
	puts("\n"
	     "  tandem record ./app      run ./app and record it\n"
	     "  tandem report DIR        show where its time went\n"
	     "\n"
	     "See `tandem help COMMAND` and `man tandem-COMMAND`.");
	return CLI_DONE;
}

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned least = a < b ? a : b;

	return least < c ? least : c;
}

/* Letters to insert, drop or replace to make one word of the other. */
static unsigned word_distance(const char *a, const char *b)
{
	unsigned row[32];
	size_t length = strlen(b);

	if (length >= sizeof(row) / sizeof(*row))
		return ~0u;
	for (unsigned i = 0; i <= length; i++)
		row[i] = i;
	for (; *a; a++) {
		unsigned corner = row[0]++;

		for (size_t i = 1; i <= length; i++) {
			unsigned above = row[i];

			row[i] = min3(above + 1, row[i - 1] + 1, corner + (*a != b[i - 1]));
			corner = above;
		}
	}
	return row[length];
}

static int unknown_command(const char *word)
{
	const struct row *nearest = NULL;
	unsigned least = 3;

	for (int i = 0; i < COMMAND_COUNT; i++) {
		unsigned distance = word_distance(word, commands[i].name);

		if (distance < least) {
			least = distance;
			nearest = &commands[i];
		}
	}
	if (nearest)
		cli_error("unknown command `%s`; did you mean `%s`?", word, nearest->name);
	else
		cli_error("unknown command `%s`; `tandem --help` lists them", word);
	return CLI_USAGE;
}

static int hand_on(char **argv)
{
	char path[PATH_MAX];

	if (library_module(path, CLI_READER))
		return cli_error("`%s` is in " CLI_READER ", which is not next to this command: "
				 "install tandem again",
				 argv[1]);
	execv(path, argv);
	return cli_error("%s: %m", path);
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;
	char help[] = "--help";
	char *of_command[] = {argv[0], NULL, help, NULL};

	if (!word) {
		cli_error("missing command; `tandem --help` lists them");
		return CLI_USAGE;
	}
	if (!strcmp(word, "help") && argc > 2) {
		of_command[1] = argv[2];
		argc = 3;
		argv = of_command;
		word = argv[1];
	}
	if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help"))
		return print_help();
	if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
		puts("tandem " TANDEM_VERSION);
		return CLI_DONE;
	}
	for (int i = 0; i < COMMAND_COUNT; i++)
		if (!strcmp(word, commands[i].name))
			return commands[i].run ? commands[i].run(argc - 1, argv + 1)
					       : hand_on(argv);
	if (*word == '-') {
		cli_error("unknown option `%s` before the command", word);
		return CLI_USAGE;
	}
	return unknown_command(word);
}
