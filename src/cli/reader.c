/* SPDX-License-Identifier: MIT */
/* tandem-reader: the commands that read sessions. `tandem` runs it, with its own
 * arguments. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

/* A command that is not in this build has no function. */
#define X(name, about) extern __typeof__(cmd_##name) cmd_##name __attribute__((weak));
CLI_READER_COMMANDS(X)
#undef X

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
#define X(name, about) {#name, cmd_##name},
	CLI_READER_COMMANDS(X)
#undef X
#define X(name, word) {word, cmd_##name},
		CLI_HELPERS(X)
#undef X
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(*commands); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run ? commands[i].run(argc - 1, argv + 1)
					       : cli_error("`%s` is not in this build", argv[1]);
	cli_error("this is a part of `tandem`: run that");
	return CLI_USAGE;
}
