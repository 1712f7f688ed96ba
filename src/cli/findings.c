/* tandem findings: what is wrong in a session, and what it cost. */
#include "analysis/findings/finding.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/findings_print.h"
#include "cli/reading.h"

static const char help_head[] =
	"Usage: tandem findings [options] DIR\n"
	"\n"
	"Says what is wrong in a recorded session, the most expensive first: what, where,\n"
	"what it cost, who caused it, how sure that is, and what to do. Costs of different\n"
	"findings overlap: they do not add up.\n"
	"\n"
	"  -f, --format=FORMAT  text (default) or json\n"
	"  -k, --kind=KIND      only findings of this kind:\n";

static const char help_tail[] =
	"  -m, --min=PERCENT    hide what cost less of the run (default 1)\n"
	"  -a, --all            hide nothing\n"
	"  -w, --with=TRACE     take the kernel's side from a trace of LTTng's or trace-cmd's\n"
	"  -h, --help           this text\n"
	"\n"
	"  tandem findings tandem-app-20261120-100000\n"
	"  tandem findings --format json DIR | jq '.findings[0].do'\n";

static const char *const formats[] = {"text", "json", NULL};
enum { FORMAT_TEXT, FORMAT_JSON };

struct arguments {
	int format;
	const char *kind;
	double least_percent;
	const char *path, *with;
};

static int print_help(void)
{
	fputs(help_head, stdout);
	for (size_t i = 0; finding_kinds[i]; i++)
		printf("                         %-13s %s\n", finding_kinds[i]->name,
		       finding_kinds[i]->words);
	fputs(help_tail, stdout);
	return CLI_DONE;
}

static int set_kind(struct arguments *arguments, const char *name)
{
	for (size_t i = 0; finding_kinds[i]; i++) {
		if (!strcmp(finding_kinds[i]->name, name)) {
			arguments->kind = name;
			return 0;
		}
	}
	cli_error("--kind %s: there is no such kind of finding; --help lists them", name);
	return cli_usage("findings");
}

static int set_least(struct arguments *arguments, const char *text)
{
	char *rest;

	arguments->least_percent = strtod(text, &rest);
	if (rest != text && !*rest && isfinite(arguments->least_percent))
		return 0;
	cli_error("--min %s: not a number of per cent", text);
	return cli_usage("findings");
}

static int read_arguments(struct arguments *arguments, int argc, char **argv)
{
	static const struct option options[] = {
		{"format", required_argument, NULL, 'f'}, {"kind", required_argument, NULL, 'k'},
		{"min", required_argument, NULL, 'm'},	  {"all", no_argument, NULL, 'a'},
		{"with", required_argument, NULL, 'w'}, {"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int option, status = 0;

	optind = 0;
	while (!status && (option = getopt_long(argc, argv, "f:k:m:aw:h", options, NULL)) != -1) {
		switch (option) {
		case 'f':
			arguments->format = cli_parse_word(optarg, formats);
			if (arguments->format < 0) {
				cli_error("--format %s: it is text or json", optarg);
				return cli_usage("findings");
			}
			break;
		case 'k':
			status = set_kind(arguments, optarg);
			break;
		case 'm':
			status = set_least(arguments, optarg);
			break;
		case 'a':
			arguments->least_percent = 0;
			break;
		case 'w':
			arguments->with = optarg;
			break;
		case 'h':
			print_help();
			return -ECANCELED;
		default:
			return cli_usage("findings");
		}
	}
	if (status)
		return status;
	if (argc - optind != 1) {
		cli_error(argc == optind ? "which session? give its directory"
					 : "one session at a time, please");
		return cli_usage("findings");
	}
	arguments->path = argv[optind];
	return 0;
}

static void write_json(struct text *out, const struct findings *findings,
		       const struct arguments *arguments)
{
	struct json json;

	json_init(&json, out, true);
	json_begin_object(&json, NULL);
	json_unsigned(&json, "duration_ns", findings->duration_ns);
	findings_json_print(&json, findings, arguments->least_percent);
	findings_json_replays(&json, findings);
	json_end_object(&json);
	text_add_char(out, '\n');
}

static int write_findings(const struct arguments *arguments, const struct findings *findings)
{
	struct findings_style style = {
		.least_percent = arguments->least_percent,
		.colour = cli_colour(STDOUT_FILENO),
	};
	struct text out = TEXT_INIT;
	int status;

	if (arguments->format == FORMAT_JSON)
		write_json(&out, findings, arguments);
	else
		findings_text_print(&out, findings, &style);
	status = reading_write(&out);
	text_free(&out);
	return status == -EPIPE ? CLI_DONE : status;
}

int cmd_findings(int argc, char **argv)
{
	struct arguments arguments = {.least_percent = 1};
	struct reading reading;
	struct progress progress = {.tell = reading_progress, .user = &reading};
	struct error error = ERROR_INIT;
	struct findings findings;
	int status = read_arguments(&arguments, argc, argv);

	if (status)
		return status == -ECANCELED ? CLI_DONE : status;
	if (reading_open(&reading, arguments.path) || reading_with(&reading, arguments.with))
		return CLI_FAILED;
	status = findings_make(&findings, &reading.session, arguments.kind, &progress, &error);
	reading_progress_end(&reading);
	if (status) {
		status = cli_fail(&error);
	} else {
		status = write_findings(&arguments, &findings);
		findings_free(&findings);
	}
	reading_close(&reading);
	return status;
}
