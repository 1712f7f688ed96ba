/* tandem record: runs a program and records it. */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder/child.h"
#include "recorder/recorder.h"
#include "cli/domain_options.h"
#include "cli/summary.h"
#include "schema/cuda.h"
#include "schema/domain.h"
#include "schema/ids.h"

/* How the shells say that a program can't be run. */
enum { CANNOT_RUN = 126, NOT_FOUND = 127 };

#define EXIT_WAIT_MS 2000
#define DRAIN_MS 100

static const char help_text[] =
	"Usage: tandem record [options] [--] PROGRAM [ARGUMENTS]\n"
	"\n"
	"Runs PROGRAM and records what it and its children do. Gives back the program's\n"
	"exit status. `tandem report DIR` then shows where the time went.\n"
	"\n"
	"  -o, --output DIR         record into DIR (tandem-PROGRAM-DATE-TIME)\n"
	"      --force              replace DIR when it holds a session already\n"
	"      --domains LIST       what to record: opencl, cuda (all)\n"
	"      --args LEVEL         arguments of calls: none, basic or full (basic)\n"
	"      --device-timing on|off\n"
	"                           ask the device when commands ran (on)\n"
	"      --start-paused       record nothing until `tandem resume DIR`\n"
	"      --kernel WHAT        what the operating system does: off, sched, syscalls,\n"
	"                           gpu or all (sched)\n"
	"      --sample HZ          sample the program's stacks so often a second of CPU time\n"
	"      --unwind HOW         how stacks are unwound: fp, by frame pointers, or dwarf,\n"
	"                           from saved stacks when the session is read (fp)\n"
	"      --limit-size BYTES   stop at this size; K, M, G, T are units (no limit)\n"
	"      --exit-wait MS       wait at most so long at the program's end for commands\n"
	"                           that are still running (2000)\n"
	/* The domains' own options come here. */
	"%s"
	"      --capture WHEN       record CUDA only between cudaProfilerStart() and Stop():\n"
	"                           profiler-api, or inside an NVTX range: nvtx:NAME\n"
	"      --drain-interval MS  how old a finished device operation may be that is not\n"
	"                           in the files yet (100)\n"
	"      --inject HOW         how to get into the program: preload, layer or both\n"
	"                           (both, but the layer alone where a preload would harm)\n"
	"      --clock SOURCE       auto, counter or monotonic (auto)\n"
	"  -q, --quiet              no line at the end\n"
	"  -h, --help               this text\n"
	"\n"
	"  tandem record -o run1 ./app --size 512\n"
	"  tandem record --start-paused python3 train.py\n";

struct request {
	struct recorder_options recorder;
	bool quiet;
};

static const char *const on_off[] = {"off", "on", NULL};
static const char *const args_levels[] = {"none", "basic", "full", NULL};
static const char *const clocks[] = {"auto", "counter", "monotonic", NULL};
static const char *const injections[] = {
#define X(constant, word) word,
	RECORDER_INJECTIONS(X)
#undef X
	NULL,
};

static const char *const unwinds[] = {"fp", "dwarf", NULL};

static const char *const kernel_levels[] = {
#define X(constant, word, what) word,
	LINUX_LEVELS(X)
#undef X
	NULL,
};

/* One of the words for an option that takes one, or -EINVAL and a line. */
static int parse_choice(const char *option, const char *text, const char *const *words)
{
	int choice = cli_parse_word(text, words);

	if (choice < 0)
		cli_error("%s: it is not `%s`; see --help", option, text);
	return choice;
}

static int parse_limit(const char *text, uint64_t *bytes)
{
	int error = cli_parse_bytes(text, bytes);

	if (error)
		cli_error("--limit-size: `%s` is no size; write 500M or 2G", text);
	return error;
}

static int parse_ms(const char *option, const char *text, uint32_t *ms)
{
	uint64_t number;
	int error = cli_parse_number(text, UINT32_MAX, &number);

	if (error)
		cli_error("%s: `%s` is no time in ms", option, text);
	else
		*ms = (uint32_t)number;
	return error;
}

/* Each sample costs some microseconds; the kernel's own clock has no finer steps. */
#define MOST_HZ 20000

static int parse_rate(const char *text, uint32_t *hz)
{
	uint64_t number;
	int error = cli_parse_number(text, MOST_HZ, &number);

	if (error || !number) {
		cli_error("--sample: `%s` is no rate; write a number from 1 to %d: 99", text,
			  MOST_HZ);
		return -EINVAL;
	}
	*hz = (uint32_t)number;
	return 0;
}

enum {
	OPTION_FORCE = 256,
	OPTION_DOMAINS,
	OPTION_ARGS,
	OPTION_TIMING,
	OPTION_PAUSED,
	OPTION_LIMIT,
	OPTION_WAIT,
	OPTION_INJECT,
	OPTION_CLOCK,
	OPTION_KERNEL,
	OPTION_SAMPLE,
	OPTION_UNWIND,
	OPTION_CAPTURE,
	OPTION_DRAIN,
	OPTION_DOMAIN, /* + its number: --cuda and its like */
};

static const struct option long_options[] = {
	{"output", required_argument, NULL, 'o'},
	{"force", no_argument, NULL, OPTION_FORCE},
	{"domains", required_argument, NULL, OPTION_DOMAINS},
	{"args", required_argument, NULL, OPTION_ARGS},
	{"device-timing", required_argument, NULL, OPTION_TIMING},
	{"start-paused", no_argument, NULL, OPTION_PAUSED},
	{"limit-size", required_argument, NULL, OPTION_LIMIT},
	{"exit-wait", required_argument, NULL, OPTION_WAIT},
	{"capture", required_argument, NULL, OPTION_CAPTURE},
	{"drain-interval", required_argument, NULL, OPTION_DRAIN},
	{"inject", required_argument, NULL, OPTION_INJECT},
	{"clock", required_argument, NULL, OPTION_CLOCK},
	{"kernel", required_argument, NULL, OPTION_KERNEL},
	{"sample", required_argument, NULL, OPTION_SAMPLE},
	{"unwind", required_argument, NULL, OPTION_UNWIND},
	{"quiet", no_argument, NULL, 'q'},
	{"help", no_argument, NULL, 'h'},
	{0},
};

#define OPTION_COUNT (sizeof(long_options) / sizeof(*long_options))

/* Those above, and one for each domain that has choices. */
static void options_all(struct option options[OPTION_COUNT + TANDEM_DOMAINS_MOST])
{
	const struct tandem_domain_row *row = NULL;
	size_t count = OPTION_COUNT - 1;

	memcpy(options, long_options, sizeof(long_options));
	while ((row = tandem_domain_next(row)))
		if (row->choices)
			options[count++] = (struct option){row->name, required_argument, NULL,
							   OPTION_DOMAIN + row->number};
	options[count] = (struct option){0};
}

static int parse_choices(struct session_options *session, int option, const char *value)
{
	const struct tandem_domain_row *row =
		option > OPTION_DOMAIN ? tandem_domain_row((unsigned)(option - OPTION_DOMAIN)) : NULL;

	return row ? domain_choices_parse(row, value, &session->choices[row->number]) : -EINVAL;
}

static void choices_default(struct session_options *session)
{
	const struct tandem_domain_row *row = NULL;

	while ((row = tandem_domain_next(row)))
		session->choices[row->number] = tandem_domain_choices(row);
}

/* One option. Negative: it was wrong, and that was said. */
static int parse_option(struct request *request, int option, const char *value)
{
	struct session_options *session = &request->recorder.session;
	int choice = 0;

	switch (option) {
	case 'o':
		if (!*value)
			cli_error("--output: the directory needs a name");
		session->directory = value;
		return *value ? 0 : -EINVAL;
	case 'q':
		request->quiet = true;
		return 0;
	case OPTION_FORCE:
		session->force = true;
		return 0;
	case OPTION_DOMAINS:
		return domain_options_parse(value, &session->domains);
	case OPTION_ARGS:
		choice = parse_choice("--args", value, args_levels);
		session->args_level = (uint32_t)choice;
		return choice;
	case OPTION_TIMING:
		choice = parse_choice("--device-timing", value, on_off);
		session->device_timing = choice > 0;
		return choice;
	case OPTION_PAUSED:
		session->start_paused = true;
		return 0;
	case OPTION_LIMIT:
		return parse_limit(value, &session->limit_bytes);
	case OPTION_WAIT:
		return parse_ms("--exit-wait", value, &session->exit_wait_ms);
	case OPTION_DRAIN:
		return parse_ms("--drain-interval", value, &session->drain_ms);
	case OPTION_CAPTURE:
		return capture_parse(value, session->capture, sizeof(session->capture));
	case OPTION_INJECT:
		choice = parse_choice("--inject", value, injections);
		request->recorder.injection = (enum recorder_injection)choice;
		return choice;
	case OPTION_CLOCK:
		choice = parse_choice("--clock", value, clocks);
		session->clock = (enum clock_request)choice;
		return choice;
	case OPTION_SAMPLE:
		return parse_rate(value, &session->sample_hz);
	case OPTION_UNWIND:
		choice = parse_choice("--unwind", value, unwinds);
		session->saved_stacks = choice == 1;
		return choice;
	case OPTION_KERNEL:
		choice = parse_choice("--kernel", value, kernel_levels);
		request->recorder.level = (enum linux_level)choice;
		return choice;
	default:
		return parse_choices(session, option, value);
	}
}

static void help(void)
{
	const struct tandem_domain_row *row = NULL;
	struct text options = TEXT_INIT;

	while ((row = tandem_domain_next(row)))
		if (row->choices)
			domain_choices_help(row, &options);
	printf(help_text, options.failed ? "" : options.data);
	text_free(&options);
}

/* CLI_DONE: run it; any other status: that is how `record` ends; -1: it was
 * asked for help. */
static int parse(struct request *request, int argc, char **argv)
{
	struct option options[OPTION_COUNT + TANDEM_DOMAINS_MOST];
	int option;

	options_all(options);
	/* "+": the program's own options are not ours. */
	while ((option = getopt_long(argc, argv, "+o:qh", options, NULL)) != -1) {
		if (option == 'h') {
			help();
			return -1;
		}
		if (parse_option(request, option, optarg) < 0)
			return cli_usage("record");
	}
	if (optind >= argc) {
		cli_error("which program is to be recorded?");
		return cli_usage("record");
	}
	if (request->recorder.session.sample_hz && request->recorder.level == LINUX_OFF) {
		cli_error("--sample needs the kernel's side: leave --kernel off out");
		return cli_usage("record");
	}
	request->recorder.command = argv + optind;
	return CLI_DONE;
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

/* What of the operating system is not recorded, and how to get it. */
static void print_notes(const struct linux_notes *notes)
{
	if (*notes->scheduler)
		cli_note("%s", notes->scheduler);
	if (*notes->samples)
		cli_note("%s", notes->samples);
}

int cmd_record(int argc, char **argv)
{
	struct request request = {
		.recorder = {
			.session = {
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

	choices_default(&request.recorder.session);
	status = parse(&request, argc, argv);
	if (status)
		return status < 0 ? CLI_DONE : status;
	status = recorder_start(&recorder, &request.recorder, &error);
	if (status)
		return recorder.cannot_run ? refuse_program(request.recorder.command[0], status)
					   : cli_fail(&error);
	if (!request.quiet)
		print_notes(&recorder.notes);
	status = recorder_wait(&recorder, &error);
	if (error.count)
		cli_fail(&error);
	if (!request.quiet)
		summary_print(&recorder.session, &recorder.program, recorder.pid);
	child_imitate_end(status);
}
