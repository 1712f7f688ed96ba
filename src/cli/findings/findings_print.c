/* SPDX-License-Identifier: MIT */
#include "cli/findings/findings_print.h"

#include <inttypes.h>
#include <string.h>

#include "cli/colour.h"
#include "cli/wrapped.h"
#include "util/units.h"

/* Lines are no longer than this. */
#define WIDTH 92u
#define INDENT "    "
#define BRIEF_INDENT 21u /* where the words of a brief one begin */

static void add_wrapped(struct text *out, const char *label, const char *words, size_t most)
{
	size_t indent = strlen(INDENT) + strlen(label);

	text_format(out, INDENT "%s", label);
	wrapped_add(out, words, indent, indent, most);
}

static void add_where(struct text *out, const struct finding *finding, size_t most)
{
	struct text where = TEXT_INIT;
	char begin[UNITS_BYTES], length[UNITS_BYTES];

	if (finding->pid && *finding->process) {
		text_escape(&where, finding->process, strlen(finding->process));
		text_add_string(&where, ", ");
	}
	if (finding->pid)
		text_format(&where, "process %" PRIu64, finding->pid);
	if (finding->tid)
		text_format(&where, ", thread %" PRIu64, finding->tid);
	if (finding->queue)
		text_format(&where, "%squeue %" PRIu64, where.length ? ", " : "", finding->queue);
	if (*finding->device)
		text_format(&where, "%s%s", where.length ? ", on " : "on ", finding->device);
	if (finding->timed && finding->end_ns == finding->begin_ns)
		text_format(&where, "%sat %s s", where.length ? ", " : "",
			    units_seconds(begin, finding->begin_ns));
	else if (finding->timed)
		text_format(&where, "%sfrom %s s, for %s", where.length ? ", " : "",
			    units_seconds(begin, finding->begin_ns),
			    units_ns(length, (double)(finding->end_ns - finding->begin_ns)));
	if (where.length && !where.failed)
		add_wrapped(out, "Location    ", where.data, most);
	text_free(&where);
}

static void add_cost(struct text *out, const struct finding *finding, const char *of)
{
	char cost[UNITS_BYTES];

	if (finding->cost_ns)
		text_format(out, "%s, %.1f %% of the %s", units_ns(cost, (double)finding->cost_ns),
			    finding->percent, of);
}

/* With `named`, of which process. */
static void add_brief(struct text *out, const struct finding *finding, bool named, bool colour,
		      size_t most)
{
	struct text of = TEXT_INIT;
	char cost[UNITS_BYTES];
	size_t width;

	text_add_string(&of, finding->name);
	if (named && finding->pid) {
		text_add_string(&of, ", ");
		text_escape(&of, finding->process, strlen(finding->process));
		text_format(&of, "%s%" PRIu64, *finding->process ? " " : "process ", finding->pid);
	}
	width = of.length ? utf8_count(of.data, of.length) : 0;
	text_format(out, "  %s", colour_begin(colour, COLOUR_YELLOW));
	if (finding->cost_ns)
		text_format(out, "%5.1f %%  %8s", finding->percent,
			    units_ns(cost, (double)finding->cost_ns));
	else
		text_format(out, "%7s  %8s", "", "");
	text_format(out, "%s  %s: ", colour_end(colour), of.length ? of.data : "");
	wrapped_add(out, finding->what, BRIEF_INDENT, BRIEF_INDENT + width + 2, most);
	text_free(&of);
}

/* With how many queues it would take how long. */
static void add_replay(struct text *out, const struct finding *finding, size_t most)
{
	struct text series = TEXT_INIT;
	char ns[UNITS_BYTES];

	for (size_t i = 0; i < finding->replay_count; i++)
		text_format(&series, "%s%zu: %s", i ? ", " : "", i + 1,
			    units_ns(ns, (double)finding->replay_ns[i]));
	add_wrapped(out, "By queues   ", series.data ? series.data : "", most);
	text_free(&series);
}

static void add_finding(struct text *out, const struct finding *finding, size_t number,
			const char *of, bool colour, size_t most)
{
	struct text confidence = TEXT_INIT;

	text_format(out, "\n%2zu. %s%s, %s%s%s", number, colour_begin(colour, COLOUR_BOLD),
		    finding->name, finding->cause, colour_end(colour),
		    finding->cost_ns ? "  " : "");
	add_cost(out, finding, of);
	text_add_char(out, '\n');
	add_wrapped(out, "", finding->what, most);
	add_where(out, finding, most);
	if (*finding->symptom_of)
		add_wrapped(out, "Comes of    ", finding->symptom_of, most);
	if (*finding->culprit)
		add_wrapped(out, "Caused by   ", finding->culprit, most);
	text_format(&confidence, "%s%s%s", finding_confidence_name(finding->confidence),
		    *finding->why ? ": " : "", finding->why);
	add_wrapped(out, "Confidence  ", confidence.data ? confidence.data : "", most);
	if (finding->replay_count)
		add_replay(out, finding, most);
	add_wrapped(out, "Suggestion  ", finding->suggestion, most);
	text_free(&confidence);
}

/* Of several processes: each finding says of which. */
static bool are_of_several(const struct findings *findings)
{
	uint64_t pid = 0;

	for (size_t i = 0; i < findings->count; i++) {
		if (pid && findings->items[i].pid && findings->items[i].pid != pid)
			return true;
		if (!pid)
			pid = findings->items[i].pid;
	}
	return false;
}

void findings_text_print(struct text *out, const struct findings *findings,
			 const struct findings_style *style)
{
	size_t shown = 0, free_shown = 0, hidden = 0;
	bool named = style->brief && are_of_several(findings);
	size_t most = style->width && style->width < WIDTH ? style->width : WIDTH;
	const char *of = range_is_whole(&findings->range) ? "run" : "part";
	char count[UNITS_BYTES];

	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];

		if (!findings_shown(finding, style->least_percent) ||
		    (style->most &&
		     (finding->always_report ? free_shown : shown - free_shown) == style->most)) {
			hidden++;
			continue;
		}
		shown++;
		free_shown += finding->always_report;
		if (style->brief)
			add_brief(out, finding, named, style->colour, most);
		else
			add_finding(out, finding, shown, of, style->colour, most);
	}
	if (!shown && hidden)
		text_format(out, "%sNothing cost %g %% of the %s.\n", style->brief ? "  " : "",
			    style->least_percent, of);
	else if (!shown)
		text_add_string(out, style->brief ? "  nothing found\n" : "Nothing found.\n");
	if (hidden && !style->brief)
		text_format(out, "\n%s smaller %s not shown (--all shows them).\n",
			    units_count(count, hidden), hidden == 1 ? "one is" : "ones are");
	else if (hidden)
		text_format(out, "  %s smaller %s not shown\n", units_count(count, hidden),
			    hidden == 1 ? "one is" : "ones are");
}
