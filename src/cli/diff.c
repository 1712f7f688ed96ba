/* tandem diff: two sides of recorded runs, beside each other. */
#include "analysis/diff/diff.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/diff_tables.h"
#include "cli/diff_text.h"
#include "cli/reading.h"

static const char help[] =
	"Usage: tandem diff [options] A B\n"
	"       tandem diff [options] A... -- B...\n"
	"\n"
	"Says what changed from the runs A to the runs B: in total, by API function, by\n"
	"operation of the devices and by finding, the largest change first, and whether it\n"
	"is more than chance. Several runs on each side are surer than one.\n"
	"\n"
	"  -f, --format=FORMAT  text (default), json or csv\n"
	"  -t, --table=NAME     only this table: total, api, device, findings\n"
	"  -p, --p=P            a change counts when chance alone would show one so large\n"
	"                       less often than this (default 0.05)\n"
	"  -m, --min=PERCENT    ... when it is at least so much of what it was (default 5)\n"
	"  -r, --min-run=PERCENT  ... and at least so much of the run (default 0.5)\n"
	"  -n, --top=N          rows of each table in text (default 10; 0: all)\n"
	"  -h, --help           this text\n"
	"\n"
	"  tandem diff before after\n"
	"  tandem diff before-1 before-2 before-3 -- after-1 after-2 after-3\n"
	"  tandem diff --format json A B | jq '.device[] | select(.significant)'\n";

static const char *const formats[] = {"text", "json", "csv", NULL};
enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

static const char *const table_names[] = {
#define X(constant, name, words) name,
	DIFF_TABLES(X)
#undef X
	NULL,
};

struct arguments {
	int format;
	int table; /* enum diff_kind; -1: all */
	uint64_t top;
	struct diff_options options;
	char **paths[DIFF_SIDES];
	size_t counts[DIFF_SIDES];
};

static int set_number(double *number, const char *option, const char *text, double most)
{
	char *rest;

	*number = strtod(text, &rest);
	if (rest != text && !*rest && *number >= 0 && *number <= most)
		return 0;
	cli_error("%s %s: not a number from 0 to %g", option, text, most);
	return cli_usage("diff");
}

static int set_word(int *word, const char *option, const char *text, const char *const *words,
		    const char *known)
{
	*word = cli_parse_word(text, words);
	if (*word >= 0)
		return 0;
	cli_error("%s %s: it is %s", option, text, known);
	return cli_usage("diff");
}

/* The options up to argc; those that are none come last, from optind on. */
static int read_options(struct arguments *arguments, int argc, char **argv)
{
	static const struct option options[] = {
		{"format", required_argument, NULL, 'f'}, {"table", required_argument, NULL, 't'},
		{"p", required_argument, NULL, 'p'},	  {"min", required_argument, NULL, 'm'},
		{"min-run", required_argument, NULL, 'r'},
		{"top", required_argument, NULL, 'n'},	  {"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int option, status = 0;

	optind = 0;
	while (!status && (option = getopt_long(argc, argv, "f:t:p:m:r:n:h", options, NULL)) != -1) {
		switch (option) {
		case 'f':
			status = set_word(&arguments->format, "--format", optarg, formats,
					  "text, json or csv");
			break;
		case 't':
			status = set_word(&arguments->table, "--table", optarg, table_names,
					  "total, api, device or findings");
			break;
		case 'p':
			status = set_number(&arguments->options.most_p, "--p", optarg, 1);
			break;
		case 'm':
			status = set_number(&arguments->options.least_percent, "--min", optarg,
					    1e9);
			break;
		case 'r':
			status = set_number(&arguments->options.least_run_percent, "--min-run",
					    optarg, 1e9);
			break;
		case 'n':
			if (cli_parse_number(optarg, UINT32_MAX, &arguments->top)) {
				cli_error("--top %s: not a number of rows", optarg);
				status = cli_usage("diff");
			}
			break;
		case 'h':
			cli_help(help);
			return -ECANCELED;
		default:
			return cli_usage("diff");
		}
	}
	return status;
}

static int read_arguments(struct arguments *arguments, int argc, char **argv)
{
	int sides = 1, status;

	/* getopt would take the -- away, and what stood on which side of it. */
	while (sides < argc && strcmp(argv[sides], "--"))
		sides++;
	status = read_options(arguments, sides, argv);
	if (status)
		return status;
	arguments->paths[DIFF_A] = argv + optind;
	arguments->counts[DIFF_A] = (size_t)(sides - optind);
	if (sides < argc) {
		argv[sides] = argv[0]; /* the name before getopt's complaints */
		status = read_options(arguments, argc - sides, argv + sides);
		if (status)
			return status;
		arguments->paths[DIFF_B] = argv + sides + optind;
		arguments->counts[DIFF_B] = (size_t)(argc - sides - optind);
	} else if (arguments->counts[DIFF_A] == 2) {
		arguments->paths[DIFF_B] = arguments->paths[DIFF_A] + 1;
		arguments->counts[DIFF_A] = arguments->counts[DIFF_B] = 1;
	}
	if (arguments->counts[DIFF_A] && arguments->counts[DIFF_B])
		return 0;
	cli_error(arguments->counts[DIFF_A] > 2
			  ? "which of these are A and which B? put -- between them"
			  : "which sessions? give two directories, or several with -- between "
			    "the sides");
	return cli_usage("diff");
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
	if (reading_report(&reading, &options, &report, wanted ? &findings : NULL)) {
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
		.table = -1, .top = 10, .options = {0.05, 5, 0.5}};
	struct diff diff;
	int status = read_arguments(&arguments, argc, argv);

	if (status)
		return status == -ECANCELED ? CLI_DONE : status;
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
