/* SPDX-License-Identifier: MIT */
#include "cli/diff/diff_text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/colour.h"
#include "cli/diff/diff_tables.h"
#include "cli/table.h"
#include "cli/wrapped.h"
#include "util/order/compare.h"
#include "util/units.h"

/* The words of a command line, where the terminal has no width. */
#define TITLE_MOST_WIDTH 200
#define NAME_MOST_WIDTH 72
#define SENTENCES_MOST 10

static void add_escaped(struct text *out, const char *string)
{
	text_escape(out, string, strlen(string));
}

static bool is_pair(const struct diff *diff)
{
	return diff->run_count[DIFF_A] == 1 && diff->run_count[DIFF_B] == 1;
}

/* "range step/2, 12.0 ms of a run of 1.50 s, from 1.00 s on" */
static void add_part(struct text *out, const struct diff *diff, int side)
{
	const struct diff_run *first = &diff->runs[side][0];
	char part[UNITS_BYTES], run[UNITS_BYTES], from[UNITS_BYTES];
	double runs = (double)diff->run_count[side], part_ns = 0, run_ns = 0;

	for (size_t i = 0; i < diff->run_count[side]; i++) {
		part_ns += (double)(diff->runs[side][i].to_ns - diff->runs[side][i].from_ns);
		run_ns += diff->runs[side][i].duration_ns;
	}
	if (diff->options.ranges[side]) {
		text_format(out, "range %s, ", diff->options.ranges[side]);
	}
	units_ns(part, part_ns / runs);
	units_ns(run, run_ns / runs);
	if (diff->run_count[side] > 1)
		text_format(out, "parts of %s of %zu runs of %s", part, diff->run_count[side], run);
	else
		text_format(out, "%s of a run of %s, from %s on", part, run,
			    units_ns(from, (double)first->from_ns));
}

/* Where and when, and for how long. */
static void add_run_line(struct text *line, const struct diff *diff, int side)
{
	const struct diff_run *first = &diff->runs[side][0];
	char buffer[UNITS_BYTES];
	double sum = 0;

	for (size_t i = 0; i < diff->run_count[side]; i++)
		sum += diff->runs[side][i].duration_ns;
	if (*first->host)
		text_format(line, "on %s, ", first->host);
	if (strchr(first->start, 'T')) {
		const char *time = strchr(first->start, 'T') + 1;

		text_add(line, first->start, strcspn(first->start, "T"));
		text_add_char(line, ' ');
		text_add(line, time, strcspn(time, ".+Z"));
		text_add_string(line, ", ");
	}
	if (diff->options.parts[side])
		add_part(line, diff, side);
	else if (diff->run_count[side] > 1)
		text_format(line, "%zu runs of %s", diff->run_count[side],
			    units_ns(buffer, sum / (double)diff->run_count[side]));
	else
		text_format(line, "ran %s", units_ns(buffer, sum));
}

static void add_side(struct text *out, const struct diff *diff, int side, bool colour, size_t width)
{
	const struct diff_run *first = &diff->runs[side][0];
	struct text line = TEXT_INIT;

	text_format(out, "%s%s  ", colour_begin(colour, COLOUR_BOLD), side ? "B" : "A");
	table_add_cut(out, *first->command ? first->command : first->path,
		      width > 3 ? width - 3 : TITLE_MOST_WIDTH);
	text_format(out, "%s\n   ", colour_end(colour));
	add_run_line(&line, diff, side);
	wrapped_add(out, line.failed ? "" : line.data, 3, 3, width ? width : SIZE_MAX);
	text_free(&line);
}

static void add_notes(struct text *out, const struct diff *diff, bool colour, size_t width)
{
	for (const char *at = diff->notes.data; at && *at;) {
		size_t length = strcspn(at, "\n");
		struct text note = TEXT_INIT;

		text_add(&note, at, length);
		text_format(out, "   %s", colour_begin(colour, COLOUR_YELLOW));
		wrapped_add(out, note.data ? note.data : "", 3, 3, width ? width : SIZE_MAX);
		text_add_string(out, colour_end(colour));
		text_free(&note);
		at += length + (at[length] == '\n');
	}
}

static void add_p(struct text *out, double p)
{
	if (p < 0.0001)
		text_add_string(out, "p below 0.0001");
	else
		text_format(out, "p %.2g", p);
}

/* The run as a whole: what everybody asks first. */
static void add_run(struct text *out, const struct diff *diff)
{
	const struct diff_row *row = &diff->tables[DIFF_TOTAL].rows[0];
	const char *what = diff_has_parts(diff) ? "part" : "run";
	char a[UNITS_BYTES], b[UNITS_BYTES], by[UNITS_BYTES];

	if (fabs(row->difference_ns) < 1) {
		text_format(out, "Both %ss took %s.\n", what,
			    units_ns(a, row->side[DIFF_A].total_ns));
		return;
	}
	text_format(
		out, "The %s took %s %s: %s, then %s", what, units_ns(by, fabs(row->difference_ns)),
		row->difference_ns < 0 ? "less" : "more", units_ns(a, row->side[DIFF_A].total_ns),
		units_ns(b, row->side[DIFF_B].total_ns));
	if (isfinite(row->change_percent))
		text_format(out, " (%+.1f %%)", row->change_percent);
	if (isnan(row->p)) {
		text_add_string(out, "; one run per side is not enough to judge significance.\n");
		return;
	}
	text_add_string(out, row->significant ? "; significant, " : "; not significant, ");
	add_p(out, row->p);
	text_add_string(out, ".\n");
}

/* "kernel mandelbrot" */
static void add_name(struct text *out, enum diff_kind kind, const struct diff_row *row)
{
	if (kind == DIFF_DEVICE || kind == DIFF_FINDINGS) {
		text_add_string(out, kind == DIFF_FINDINGS ? "finding " : "");
		add_escaped(out, row->kind);
		text_add_char(out, ' ');
	}
	add_escaped(out, row->name);
	if (kind == DIFF_FINDINGS && *row->device) {
		text_add_string(out, " of ");
		add_escaped(out, row->device);
	}
}

static void add_each(struct text *out, const struct diff_row *row, const char *statistic)
{
	char before[UNITS_BYTES], after[UNITS_BYTES];

	text_format(out, ": %s, then %s each, %s (%+.1f %%)",
		    units_ns(before, row->side[DIFF_A].each_ns),
		    units_ns(after, row->side[DIFF_B].each_ns), statistic, row->each_percent);
}

static void add_number(struct text *out, const struct diff_row *row, const char *before)
{
	const struct diff_value *a = &row->side[DIFF_A], *b = &row->side[DIFF_B];

	text_format(out, "%s%.*f times, then %.*f", before,
		    a->count < floor(a->count) + 0.05 ? 0 : 1, a->count,
		    b->count < floor(b->count) + 0.05 ? 0 : 1, b->count);
}

/* Copies of twice the size are no slower device. */
static void add_bytes(struct text *out, const struct diff_row *row)
{
	const struct diff_value *a = &row->side[DIFF_A], *b = &row->side[DIFF_B];
	char before[UNITS_BYTES], after[UNITS_BYTES];
	double least, most;

	if (!(a->bytes > 0 && b->bytes > 0))
		return;
	least = fmin(a->bytes / a->count, b->bytes / b->count);
	most = fmax(a->bytes / a->count, b->bytes / b->count);
	if (most >= 1.05 * least)
		text_format(out, "; %s, then %s each", units_bytes(before, a->bytes / a->count),
			    units_bytes(after, b->bytes / b->count));
}

static void add_verdict(struct text *out, enum diff_kind kind, const struct diff_row *row,
			const char *statistic)
{
	const char *often = strstr(row->verdict, "more often") ? "more often" : "less often";
	bool time = !strncmp(row->verdict, "slower", 6) || !strncmp(row->verdict, "faster", 6);
	bool number = strstr(row->verdict, "often") != NULL;

	if (kind == DIFF_FINDINGS || (!time && !number)) {
		text_format(out, "%s %s", strncmp(row->verdict, "costs", 5) ? " is" : "",
			    row->verdict);
		return;
	}
	if (time)
		text_format(out, " is %.6s%s", row->verdict, number ? " and" : "");
	if (number)
		text_format(out, " comes %s", often);
	if (time)
		add_each(out, row, statistic);
	if (number)
		add_number(out, row, time ? "; " : ": ");
	add_bytes(out, row);
}

static void add_sentence(struct text *to, enum diff_kind kind, const struct diff_row *row,
			 const char *statistic)
{
	unsigned width = cli_width(STDOUT_FILENO);
	struct text sentence = TEXT_INIT, *out = &sentence;
	bool time = !strncmp(row->verdict, "slower", 6) || !strncmp(row->verdict, "faster", 6);
	double p =
		kind == DIFF_FINDINGS ? fmin(row->p, row->count_p) : (time ? row->p : row->count_p);
	char buffer[UNITS_BYTES];

	add_name(out, kind, row);
	add_verdict(out, kind, row, statistic);
	text_format(out, "; %s%s in all", row->difference_ns < 0 ? "-" : "+",
		    units_ns(buffer, fabs(row->difference_ns)));
	if (!isnan(p)) {
		text_add_string(out, ", ");
		add_p(out, p);
	}
	text_add_string(out, ".");
	text_add_string(to, "  ");
	wrapped_add(to, sentence.data ? sentence.data : "", 4, 2, width ? width : SIZE_MAX);
	to->failed |= sentence.failed;
	text_free(&sentence);
}

struct sentence {
	enum diff_kind kind;
	const struct diff_row *row;
};

static int sentence_compare(const void *a, const void *b)
{
	const struct sentence *left = a, *right = b;
	double left_ns = fabs(left->row->difference_ns), right_ns = fabs(right->row->difference_ns);

	return COMPARE(right_ns, left_ns);
}

static void add_test(struct text *out, const struct diff *diff)
{
	const struct diff_options *options = &diff->options;

	text_format(out,
		    "Significant: p at most %g (%s, adjusted after Benjamini and Hochberg), and "
		    "a change of %g %% or more that is %g %% of the run.\n",
		    options->most_p, diff->statistic, options->least_percent,
		    options->least_run_percent);
	text_format(out, "\"each\" is the %s.\n",
		    is_pair(diff) ? "median of the means of batches of successive calls"
				  : "mean of the runs' means");
	if (is_pair(diff))
		text_add_string(out, "What varies from run to run is not in that: several runs a "
				     "side are more reliable (A... -- B...).\n");
}

/* Sentences that stand alone fit the terminal, too. */
static void add_wrapped(struct text *out, void (*add)(struct text *, const struct diff *),
			const struct diff *diff, size_t width)
{
	struct text lines = TEXT_INIT;
	char *line, *rest = NULL;

	add(&lines, diff);
	out->failed |= lines.failed;
	for (line = lines.data ? strtok_r(lines.data, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest))
		wrapped_add(out, line, 0, 0, width ? width : SIZE_MAX);
	text_free(&lines);
}

/* What changed, of all tables, the largest first. */
static void add_changes(struct text *out, const struct diff *diff, size_t width)
{
	struct sentence *sentences;
	struct text heading = TEXT_INIT;
	size_t all = 0, count = 0;

	for (int i = DIFF_API; i < DIFF_TABLE_COUNT; i++)
		all += diff->tables[i].significant;
	if (!all) {
		wrapped_add(out, "Nothing changed significantly in calls, operations and findings.",
			    0, 0, width ? width : SIZE_MAX);
		add_wrapped(out, add_test, diff, width);
		return;
	}
	sentences = calloc(all, sizeof(*sentences));
	for (int i = DIFF_API; sentences && i < DIFF_TABLE_COUNT; i++)
		for (size_t row = 0; row < diff->tables[i].count; row++)
			if (diff->tables[i].rows[row].significant && count < all)
				sentences[count++] =
					(struct sentence){i, &diff->tables[i].rows[row]};
	if (!sentences) {
		out->failed = true;
		return;
	}
	qsort(sentences, count, sizeof(*sentences), sentence_compare);
	text_format(&heading, "%zu change%s significant%s:", all, all == 1 ? " is" : "s are",
		    is_pair(diff) ? ", by the spread within the two runs" : "");
	wrapped_add(out, heading.data ? heading.data : "", 0, 0, width ? width : SIZE_MAX);
	text_free(&heading);
	for (size_t i = 0; i < count && i < SENTENCES_MOST; i++)
		add_sentence(out, sentences[i].kind, sentences[i].row, diff->each_statistic);
	if (count > SENTENCES_MOST)
		text_format(out, "  ... and %zu more, in the tables\n", count - SENTENCES_MOST);
	add_wrapped(out, add_test, diff, width);
	free(sentences);
}

static const char *const table_words[] = {
#define X(constant, name, words) words,
	DIFF_TABLES(X)
#undef X
};

void diff_text(struct text *out, const struct diff *diff, int table, size_t top, bool colour)
{
	struct table_style style = {
		.colour = colour,
		.indent = "  ",
		.most_rows = top,
		.most_width = NAME_MOST_WIDTH,
		.width = cli_width(STDOUT_FILENO),
	};

	if (table < 0) {
		add_side(out, diff, DIFF_A, colour, style.width);
		add_side(out, diff, DIFF_B, colour, style.width);
		add_notes(out, diff, colour, style.width);
		text_add_char(out, '\n');
		add_wrapped(out, add_run, diff, style.width);
		add_changes(out, diff, style.width);
	}
	for (int i = 0; i < DIFF_TABLE_COUNT; i++) {
		const struct diff_table *of = &diff->tables[i];

		if (table >= 0 ? table != i : !of->count)
			continue;
		text_format(out, "%s%s%s%s  %s%zu of %zu changed significantly",
			    table < 0 ? "\n" : "", colour_begin(colour, COLOUR_BOLD),
			    table_words[i], colour_end(colour), colour_begin(colour, COLOUR_DIM),
			    of->significant, of->count);
		style.hidden =
			table_context(out, &diff_tables[i], of->rows, of->count, style.width);
		text_format(out, "%s\n", colour_end(colour));
		table_text(out, &diff_tables[i], of->rows, of->count, &style);
	}
}
