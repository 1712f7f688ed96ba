/* SPDX-License-Identifier: MIT */
/* tandem snapshot: saves what a flight recorder holds, while the program runs on. */
#include "cli/cli.h"

#include "cli/options/option_value.h"
#include "cli/options/options.h"
#include "cli/run_import.h"
#include "recorder/snapshot/snapshot.h"
#include "recorder/target.h"
#include "util/text.h"
#include "util/units.h"

#define SNAPSHOT_OPTIONS(X)                                                            \
	X(output, 'o', "OUT", DIRECTORY_NAME, "save into OUT (DIR-snapshot-1, -2...)") \
	X(quiet, 'q', NULL, FLAG, "suppress the summary")

OPTIONS(SNAPSHOT_OPTIONS)

const struct command command_snapshot = {
	.name = "snapshot",
	.usage = "[options] DIR|PID",
	.about = "Saves what `tandem record --snapshot` holds now as a session of its own, from\n"
		 "where all threads are complete. The program runs on. The session is named by\n"
		 "its directory, or by the number of a process that is being recorded.\n",
	.examples = "  tandem snapshot run\n"
		    "  tandem report run-snapshot-1\n",
	.column = 22,
	COMMAND_OPTIONS,
	.operands = OPERAND_SESSION,
};

struct arguments {
	const char *output;
	bool quiet;
};

static int handle_option(void *user, unsigned option, const char *value, int word)
{
	struct arguments *arguments = user;

	(void)word;
	if (option == OPTION_output)
		return option_directory("--output", value, &arguments->output);
	arguments->quiet = true;
	return 0;
}

static void print_result(const struct snapshot_result *result)
{
	char count[UNITS_BYTES], bytes[UNITS_BYTES], time[UNITS_BYTES];

	if (result->lttng) {
		cli_note("saved what LTTng's rings hold of the last %s in %s",
			 units_ns(time, (double)result->window_ns), result->output);
		return;
	}
	cli_note("saved %s events (%s) of the last %s in %s", units_count(count, result->records),
		 units_bytes(bytes, (double)result->bytes),
		 units_ns(time, (double)result->window_ns), result->output);
}

int cmd_snapshot(int argc, char **argv)
{
	struct arguments arguments = {.output = NULL};
	int first = options_parse(&command_snapshot, argc, argv, handle_option, &arguments);
	struct snapshot_request request = {.reason = "asked for", .import = run_import_snapshot};
	struct snapshot_result result;
	struct error error = ERROR_INIT;
	struct target target;
	int status;

	if (first < 0)
		return options_status(first);
	if (argc - first != 1) {
		cli_error("snapshot takes one session: its directory or a process number");
		return cli_usage("snapshot");
	}
	if (target_open(&target, argv[first], TARGET_READ, &error))
		return cli_fail(&error);
	request.directory = target.directory;
	request.output = arguments.output;
	status = snapshot_save(&request, &result, &error);
	target_close(&target);
	if (status)
		return cli_fail(&error);
	if (result.unread)
		return CLI_FAILED;
	if (!arguments.quiet)
		print_result(&result);
	return CLI_DONE;
}
