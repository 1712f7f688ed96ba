/* tandem export: recorded sessions in other tools' formats. */
#include "export/export.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/export_html.h"
#include "cli/reading.h"
#include "util/units.h"

static const char help_head[] =
	"Usage: tandem export --format FORMAT [options] DIR...\n"
	"\n"
	"Writes recorded sessions in another tool's format. Several sessions of one machine\n"
	"come out on one axis of time.\n"
	"\n"
	"  -f, --format=FORMAT  one of these:\n";

static const char help_tail[] =
	"  -o, --output=OUT     where to; - is the standard output (default: the name of the\n"
	"                       first session with the format's suffix, in this folder)\n"
	"  -w, --with=TRACE     take the kernel's side from a trace of LTTng's or trace-cmd's\n"
	"                       (its directory or file) of the same time and machine\n"
	"      --join           put sessions of different machines or boots on one axis by\n"
	"                       their times of day; else each begins where the first does\n"
	"  -q, --quiet          say nothing of what was written\n"
	"  -h, --help           this text\n"
	"\n"
	"  tandem export --format perfetto tandem-app-20261120-100000\n"
	"  tandem export --format chrome -o - DIR | gzip >trace.json.gz\n";

enum { OPTION_JOIN = 256 };

struct arguments {
	const struct export_ops *ops;
	const char *out, *with;
	bool join, quiet;
	char **paths;
	size_t path_count;
};

/* The formats of the exports, and the page of the timeline, which is made
 * otherwise. NULL behind the last one. */
static const struct export_ops *format_at(size_t i)
{
	size_t count = 0;

	while (export_formats[count])
		count++;
	if (i < count)
		return export_formats[i];
	return i == count ? &export_html : NULL;
}

static int print_help(void)
{
	const struct export_ops *ops;

	fputs(help_head, stdout);
	for (size_t i = 0; (ops = format_at(i)); i++)
		printf("                         %-10s %s\n", ops->name, ops->words);
	fputs(help_tail, stdout);
	return CLI_DONE;
}

static int set_format(struct arguments *arguments, const char *name)
{
	const struct export_ops *ops;
	struct text known = TEXT_INIT;

	for (size_t i = 0; (ops = format_at(i)); i++) {
		if (!strcmp(ops->name, name)) {
			arguments->ops = ops;
			return 0;
		}
		text_format(&known, "%s%s", i ? ", " : "", ops->name);
	}
	cli_error("--format %s: it is one of %s", name, known.data ? known.data : "");
	text_free(&known);
	return cli_usage("export");
}

static int read_arguments(struct arguments *arguments, int argc, char **argv)
{
	static const struct option options[] = {
		{"format", required_argument, NULL, 'f'},
		{"output", required_argument, NULL, 'o'},
		{"with", required_argument, NULL, 'w'},
		{"join", no_argument, NULL, OPTION_JOIN},
		{"quiet", no_argument, NULL, 'q'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int option;

	optind = 0;
	while ((option = getopt_long(argc, argv, "f:o:w:qh", options, NULL)) != -1) {
		switch (option) {
		case 'f':
			if (set_format(arguments, optarg))
				return CLI_USAGE;
			break;
		case 'o':
			arguments->out = optarg;
			break;
		case 'w':
			arguments->with = optarg;
			break;
		case OPTION_JOIN:
			arguments->join = true;
			break;
		case 'q':
			arguments->quiet = true;
			break;
		case 'h':
			print_help();
			return -ECANCELED;
		default:
			return cli_usage("export");
		}
	}
	arguments->paths = argv + optind;
	arguments->path_count = (size_t)(argc - optind);
	if (!arguments->ops)
		cli_error("which format? give --format");
	else if (!arguments->path_count)
		cli_error("which session? give its directory");
	else if (arguments->ops->own_output && arguments->out && !strcmp(arguments->out, "-"))
		cli_error("--format %s cannot go to the standard output", arguments->ops->name);
	else
		return 0;
	return cli_usage("export");
}

/* "/tmp/session/" -> "session.json"; the caller frees it. */
static char *default_out(const struct arguments *arguments)
{
	const char *path = arguments->paths[0];
	size_t end = strlen(path), begin;
	char *out = NULL;

	while (end > 1 && path[end - 1] == '/')
		end--;
	for (begin = end; begin && path[begin - 1] != '/'; begin--)
		;
	if (begin == end || (end - begin <= 2 && !strncmp(path + begin, "..", end - begin)))
		path = "session", begin = 0, end = strlen(path);
	return asprintf(&out, "%.*s%s", (int)(end - begin), path + begin,
			arguments->ops->suffix) < 0
		       ? NULL
		       : out;
}

static int say_result(const struct arguments *arguments, const char *out,
		      const struct export_result *result)
{
	char events[UNITS_BYTES], bytes[UNITS_BYTES];
	struct text line = TEXT_INIT;

	text_format(&line, "wrote %s events to ", units_count(events, result->events));
	text_escape(&line, out, strlen(out));
	if (result->bytes)
		text_format(&line, " (%s)", units_bytes(bytes, (double)result->bytes));
	if (!arguments->quiet)
		cli_note("%s", line.data ? line.data : "");
	text_free(&line);
	if (result->apart)
		cli_note("%zu of the sessions %s of another machine or boot: shown from the first "
			 "one's start on; --join puts them together by their times of day",
			 result->apart, result->apart == 1 ? "is" : "are");
	return CLI_DONE;
}

static int make(const struct export_request *request, struct reading *readings,
		struct export_result *result)
{
	struct error error = ERROR_INIT;
	int status;

	if (request->ops == &export_html)
		return export_html_make(request, readings, result);
	status = export_make(request, result, &error);
	reading_progress_end(&readings[0]);
	return status ? cli_fail(&error) : CLI_DONE;
}

static int export_readings(const struct arguments *arguments, struct reading *readings)
{
	struct trace_session *sessions[arguments->path_count];
	struct progress progress = {.tell = reading_progress, .user = &readings[0]};
	char *out = arguments->out ? strdup(arguments->out) : default_out(arguments);
	struct export_request request = {
		.ops = arguments->ops,
		.out = out,
		.sessions = sessions,
		.session_count = arguments->path_count,
		.join = arguments->join,
		.progress = &progress,
	};
	struct export_result result;
	int status = CLI_FAILED;

	for (size_t i = 0; i < arguments->path_count; i++)
		sessions[i] = &readings[i].session;
	if (!out)
		cli_error("out of memory");
	else if (make(&request, readings, &result) == CLI_DONE)
		status = say_result(arguments, out, &result);
	free(out);
	return status;
}

int cmd_export(int argc, char **argv)
{
	struct arguments arguments = {.ops = NULL};
	int status = read_arguments(&arguments, argc, argv);
	struct reading *readings;
	size_t opened = 0;

	if (status)
		return status == -ECANCELED ? CLI_DONE : status;
	readings = calloc(arguments.path_count, sizeof(*readings));
	if (!readings)
		return cli_error("out of memory");
	while (opened < arguments.path_count && !status) {
		status = reading_open(&readings[opened], arguments.paths[opened]);
		if (!status)
			status = reading_with(&readings[opened], arguments.with);
		opened += !status;
	}
	if (!status)
		status = export_readings(&arguments, readings);
	while (opened)
		reading_close(&readings[--opened]);
	free(readings);
	return status;
}
