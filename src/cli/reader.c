/* tandem-reader: the verbs that read sessions. The command runs it, with its own
 * arguments. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

/* A verb that is not in this build has no function. */
#define X(verb, words) extern __typeof__(cmd_##verb) cmd_##verb __attribute__((weak));
CLI_READER_VERBS(X)
#undef X

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} verbs[] = {
#define X(verb, words) {#verb, cmd_##verb},
	CLI_READER_VERBS(X)
#undef X
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(verbs) / sizeof(*verbs); i++)
		if (!strcmp(argv[1], verbs[i].name))
			return verbs[i].run ? verbs[i].run(argc - 1, argv + 1)
					    : cli_error("`%s` is not in this build", argv[1]);
	cli_error("this is a part of `tandem`: run that");
	return CLI_USAGE;
}
