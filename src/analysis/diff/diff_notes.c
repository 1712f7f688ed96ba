/* SPDX-License-Identifier: MIT */
#include "analysis/diff/diff.h"

#include <string.h>

#include "util/units.h"

static const char *const side_names[] = {"A", "B"};

/* The same session, and the same part of it. */
static bool is_same(const struct diff_run *a, const struct diff_run *b)
{
	return !strcmp(a->path, b->path) && a->from_ns == b->from_ns && a->to_ns == b->to_ns;
}

static void note_runs(struct diff *diff, int side)
{
	char count[UNITS_BYTES];

	for (size_t i = 0; i < diff->run_count[side]; i++) {
		const struct diff_run *run = &diff->runs[side][i];
		struct text path = TEXT_INIT;
		const char *shown;

		text_escape(&path, run->path, strlen(run->path));
		shown = path.data ? path.data : "";
		if (run->lost)
			text_format(&diff->notes,
				    "%s, %s: %s %s lost, so that its numbers and totals "
				    "are too small\n",
				    side_names[side], shown, units_count(count, run->lost),
				    run->lost == 1 ? "event was" : "events were");
		if (run->damaged_places)
			text_format(&diff->notes, "%s, %s: damaged in %s %s\n", side_names[side],
				    shown, units_count(count, run->damaged_places),
				    run->damaged_places == 1 ? "place" : "places");
		if (!run->ended)
			text_format(&diff->notes,
				    "%s, %s: still running, or end not recorded; its run is as "
				    "long as its records\n",
				    side_names[side], shown);
		if (!run->events)
			text_format(&diff->notes, "%s, %s: %s\n", side_names[side], shown,
				    run->kernel ? "no GPU API calls" : "nothing was recorded");
		for (size_t other = 0; side == DIFF_B && other < diff->run_count[DIFF_A]; other++)
			if (is_same(&diff->runs[DIFF_A][other], run))
				text_format(&diff->notes, "%s is on both sides\n", shown);
		text_free(&path);
	}
}

/* The value of all runs of a side; NULL where they differ among each other. */
static const char *common(const struct diff *diff, int side, size_t offset)
{
	const char *const *first = (const void *)((const char *)&diff->runs[side][0] + offset);

	for (size_t i = 1; i < diff->run_count[side]; i++) {
		const char *const *next =
			(const void *)((const char *)&diff->runs[side][i] + offset);

		if (strcmp(*first, *next))
			return NULL;
	}
	return *first;
}

static void note_difference(struct diff *diff, size_t offset, bool tell, const char *what,
			    const char *after)
{
	const char *values[] = {common(diff, DIFF_A, offset), common(diff, DIFF_B, offset)};

	for (int side = 0; side < DIFF_SIDES; side++)
		if (!values[side])
			text_format(&diff->notes, "%s differ among the runs of %s%s\n", what,
				    side_names[side], after);
	if (!values[0] || !values[1] || !strcmp(values[0], values[1]))
		return;
	text_format(&diff->notes, "%s differ", what);
	for (int side = 0; tell && side < DIFF_SIDES; side++) {
		text_format(&diff->notes, side ? ", B " : ": A ");
		text_escape(&diff->notes, values[side], strlen(values[side]));
	}
	text_format(&diff->notes, "%s\n", after);
}

static bool has_domain(const struct diff *diff, int side, const char *domain)
{
	const struct diff_table *table = &diff->tables[DIFF_API];

	for (size_t i = 0; i < table->count; i++)
		if (!strcmp(table->rows[i].domain, domain) && table->rows[i].side[side].count > 0)
			return true;
	return false;
}

/* Runtimes of which only one side made calls: all that is of them is gone, or new. */
static void note_domains(struct diff *diff)
{
	const struct diff_table *table = &diff->tables[DIFF_API];

	for (size_t i = 0; i < table->count; i++) {
		const char *domain = table->rows[i].domain;
		bool a = has_domain(diff, DIFF_A, domain), b = has_domain(diff, DIFF_B, domain);
		bool told = false;

		for (size_t k = 0; k < i; k++)
			told |= !strcmp(table->rows[k].domain, domain);
		if (!told && a != b)
			text_format(&diff->notes, "only %s made calls of the domain %s\n",
				    side_names[b], domain);
	}
}

static void note_sides(struct diff *diff)
{
	bool kernel[DIFF_SIDES] = {false, false};

	note_difference(diff, offsetof(struct diff_run, host), true, "the machines",
			"; not the program alone is compared");
	note_difference(diff, offsetof(struct diff_run, command), false, "the commands", "");
	note_difference(diff, offsetof(struct diff_run, args), true, "the recorded arguments",
			"; recording costs differ, too");
	note_domains(diff);
	for (int side = 0; side < DIFF_SIDES; side++)
		for (size_t i = 0; i < diff->run_count[side]; i++)
			kernel[side] |= diff->runs[side][i].kernel;
	if (kernel[DIFF_A] != kernel[DIFF_B])
		text_format(&diff->notes,
			    "kernel events were recorded in %s only; that cost it time, and "
			    "some findings need it\n",
			    side_names[kernel[DIFF_B]]);
	if (diff->by_name)
		text_add_string(&diff->notes, "the devices differ: operations are matched by kind "
					      "and name\n");
}

void diff_note(struct diff *diff)
{
	note_sides(diff);
	note_runs(diff, DIFF_A);
	note_runs(diff, DIFF_B);
}
