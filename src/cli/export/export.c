/* SPDX-License-Identifier: MIT */
/* tandem export: recorded sessions in other tools' formats. */
#include "export/export.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/export/export_html.h"
#include "cli/newest.h"
#include "cli/options/options.h"
#include "cli/options/part.h"
#include "cli/reading.h"
#include "util/units.h"

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

static const char *format_name_at(size_t number, const char **about)
{
	const struct export_ops *ops = format_at(number);

	if (!ops)
		return NULL;
	*about = ops->words;
	return ops->name;
}

#define EXPORT_OPTIONS(X)                                                                  \
	X(format, 'f', "FORMAT", WORD_AT(format_name_at), "one of these:")                 \
	X(output, 'o', "OUT", FILE_NAME,                                                   \
	  "where to; - is the standard output (default: the name of the first session "    \
	  "with the format's suffix, in this folder)")                                     \
	X(with, 'w', "TRACE", FILE_NAME,                                                   \
	  "use kernel events from an LTTng or trace-cmd trace (its directory or file) of " \
	  "the same time and machine")                                                     \
	PART_OPTIONS(X)                                                                    \
	X(join, 0, NULL, FLAG,                                                             \
	  "put sessions of different machines or boots on one axis by their times of "     \
	  "day; else each begins where the first does")                                    \
	X(quiet, 'q', NULL, FLAG, "quiet: do not report what was written")

OPTIONS(EXPORT_OPTIONS)

const struct command command_export = {
	.name = "export",
	.usage = "--format FORMAT [options] [DIR...]",
	.about = "Writes recorded sessions in another tool's format. Several sessions of one\n"
		 "machine come out on one axis of time.\n",
	.examples = "  tandem export --format perfetto tandem-app-20261120-100000\n"
		    "  tandem export --format chrome -o - DIR | gzip >trace.json.gz\n",
	.column = 23,
	COMMAND_OPTIONS,
	.operands = OPERAND_SESSIONS,
};

struct arguments {
	const struct export_ops *ops;
	const char *out, *with;
	bool join, quiet;
	struct part part;
	char **paths, *newest; /* newest: where no session is given */
	size_t path_count;
};

static int handle_option(void *user, unsigned option, const char *value, int word)
{
	struct arguments *arguments = user;

	switch (option) {
	case OPTION_format:
		arguments->ops = format_at((size_t)word);
		return 0;
	case OPTION_output:
		arguments->out = value;
		return 0;
	case OPTION_with:
		arguments->with = value;
		return 0;
	case OPTION_from:
	case OPTION_to:
	case OPTION_range:
		return part_option(&arguments->part, option_rows[option].name, value);
	case OPTION_join:
		arguments->join = true;
		return 0;
	default:
		arguments->quiet = true;
		return 0;
	}
}

static int read_arguments(struct arguments *arguments, int argc, char **argv)
{
	int first = options_parse(&command_export, argc, argv, handle_option, arguments);

	if (first < 0)
		return first;
	arguments->paths = argv + first;
	arguments->path_count = (size_t)(argc - first);
	if (arguments->ops && !arguments->path_count) {
		arguments->newest = (char *)(uintptr_t)newest_session();
		if (!arguments->newest)
			return options_wrong(&command_export);
		arguments->paths = &arguments->newest;
		arguments->path_count = 1;
	}
	if (!arguments->ops)
		return option_missing(&command_export, &option_rows[OPTION_format]);
	if (arguments->ops->own_output && arguments->out && !strcmp(arguments->out, "-"))
		cli_error("--format %s cannot go to the standard output", arguments->ops->name);
	else
		return part_check(&arguments->part, &command_export);
	return options_wrong(&command_export);
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
	return asprintf(&out, "%.*s%s", (int)(end - begin), path + begin, arguments->ops->suffix) <
			       0
		       ? NULL
		       : out;
}

static int say_result(const struct arguments *arguments, const char *out,
		      const struct export_result *result)
{
	char bytes[UNITS_BYTES];
	struct text line = TEXT_INIT;

	text_add_string(&line, "wrote ");
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
	struct range ranges[arguments->path_count];
	struct progress progress = {.tell = reading_progress, .user = &readings[0]};
	char *out = arguments->out ? strdup(arguments->out) : default_out(arguments);
	struct export_request request = {
		.ops = arguments->ops,
		.out = out,
		.sessions = sessions,
		.session_count = arguments->path_count,
		.ranges = ranges,
		.range_name = arguments->part.name,
		.join = arguments->join,
		.progress = &progress,
	};
	struct export_result result;
	int status = CLI_DONE;

	for (size_t i = 0; !status && i < arguments->path_count; i++) {
		sessions[i] = &readings[i].session;
		status = part_find_monotonic(&arguments->part, &readings[i], &ranges[i]);
	}
	if (status) {
		free(out);
		return status;
	}
	status = CLI_FAILED;
	if (!out)
		cli_error("out of memory");
	else if (make(&request, readings, &result) == CLI_DONE)
		status = say_result(arguments, out, &result);
	free(out);
	return status;
}

int cmd_export(int argc, char **argv)
{
	struct arguments arguments = {.ops = NULL, .part = PART_WHOLE};
	int status = read_arguments(&arguments, argc, argv);
	struct reading *readings;
	size_t opened = 0;

	if (status)
		return options_status(status);
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
