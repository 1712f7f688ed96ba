/* SPDX-License-Identifier: MIT */
/* tandem findings: what is wrong in a session, and what it cost. */
#include "analysis/findings/finding.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/findings/findings_print.h"
#include "cli/live.h"
#include "cli/options/options.h"
#include "cli/options/part.h"
#include "cli/reading.h"

static const char *kind_at(size_t number, const char **about)
{
	if (!finding_kinds[number])
		return NULL;
	*about = finding_kinds[number]->words;
	return finding_kinds[number]->name;
}

#define FINDINGS_OPTIONS(X)                                                              \
	X(format, 'f', "FORMAT", WORD("text json"), "%s (default: text)")                \
	X(kind, 'k', "KIND", WORD_AT(kind_at), "only findings of this kind:")            \
	X(min, 'm', "PERCENT", TEXT("2"), "hide what cost less of the run (default 2)")  \
	X(all, 'a', NULL, FLAG, "hide nothing")                                          \
	PART_OPTIONS(X)                                                                  \
	X(live, 0, NULL, FLAG, "while it is recorded: again each second, until it ends") \
	X(with, 'w', "TRACE", FILE_NAME, "use kernel events from an LTTng or trace-cmd trace")

OPTIONS(FINDINGS_OPTIONS)

const struct command command_findings = {
	.name = "findings",
	.usage = "[options] [DIR]",
	.about =
		"Says what is wrong in a recorded session: what, where, what it cost, what caused\n"
		"it, the confidence, and a suggestion. The order is by the cost times the\n"
		"confidence. Costs of different findings may overlap: they do not add up.\n",
	.examples = "  tandem findings tandem-app-20261120-100000\n"
		    "  tandem findings --range step/2 DIR\n"
		    "  tandem findings --format json DIR | jq '.findings[0].suggestion'\n",
	.column = 23,
	COMMAND_OPTIONS,
	.operands = OPERAND_SESSION,
};

enum { FORMAT_TEXT, FORMAT_JSON };

struct arguments {
	int format;
	const char *kind;
	double least_percent;
	bool live, goes_on; /* the latter: this is not the last time */
	struct part part;
	const char *path, *with;
};

static int set_least(struct arguments *arguments, const char *text)
{
	char *rest;

	arguments->least_percent = strtod(text, &rest);
	if (rest != text && !*rest && arguments->least_percent >= 0 &&
	    isfinite(arguments->least_percent))
		return 0;
	return option_refuse("--min", text, "a percentage, not below 0");
}

static int handle_option(void *user, unsigned option, const char *value, int word)
{
	struct arguments *arguments = user;

	switch (option) {
	case OPTION_format:
		arguments->format = word;
		return 0;
	case OPTION_kind:
		if (arguments->kind)
			return option_refuse("--kind", value, "one kind; without it, all");
		arguments->kind = value;
		return 0;
	case OPTION_min:
		return set_least(arguments, value);
	case OPTION_all:
		arguments->least_percent = 0;
		return 0;
	case OPTION_from:
	case OPTION_to:
	case OPTION_range:
		return part_option(&arguments->part, option_rows[option].name, value);
	case OPTION_live:
		arguments->live = true;
		return 0;
	default:
		arguments->with = value;
		return 0;
	}
}

static int read_arguments(struct arguments *arguments, int argc, char **argv)
{
	int status = options_parse_session(&command_findings, argc, argv, handle_option, arguments,
					   &arguments->path);

	if (!status && arguments->live && arguments->with) {
		cli_error("--live shows the session's own events; omit --with");
		return options_wrong(&command_findings);
	}
	return status ? status : part_check(&arguments->part, &command_findings);
}

static void write_json(struct text *out, const struct findings *findings,
		       const struct arguments *arguments)
{
	struct json json;

	json_init(&json, out, true);
	json_begin_object(&json, NULL);
	json_unsigned(&json, "duration_ns", findings->duration_ns);
	json_unsigned(&json, "replay_error_ns", findings->replay_error_ns);
	json_unsigned(&json, "recording_ns", findings->recording_ns);
	findings_json_print(&json, findings, arguments->least_percent);
	findings_json_replays(&json, findings);
	json_end_object(&json);
	text_add_char(out, '\n');
}

static int write_findings(const struct reading *reading, const struct arguments *arguments,
			  const struct findings *findings)
{
	struct findings_style style = {
		.least_percent = arguments->least_percent,
		.colour = cli_colour(STDOUT_FILENO),
		.width = cli_width(STDOUT_FILENO),
	};
	struct text out = TEXT_INIT;
	int status;

	if (arguments->live)
		live_text_begin(&out);
	if (arguments->format == FORMAT_JSON)
		write_json(&out, findings, arguments);
	else if (!findings->count && !reading_has_events(reading))
		text_add_string(&out, "Nothing to examine: no GPU API calls were recorded.\n");
	else
		findings_text_print(&out, findings, &style);
	if (arguments->goes_on)
		live_text_cut(&out);
	status = reading_write(&out);
	text_free(&out);
	return status == -EPIPE ? CLI_DONE : status;
}

static int show_findings(struct reading *reading, const struct arguments *arguments)
{
	struct progress progress = {.tell = reading_progress, .user = reading};
	struct range range;
	const struct findings_options options = {
		.only = arguments->kind, .range = &range, .progress = &progress};
	struct error error = ERROR_INIT;
	struct findings findings;
	int status = part_find_monotonic(&arguments->part, reading, &range);

	if (status)
		return status;
	status = findings_make(&findings, &reading->session, &options, &error);
	reading_progress_end(reading);
	if (status)
		return cli_fail(&error);
	status = write_findings(reading, arguments, &findings);
	findings_free(&findings);
	return status;
}

static int show_once(const struct arguments *arguments, const char *path)
{
	struct reading reading;
	int status;

	if (reading_open(&reading, path) || reading_with(&reading, arguments->with))
		return CLI_FAILED;
	status = show_findings(&reading, arguments);
	reading_close(&reading);
	return status;
}

static int show_look(void *user, const struct live *live, bool goes_on)
{
	struct arguments *arguments = user;

	arguments->goes_on = goes_on;
	return show_once(arguments, live->session);
}

int cmd_findings(int argc, char **argv)
{
	struct arguments arguments = {.least_percent = FINDING_LEAST_PERCENT, .part = PART_WHOLE};
	int status = read_arguments(&arguments, argc, argv);

	if (status)
		return options_status(status);
	return arguments.live ? live_show(arguments.path, show_look, &arguments)
			      : show_once(&arguments, arguments.path);
}
