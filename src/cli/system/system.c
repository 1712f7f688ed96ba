/* SPDX-License-Identifier: MIT */
/* tandem system: has every new process wait for a recording, and records them all. */
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "cli/options/option_value.h"
#include "cli/options/options.h"
#include "cli/record/summary.h"
#include "cli/system/system_scope.h"
#include "recorder/session/count_records.h"
#include "recorder/system_recording.h"
#include "schema/domain.h"
#include "schema/ids.h"
#include "util/units.h"

#define SYSTEM_OPTIONS(X)                                                                        \
	X(output, 'o', "DIR", DIRECTORY_NAME, "record into DIR (tandem-system-DATE-TIME)")       \
	X(force, 0, NULL, FLAG, "replace DIR when it holds a session already")                   \
	X(for, 0, "TIME", TEXT("10s 5m"), "record so long (until Ctrl-C, or `tandem stop DIR`)") \
	X(kernel, 0, "WHAT", WORD("off sched gpu"),                                              \
	  "record: kernel events of the whole machine: %s (sched)")                              \
	X(inject, 0, "HOW", WORD("layer preload both"),                                          \
	  "enable: what loads the libraries: layer, the runtimes alone; preload or both, every " \
	  "program (layer)")                                                                     \
	X(user, 0, NULL, FLAG, "as root: for root's own programs only, not for all users'")      \
	X(root, 0, "DIR", DIRECTORY_NAME, "enable, disable, status: the files below DIR, not /") \
	X(format, 0, "text|json", WORD("text json"), "of status (text)")                         \
	X(quiet, 'q', NULL, FLAG, "quiet: report errors only")

OPTIONS(SYSTEM_OPTIONS)

#define SYSTEM_ACTIONS "enable disable status doctor record"

const struct command command_system = {
	.name = "system",
	.usage = "enable|disable [--inject HOW] [--user] [--root DIR]\n"
		 "status|doctor [--user]\n"
		 "record [-o DIR] [--for TIME] [--user]",
	.about =
		"Has every new login's programs load Tandem together with their GPU runtimes, and\n"
		"wait at next to no cost; `record` then records all of them at once. For this\n"
		"user's programs, or, as root, for those of all users.\n",
	.examples = "  tandem system enable\n"
		    "  tandem system record -o DIR --for 30s\n"
		    "  tandem system disable\n",
	.column = 20,
	COMMAND_OPTIONS,
	.operands = OPERAND_WORD,
	.words = SYSTEM_ACTIONS,
};

struct request {
	struct system_recording_options recording;
	const char *root;
	bool preload, layers, user, json, quiet;
};

/* System calls are recorded of one program's threads. */
static const enum linux_level levels[] = {LINUX_OFF, LINUX_SCHED, LINUX_GPU};

static int handle_option(void *user, unsigned option, const char *value, int word)
{
	struct request *request = user;

	switch (option) {
	case OPTION_output:
		return option_directory("--output", value, &request->recording.session.directory);
	case OPTION_force:
		request->recording.session.force = true;
		return 0;
	case OPTION_for:
		return option_time("--for", value, &request->recording.duration_ns);
	case OPTION_kernel:
		request->recording.level = levels[word];
		return 0;
	case OPTION_inject:
		request->preload = word != 0;
		request->layers = word != 1;
		return 0;
	case OPTION_user:
		request->user = true;
		return 0;
	case OPTION_root:
		request->root = value;
		return *value == '/' ? 0 : option_refuse("--root", value, "an absolute path");
	case OPTION_format:
		request->json = word == 1;
		return 0;
	default:
		request->quiet = true;
		return 0;
	}
}

static void print_files(const struct login_environment *files)
{
	for (size_t i = 0; i < files->count; i++)
		puts(files->files[i].block.path);
}

static int enable(struct system_scope *scope, const struct request *request)
{
	struct login_environment files;
	struct error error = ERROR_INIT;
	int status;

	scope->login.preload = request->preload;
	scope->login.layers = request->layers;
	status = system_scope_find_library(scope, &error);
	if (!status)
		status = login_environment_find(&files, &scope->login, &error);
	if (status)
		return cli_fail(&error);
	status = login_environment_check(&files, &error);
	if (!status)
		status = login_environment_write(&files, &error);
	if (!status && !request->quiet) {
		print_files(&files);
		cli_note("enabled for %s: programs of new logins wait for `tandem system record`; "
			 "`tandem system disable` undoes it",
			 scope->words);
	}
	login_environment_free(&files);
	return status ? cli_fail(&error) : CLI_DONE;
}

static int disable(struct system_scope *scope, const struct request *request)
{
	struct login_environment files;
	struct error error = ERROR_INIT;
	int status = login_environment_find(&files, &scope->login, &error);
	bool had;

	if (status)
		return cli_fail(&error);
	had = login_environment_has(&files) != 0;
	status = login_environment_remove(&files, &error);
	if (!status && !request->quiet) {
		if (had)
			cli_note("disabled for %s: programs of this login may wait until it ends",
				 scope->words);
		else
			cli_note("it is not enabled for %s", scope->words);
	}
	login_environment_free(&files);
	return status ? cli_fail(&error) : CLI_DONE;
}

static void print_recorded(const struct session *session)
{
	struct text text = TEXT_INIT;
	struct record_count counted;
	char size[UNITS_BYTES];

	if (count_records(session->absolute, &counted)) {
		cli_note("recorded into %s", session->directory);
		return;
	}
	text_add_string(&text, counted.estimated ? "recorded about " : "recorded ");
	summary_add_count(&text, counted.events, "event");
	text_add_string(&text, " of ");
	summary_add_count(&text, session->control->processes, "process");
	if (counted.kernel_events) {
		text_add_string(&text, " and ");
		summary_add_count(&text, counted.kernel_events, "kernel event");
	}
	text_format(&text, " (%s) in %s; ",
		    units_bytes(size, (double)(counted.bytes + counted.kernel_bytes)),
		    session->directory);
	summary_add_losses(&text, session->control);
	if (!text.failed)
		cli_note("%s", text.data);
	text_free(&text);
}

static int record(const struct system_scope *scope, struct request *request)
{
	struct session_options *options = &request->recording.session;
	const struct tandem_domain_row *row = NULL;
	struct system_recording recording;
	struct error error = ERROR_INIT;

	/* As the processes have it from their start. */
	while ((row = tandem_domain_next(row))) {
		options->choices[row->number] = tandem_domain_choices(row);
		options->domains |=
			row->number == TANDEM_DOMAIN_kernel ? 0 : (uint64_t)1 << row->number;
	}
	request->recording.base = scope->base;
	request->recording.all = scope->login.all;
	if (system_recording_start(&recording, &request->recording, &error))
		return cli_fail(&error);
	if (!request->quiet)
		cli_note("recording %s programs that wait into %s%s",
			 scope->login.all ? "all users'" : "this user's",
			 recording.session.directory,
			 request->recording.duration_ns ? "" : "; Ctrl-C ends it");
	if (!request->quiet && *recording.notes.scheduler)
		cli_note("%s", recording.notes.scheduler);
	if (system_recording_wait(&recording, &error))
		return cli_fail(&error);
	if (!request->quiet)
		print_recorded(&recording.session);
	return CLI_DONE;
}

static int wrong(const char *word)
{
	if (word)
		cli_error("system takes one of " SYSTEM_ACTIONS ", not `%s`", word);
	else
		cli_error("system takes one of " SYSTEM_ACTIONS);
	return cli_usage("system");
}

int cmd_system(int argc, char **argv)
{
	struct request request = {
		.recording.session = {.args_level = TANDEM_ARGS_BASIC,
				      .device_timing = true,
				      .exit_wait_ms = 2000,
				      .drain_ms = 100},
		.recording.level = LINUX_SCHED,
		.layers = true,
	};
	int first = options_parse(&command_system, argc, argv, handle_option, &request);
	struct error error = ERROR_INIT;
	struct system_scope scope;
	const char *word;

	if (first < 0)
		return options_status(first);
	word = first < argc ? argv[first] : NULL;
	if (argc - first != 1)
		return wrong(argc - first > 1 ? argv[first + 1] : NULL);
	if (getauxval(AT_SECURE) || geteuid() != getuid())
		return cli_error("tandem system is not for set-user-id use: run it as the user "
				 "whose programs it is about, or as root");
	if (system_scope_find(&scope, request.root, request.user, &error))
		return cli_fail(&error);
	if (!strcmp(word, "enable"))
		return enable(&scope, &request);
	if (!strcmp(word, "disable"))
		return disable(&scope, &request);
	if (!strcmp(word, "status"))
		return system_status(&scope, request.json);
	if (!strcmp(word, "doctor"))
		return system_doctor(&scope);
	if (!strcmp(word, "record"))
		return record(&scope, &request);
	return wrong(word);
}
