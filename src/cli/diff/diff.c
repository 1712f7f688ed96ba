/* SPDX-License-Identifier: MIT */
/* tandem diff: two sides of recorded runs, beside each other. */
#include "analysis/diff/diff.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/diff/diff_tables.h"
#include "cli/diff/diff_text.h"
#include "cli/options/options.h"
#include "cli/options/part.h"
#include "cli/reading.h"

#define WORD_OF_(constant, name, words) name " "

#define DIFF_OPTIONS(X)                                                               \
	X(format, 'f', "FORMAT", WORD("text json csv"), "%s (default: text)")         \
	X(table, 't', "NAME", WORD(DIFF_TABLES(WORD_OF_)), "only this table: %s")     \
	X(p, 'p', "P", TEXT("0.05"), "significance level of a change (default 0.05)") \
	X(min, 'm', "PERCENT", TEXT("5"),                                             \
	  "a change counts when it is at least so much of what it was (default 5)")   \
	X(min_run, 'r', "PERCENT", TEXT("0.5"),                                       \
	  "... and at least so much of the run (default 0.5)")                        \
	PART_OPTIONS(X)                                                               \
	X(top, 'n', "N", TEXT(NULL), "rows of each table in text (default 10; 0: all)")

OPTIONS(DIFF_OPTIONS)

const struct command command_diff = {
	.name = "diff",
	.usage = "[options] A B\n[options] A... -- [options] B...",
	.about = "Says what changed from the runs A to the runs B: in total, by API function, by\n"
		 "operation of the devices and by finding, the largest change first, and whether\n"
		 "it is significant. Several runs on each side are more reliable than one.\n"
		 "--from, --to and --range after the -- are of B alone.\n",
	.examples = "  tandem diff before after\n"
		    "  tandem diff before-1 before-2 before-3 -- after-1 after-2 after-3\n"
		    "  tandem diff --range step/2 before after\n"
		    "  tandem diff --range step/2 run -- --range step/9 run\n"
		    "  tandem diff --format json A B | jq '.device[] | select(.significant)'\n",
	.column = 25,
	COMMAND_OPTIONS,
	.operands = OPERAND_SESSIONS,
};

enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

struct arguments {
	int format;
	int table; /* enum diff_kind; -1: all */
	uint64_t top;
	struct diff_options options;
	struct part parts[DIFF_SIDES];
	bool after, apart; /* the options after the -- are read; B has a part of its own */
	char **paths[DIFF_SIDES];
	size_t counts[DIFF_SIDES];
};

static int set_number(double *number, const char *option, const char *text, double most)
{
	char *rest, accepted[64];

	*number = strtod(text, &rest);
	if (rest != text && !*rest && *number >= 0 && *number <= most)
		return 0;
	snprintf(accepted, sizeof(accepted), "a number from 0 to %g", most);
	return option_refuse(option, text, accepted);
}

/* A part is of both sides; after the --, of B in place of that. */
static int set_part(struct arguments *arguments, const char *option, const char *value)
{
	if (arguments->after && !arguments->apart)
		arguments->parts[DIFF_B] = PART_WHOLE;
	arguments->apart = arguments->after;
	return part_option(&arguments->parts[arguments->after ? DIFF_B : DIFF_A], option, value);
}

static int handle_option(void *user, unsigned option, const char *value, int word)
{
	struct arguments *arguments = user;
	struct diff_options *options = &arguments->options;

	switch (option) {
	case OPTION_format:
		arguments->format = word;
		return 0;
	case OPTION_table:
		arguments->table = word;
		return 0;
	case OPTION_p:
		return set_number(&options->most_p, "--p", value, 1);
	case OPTION_min:
		return set_number(&options->least_percent, "--min", value, 1e9);
	case OPTION_min_run:
		return set_number(&options->least_run_percent, "--min-run", value, 1e9);
	case OPTION_from:
	case OPTION_to:
	case OPTION_range:
		return set_part(arguments, option_rows[option].name, value);
	default:
		return cli_parse_number(value, UINT32_MAX, &arguments->top)
			       ? option_refuse("--top", value, "a number of rows")
			       : 0;
	}
}

static int read_arguments(struct arguments *arguments, int argc, char **argv)
{
	int sides = 1, first;

	/* getopt would take the -- away, and what stood on which side of it. */
	while (sides < argc && strcmp(argv[sides], "--"))
		sides++;
	first = options_parse(&command_diff, sides, argv, handle_option, arguments);
	if (first < 0)
		return first;
	arguments->parts[DIFF_B] = arguments->parts[DIFF_A];
	arguments->after = true;
	arguments->paths[DIFF_A] = argv + first;
	arguments->counts[DIFF_A] = (size_t)(sides - first);
	if (sides < argc) {
		argv[sides] = argv[0]; /* the name before getopt's complaints */
		first = options_parse(&command_diff, argc - sides, argv + sides, handle_option,
				      arguments);
		if (first < 0)
			return first;
		arguments->paths[DIFF_B] = argv + sides + first;
		arguments->counts[DIFF_B] = (size_t)(argc - sides - first);
	} else if (arguments->counts[DIFF_A] == 2) {
		arguments->paths[DIFF_B] = arguments->paths[DIFF_A] + 1;
		arguments->counts[DIFF_A] = arguments->counts[DIFF_B] = 1;
	}
	if (arguments->counts[DIFF_A] && arguments->counts[DIFF_B]) {
		int answer = part_check(&arguments->parts[DIFF_A], &command_diff);

		return answer ? answer : part_check(&arguments->parts[DIFF_B], &command_diff);
	}
	cli_error(arguments->counts[DIFF_A] > 2
			  ? "which of these are A and which B? put -- between them"
			  : "two sessions needed, or several with -- between the sides");
	return options_wrong(&command_diff);
}

/* Reads one session, and keeps its numbers. Returns CLI_DONE or CLI_FAILED (told). */
static int add_run(struct diff *diff, enum diff_side side, const char *path,
		   const struct arguments *arguments)
{
	struct reading reading;
	struct report_options options = {.ranged = false};
	bool wanted = arguments->table < 0 || arguments->table == DIFF_FINDINGS;
	struct findings findings;
	struct report report;
	int status;

	if (reading_open(&reading, path))
		return CLI_FAILED;
	options.ranged = !part_is_whole(&arguments->parts[side]);
	if (part_find(&arguments->parts[side], &reading, &options.range) ||
	    reading_report(&reading, &options, &report, wanted ? &findings : NULL)) {
		reading_close(&reading);
		return CLI_FAILED;
	}
	status = diff_add(diff, side, &reading.session, &report, wanted ? &findings : NULL);
	if (wanted)
		findings_free(&findings);
	report_free(&report);
	reading_close(&reading);
	return status ? cli_error("%s: %s", path, strerror(-status)) : CLI_DONE;
}

static int print_diff(const struct diff *diff, const struct arguments *arguments)
{
	struct text out = TEXT_INIT;
	int status;

	if (arguments->format == FORMAT_JSON)
		diff_json(&out, diff, arguments->table);
	else if (arguments->format == FORMAT_CSV)
		diff_csv(&out, diff, arguments->table);
	else
		diff_text(&out, diff, arguments->table, (size_t)arguments->top,
			  cli_colour(STDOUT_FILENO));
	status = reading_write(&out);
	text_free(&out);
	return status == -EPIPE ? CLI_DONE : status;
}

int cmd_diff(int argc, char **argv)
{
	struct arguments arguments = {
		.table = -1,
		.top = 10,
		.options = {.most_p = 0.05, .least_percent = 5, .least_run_percent = 0.5},
		.parts = {PART_WHOLE, PART_WHOLE}};
	struct diff diff;
	int status = read_arguments(&arguments, argc, argv);

	if (status)
		return options_status(status);
	for (int side = 0; side < DIFF_SIDES; side++) {
		arguments.options.parts[side] = !part_is_whole(&arguments.parts[side]);
		arguments.options.ranges[side] = arguments.parts[side].name;
	}
	if (diff_init(&diff, arguments.counts, &arguments.options))
		return cli_error("out of memory");
	for (int side = 0; !status && side < DIFF_SIDES; side++)
		for (size_t i = 0; !status && i < arguments.counts[side]; i++)
			status = add_run(&diff, side, arguments.paths[side][i], &arguments);
	if (!status && diff_finish(&diff))
		status = cli_error("out of memory");
	if (!status)
		status = print_diff(&diff, &arguments);
	diff_free(&diff);
	return status;
}
