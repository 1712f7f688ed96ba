/* SPDX-License-Identifier: MIT */
/* tandem record: runs a program and records it. */
#include "cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/conditions/condition.h"
#include "cli/options/domain_options.h"
#include "cli/options/option_value.h"
#include "cli/options/options.h"
#include "cli/record/lttng.h"
#include "cli/record/summary.h"
#include "format/directory.h"
#include "format/ring.h"
#include "recorder/program/child.h"
#include "recorder/recorder.h"
#include "schema/control.h"
#include "schema/domain.h"
#include "schema/ids.h"
#include "setup/library.h"
#include "util/units.h"

/* How the shells say that a program can't be run. */
enum { CANNOT_RUN = 126, NOT_FOUND = 127 };

#define EXIT_WAIT_MS 2000
#define DRAIN_MS 100

#define LEVEL_WORD_(constant, word, what) word " "
#define INJECTION_WORD_(constant, word) word " "

#define RECORD_OPTIONS(X)                                                                      \
	X(output, 'o', "DIR", DIRECTORY_NAME,                                                  \
	  "record into DIR (tandem-PROGRAM-DATE-TIME); %p is the program, %t date and time, "  \
	  "%h the host, %q{NAME} an environment variable")                                     \
	X(force, 0, NULL, FLAG, "replace DIR when it holds a session already")                 \
	X(domains, 0, "LIST", LIST_AT(domain_options_word), "what to record: %s (all)")        \
	X(args, 0, "LEVEL", WORD("none basic full"), "arguments of calls: %s (basic)")         \
	X(device_timing, 0, "on|off", WORD("off on"), "ask the device when commands ran (on)") \
	X(start_paused, 0, NULL, FLAG, "record nothing until `tandem resume DIR`")             \
	X(delay, 0, "TIME", TEXT("5s 500ms"), "start recording so long after the start")       \
	X(duration, 0, "TIME", TEXT("30s 500ms"),                                              \
	  "stop recording after that time; the program runs on")                               \
	X(report, 0, NULL, FLAG, "show `tandem report` of it at the end, on standard error")   \
	X(kernel, 0, "WHAT", WORD(LINUX_LEVELS(LEVEL_WORD_)), "kernel events: %s (sched)")     \
	X(sample, 0, "HZ", TEXT("99 999"), "stack samples per CPU second")                     \
	X(unwind, 0, "HOW", WORD("fp dwarf"),                                                  \
	  "how stacks are unwound: fp, by frame pointers, or dwarf, from saved stacks "        \
	  "when the session is read (fp)")                                                     \
	X(limit_size, 0, "BYTES", TEXT(NULL),                                                  \
	  "stop at this size; K, M, G, T are units (no limit)")                                \
	X(snapshot, 0, "[=BYTES]", TEXT("4M 64M"),                                             \
	  "keep the last BYTES of each thread and CPU only (4M), until `tandem snapshot DIR` " \
	  "saves them or the program ends")                                                    \
	X(snapshot_when, 0, "CONDITION", TEXT("error loss"),                                   \
	  "save a snapshot by itself where that is true: 'call NAME > 5ms', 'kernel NAME > "   \
	  "2ms', 'range NAME > 1.2 x median', error [NAME], loss; several may be given")       \
	X(exit_wait, 0, "MS", TEXT(NULL),                                                      \
	  "wait at most so long at the program's end for commands that are still running "     \
	  "(2000)")                                                                            \
	X(capture, 0, "WHEN", TEXT_AT(capture_word),                                           \
	  "record only between the program's own marks, in domains that can be switched:")     \
	X(drain_interval, 0, "MS", TEXT(NULL),                                                 \
	  "how old a finished device operation may be that is not in the files yet (100)")     \
	X(inject, 0, "HOW", WORD(RECORDER_INJECTIONS(INJECTION_WORD_)),                        \
	  "injection method: preload, layer or both (both, but the layer alone where a "       \
	  "preload would break it)")                                                           \
	X(sink, 0, "SINK", WORD("files lttng"),                                                \
	  "who writes the trace: %s (files); lttng: LTTng's daemons (doc/LTTNG.md)")           \
	X(lttng_session, 0, "NAME", TEXT(NULL), "LTTng's session (tandem-PID)")                \
	X(live, 0, "URL", TEXT("net://localhost"),                                             \
	  "to LTTng's relay daemon there, from which it is read at the same time")             \
	X(relay, 0, "URL", TEXT("net://localhost"),                                            \
	  "to LTTng's relay daemon there, which keeps it")                                     \
	X(clock, 0, "SOURCE", WORD("auto counter monotonic"), "%s (auto)")                     \
	X(quiet, 'q', NULL, FLAG, "suppress the summary")

OPTIONS(RECORD_OPTIONS)

const struct command command_record = {
	.name = "record",
	.usage = "[options] [--] PROGRAM [ARGUMENTS]",
	.about =
		"Runs PROGRAM and records what it and its children do. Returns the program's exit\n"
		"status. `tandem report DIR` then shows where the time went.\n",
	.examples = "  tandem record -o run1 ./app --size 512\n"
		    "  tandem record --start-paused python3 train.py\n",
	.column = 27,
	COMMAND_OPTIONS,
	.more = domain_options_row,
	.operands = OPERAND_PROGRAM,
};

struct request {
	struct recorder_options recorder;
	const char *conditions[CONDITIONS_MOST];
	char reader[PATH_MAX]; /* which looks at them */
	bool quiet, report;
};

static int parse_limit(const char *text, uint64_t *bytes)
{
	return cli_parse_bytes(text, bytes) ? option_refuse("--limit-size", text, "500M, 2G") : 0;
}

static int parse_ring(const char *text, uint64_t *bytes)
{
	*bytes = RING_USUAL_BYTES;
	if (!text)
		return 0;
	return cli_parse_bytes(text, bytes) || *bytes < RING_LEAST_BYTES || *bytes > RING_MOST_BYTES
		       ? option_refuse("--snapshot", text, "256K to 4G")
		       : 0;
}

static int parse_condition(struct request *request, const char *text)
{
	struct watcher_request *watcher = &request->recorder.watcher;
	struct condition_problem problem;
	struct condition condition;

	if (watcher->count == CONDITIONS_MOST) {
		cli_error("--snapshot-when: more than %u conditions", CONDITIONS_MOST);
		return -EINVAL;
	}
	if (condition_parse(&condition, text, &problem)) {
		cli_error("--snapshot-when: '%s': at character %zu: %s", text, problem.at,
			  problem.text);
		return -EINVAL;
	}
	request->conditions[watcher->count++] = text;
	return 0;
}

/* Each sample costs some microseconds; the kernel's own clock has no finer steps. */
#define MOST_HZ 20000 /* said below */

static int parse_rate(const char *text, uint32_t *hz)
{
	uint64_t number;
	int error = cli_parse_number(text, MOST_HZ, &number);

	if (error || !number)
		return option_refuse("--sample", text, "1 to 20000");
	*hz = (uint32_t)number;
	return 0;
}

static int handle_option(void *user, unsigned option, const char *value, int word)
{
	struct request *request = user;
	struct session_options *session = &request->recorder.session;
	const struct tandem_domain_row *row;

	switch (option) {
	case OPTION_output:
		return option_directory("--output", value, &session->directory);
	case OPTION_force:
		session->force = true;
		return 0;
	case OPTION_domains:
		return domain_options_parse(value, &session->domains);
	case OPTION_args:
		session->args_level = (uint32_t)word;
		return 0;
	case OPTION_device_timing:
		session->device_timing = word == 1;
		return 0;
	case OPTION_start_paused:
		session->start_paused = true;
		return 0;
	case OPTION_delay:
		session->start_paused = true;
		return option_time("--delay", value, &request->recorder.delay_ns);
	case OPTION_duration:
		return option_time("--duration", value, &request->recorder.duration_ns);
	case OPTION_report:
		request->report = true;
		return 0;
	case OPTION_kernel:
		request->recorder.level = (enum linux_level)word;
		return 0;
	case OPTION_sample:
		return parse_rate(value, &session->sample_hz);
	case OPTION_unwind:
		session->saved_stacks = word == 1;
		return 0;
	case OPTION_limit_size:
		return parse_limit(value, &session->limit_bytes);
	case OPTION_snapshot:
		return parse_ring(value, &session->ring_bytes);
	case OPTION_snapshot_when:
		return parse_condition(request, value);
	case OPTION_exit_wait:
		return option_ms("--exit-wait", value, &session->exit_wait_ms);
	case OPTION_capture:
		return capture_parse(value, session->capture, sizeof(session->capture));
	case OPTION_drain_interval:
		return option_ms("--drain-interval", value, &session->drain_ms);
	case OPTION_inject:
		request->recorder.injection = (enum recorder_injection)word;
		return 0;
	case OPTION_clock:
		session->clock = (enum clock_request)word;
		return 0;
	case OPTION_sink:
		session->lttng.enabled = word == 1;
		return 0;
	case OPTION_lttng_session:
		session->lttng.name = value;
		return *value && *value != '-' && !strchr(value, '/') && strlen(value) < 250
			       ? 0
			       : option_refuse("--lttng-session", value, "a name");
	case OPTION_live:
		session->lttng.live = value;
		return *value ? 0 : option_refuse("--live", value, "net://HOST");
	case OPTION_relay:
		session->lttng.relay = value;
		return *value ? 0 : option_refuse("--relay", value, "net://HOST");
	case OPTION_quiet:
		request->quiet = true;
		return 0;
	default:
		row = domain_options_domain(option - OPTION_COUNT);
		return domain_choices_parse(row, value, &session->choices[row->number]);
	}
}

static void choices_default(struct session_options *session)
{
	const struct tandem_domain_row *row = NULL;

	while ((row = tandem_domain_next(row)))
		session->choices[row->number] = tandem_domain_choices(row);
}

/* 0, or the negative answer of options_parse(). */
static int parse(struct request *request, int argc, char **argv)
{
	int first = options_parse(&command_record, argc, argv, handle_option, request);

	if (first < 0)
		return first;
	if (first >= argc) {
		cli_error("no program given");
		return options_wrong(&command_record);
	}
	if (request->recorder.session.saved_stacks && !request->recorder.session.sample_hz) {
		cli_error("--unwind dwarf needs --sample: no stacks are recorded without it");
		return options_wrong(&command_record);
	}
	if (request->recorder.session.sample_hz && request->recorder.level == LINUX_OFF) {
		cli_error("--sample needs kernel events: omit --kernel off");
		return options_wrong(&command_record);
	}
	request->recorder.command = argv + first;
	return record_lttng_parse(&request->recorder);
}

/* What looks at the conditions is a part of the command of its own. Returns CLI_DONE or
 * CLI_FAILED. */
static int find_watcher(struct request *request)
{
	struct watcher_request *watcher = &request->recorder.watcher;

	watcher->conditions = request->conditions;
	watcher->reader = request->reader;
	watcher->quiet = request->quiet;
	if (!watcher->count || !library_module(request->reader, CLI_READER))
		return CLI_DONE;
	return cli_error("--snapshot-when needs " CLI_READER ", which is not next to this command: "
			 "install tandem again");
}

/* Says in a shell's words why it can't be run. Returns the shells' status. */
static int refuse_program(const char *name, int error)
{
	switch (error) {
	case -ENOENT:
		if (strchr(name, '/'))
			cli_error("%s: No such file or directory", name);
		else
			cli_error("%s: command not found", name);
		return NOT_FOUND;
	case -ENOTDIR:
	case -ENAMETOOLONG:
		cli_error("%s: %s", name, strerror(-error));
		return error == -ENOTDIR ? CANNOT_RUN : NOT_FOUND;
	case -EACCES:
		cli_error("%s: Permission denied", name);
		return CANNOT_RUN;
	case -EISDIR:
		cli_error("%s: Is a directory", name);
		return CANNOT_RUN;
	case -ENOEXEC:
		cli_error("%s: cannot execute: Exec format error", name);
		return CANNOT_RUN;
	case -ELIBBAD:
		cli_error("%s: the interpreter that it names does not exist", name);
		return CANNOT_RUN;
	default:
		cli_error("%s: %s", name, strerror(-error));
		return CANNOT_RUN;
	}
}

/* Whether a recorded program has started this recorder. */
static void print_outer(void)
{
	const char *outer = getenv(TANDEM_ENV_SESSION);
	char control[PATH_MAX];

	if (outer &&
	    snprintf(control, sizeof(control), "%s/" DIRECTORY_CONTROL, outer) <
		    (int)sizeof(control) &&
	    !access(control, F_OK))
		cli_note("inside of the recording %s, which gets none of the API calls", outer);
}

/* What of the operating system is not recorded, and how to get it. */
static void print_notes(const struct linux_notes *notes)
{
	if (*notes->scheduler)
		cli_note("%s", notes->scheduler);
	if (*notes->samples)
		cli_note("%s", notes->samples);
}

static void print_removed(uint64_t processes)
{
	char count[UNITS_BYTES];

	cli_note("%s process%s that had ended %s left out, the oldest: all that have ended may "
		 "take %u times the BYTES of --snapshot",
		 units_count(count, processes), processes == 1 ? "" : "es",
		 processes == 1 ? "is" : "are", ENDED_PROCESSES_RINGS);
}

/* The program's output has ended: what is left open is standard error. */
static void show_report(const struct session *session)
{
	char path[PATH_MAX];
	pid_t pid = library_module(path, CLI_READER) ? -1 : fork();

	if (pid < 0) {
		cli_note("the report cannot be shown: run `tandem report %s`", session->directory);
		return;
	}
	if (!pid) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execl(path, "tandem", "report", session->directory, (char *)NULL);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
}

int cmd_record(int argc, char **argv)
{
	struct request request = {
		.recorder =
			{
				.session =
					{
						.domains = domain_options_all(),
						.args_level = TANDEM_ARGS_BASIC,
						.device_timing = true,
						.exit_wait_ms = EXIT_WAIT_MS,
						.drain_ms = DRAIN_MS,
					},
				.level = LINUX_SCHED,
			},
	};
	struct error error = ERROR_INIT;
	struct recorder recorder;
	int status;

	clock_pair_read(TANDEM_CLOCK_COUNTER, &request.recorder.early);
	choices_default(&request.recorder.session);
	status = parse(&request, argc, argv);
	if (status)
		return options_status(status);
	if (find_watcher(&request))
		return CLI_FAILED;
	if (!request.quiet && record_lttng_left(&request.recorder.session))
		return CLI_FAILED;
	status = recorder_start(&recorder, &request.recorder, &error);
	if (status)
		return recorder.cannot_run ? refuse_program(request.recorder.command[0], status)
					   : cli_fail(&error);
	if (!request.quiet) {
		print_outer();
		print_notes(&recorder.notes);
		record_lttng_note(&recorder);
	}
	status = recorder_wait(&recorder, &error);
	if (error.count)
		cli_fail(&error);
	if (recorder.unwatched)
		cli_note("the conditions of --snapshot-when were not looked at to the end: what "
			 "did that was killed or failed");
	record_lttng_import(&recorder);
	if (recorder.ended.removed && !request.quiet)
		print_removed(recorder.ended.removed);
	if (!request.quiet)
		summary_print(&recorder.session, &recorder.program, recorder.pid);
	if (request.report)
		show_report(&recorder.session);
	child_imitate_end(status);
}
