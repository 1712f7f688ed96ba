/* SPDX-License-Identifier: MIT */
#include "analysis/findings/errors/error_row.h"

#include <string.h>

#include "analysis/findings/errors/other_way.h"
#include "analysis/findings/finding.h"
#include "trace/field.h"
#include "util/units.h"

/* Of what the host does in a kernel's place so much is saved: the kernel and its transfers take the rest, as in
 * the median of eight programs with such a fault (doc/FINDINGS.md). */
#define FALLBACK_FIFTHS 4u

/* So often is a habit. */
#define RETRIES_LEAST 3u

/* A kernel that fails as often is one that the program has something else for. */
#define FALLBACKS_LEAST 8u

static bool is_habit(const struct error_row *row)
{
	return row->retries >= RETRIES_LEAST && 2 * row->retries >= row->count;
}

/* Each time, and the host worked for longer than the call took. */
static bool is_replaced(const struct error_row *row)
{
	return !is_habit(row) && row->fallbacks >= FALLBACKS_LEAST &&
	       2 * row->fallbacks >= row->count && row->fallback_ns > row->ns;
}

static bool has_workaround(const struct error_row *row)
{
	return !is_habit(row) && !is_replaced(row) &&
	       workaround_extra_ns(&row->workarounds, &row->direct);
}

uint64_t error_row_ns(const struct error_row *row)
{
	if (is_habit(row))
		return row->ns + row->retry_ns;
	if (is_replaced(row) && row->moved)
		return row->ns + row->fallback_ns / 2;
	if (is_replaced(row))
		return row->ns + row->fallback_ns / 5 * FALLBACK_FIFTHS;
	return row->ns + workaround_extra_ns(&row->workarounds, &row->direct);
}

static const char *why_other(struct findings *findings, const struct other_way *way)
{
	const struct other_way_kernel *kernel = way->kernel;
	const char *part = "what is meant is assumed to do the same in two fifths of its time";
	char each[UNITS_BYTES], number[UNITS_BYTES], gaps[UNITS_BYTES];

	units_count(number, kernel->launches);
	units_ns(each, (double)kernel->ns / (double)kernel->launches);
	if (way->how == OTHER_WAY_IN_PIECES)
		return findings_text(
			findings,
			"the runtime returned it; kernel %s was then launched in pieces, %s in all, for "
			"%s on average: what is between them, %s, and the units that a piece leaves idle "
			"are the cost",
			kernel->name, number, each, units_ns(gaps, (double)kernel->gap_ns));
	if (way->how == OTHER_WAY_IN_PHASES)
		return findings_text(
			findings,
			"the runtime returned it; kernel %s was then launched several times in a row, %s "
			"in all, for %s on average: what is between them, %s, is the cost, but for recording",
			kernel->name, number, each, units_ns(gaps, (double)kernel->gap_ns));
	return findings_text(
		findings,
		"the runtime returned it; kernel %s was launched %s times, %s, for %s on "
		"average: %s",
		kernel->name, number,
		way->how == OTHER_WAY_EACH_TIME ? "each time after that" : "all after that", each,
		part);
}

static const char *why_workaround(struct findings *findings, const struct error_row *row)
{
	char failed[UNITS_BYTES], direct[UNITS_BYTES];

	return findings_text(
		findings,
		"the runtime returned it; the thread launched its next kernel %s later on average, not "
		"counting kernels that it had launched before, and where the call succeeded %s later: "
		"the difference is the cost",
		units_ns(failed, (double)row->workarounds.ns / (double)row->workarounds.count),
		units_ns(direct, (double)row->direct.ns / (double)row->direct.count));
}

static const char *why(struct findings *findings, const struct error_row *row,
		       const struct other_way *way)
{
	char each[UNITS_BYTES];

	if (row->said)
		return findings_text(findings, "the runtime returned it, and its log says: %s",
				     row->said);
	if (way)
		return why_other(findings, way);
	if (is_replaced(row) && row->moved)
		return findings_text(
			findings,
			"the runtime returned it; the thread then moved as many bytes by way of the "
			"host, for %s on average: half of that is the cost, as a copy takes time as well",
			units_ns(each, (double)row->fallback_ns / (double)row->fallbacks));
	if (is_replaced(row))
		return findings_text(
			findings,
			"the runtime returned it; the thread then worked for %s on average "
			"before it enqueued anything: four fifths of that are the cost, if it does "
			"so in the kernel's place, which takes time as well",
			units_ns(each, (double)row->fallback_ns / (double)row->fallbacks));
	if (has_workaround(row))
		return why_workaround(findings, row);
	if (!is_habit(row))
		return "the runtime returned it";
	return findings_text(
		findings,
		"the runtime returned it; the same call succeeded %s later on average: that "
		"is the cost",
		units_ns(each, (double)row->retry_ns / (double)row->retries));
}

static const char *suggestion(const struct error_row *row, const struct other_way *way)
{
	if (way)
		return "give the call what the device takes, so that the kernel that is meant runs; "
		       "`tandem print --name` shows each";
	if (has_workaround(row))
		return "give the call what the device takes, so that nothing else is done in its place; "
		       "`tandem print --name` shows each";
	if (row->operation)
		return "check the arguments of the launch and the sizes of its buffers; `tandem print "
		       "--name` shows each";
	if (is_replaced(row) && row->moved)
		return "give the copy a place that the device takes (two parts of one buffer may not "
		       "overlap); `tandem print --name` shows each";
	if (is_replaced(row))
		return "give the launch sizes and arguments that the device takes, so that it runs the "
		       "kernel; `tandem print --name` shows each";
	return "handle the error, or do not make the call; `tandem print --name` shows each with its "
	       "arguments";
}

/* Three quarters and more of the gaps, or of the waits, are between phases. */
static bool is_of_phases(const struct finding *finding, const struct other_way *way)
{
	bool gaps =
		!strcmp(finding->name, "idle-device") &&
		(!strcmp(finding->cause, "launch") || !strcmp(finding->cause, "synchronisation"));
	bool waits =
		!strcmp(finding->name, "waiting") && !strcmp(finding->cause, "after-each-command");

	return (gaps || waits) && 4 * way->kernel->in_a_row >= 3 * finding->count;
}

/* Three quarters and more of the device's gaps are between pieces, or the finding is about these. */
static bool is_of_pieces(const struct finding *finding, const struct other_way *way)
{
	return !strcmp(finding->name, "idle-device") && !strcmp(finding->cause, "launch") &&
	       (4 * way->kernel->gap_ns >= 3 * finding->cost_ns ||
		!strcmp(finding->object, way->kernel->name));
}

/* Data and memory that it needs instead: no more often than that, and for no longer. */
static bool is_of_workaround(const struct finding *finding, const struct error_row *row)
{
	bool unchanged = !strcmp(finding->name, "copies") && !strcmp(finding->cause, "unchanged");
	bool memory = !strcmp(finding->name, "allocations") && !strcmp(finding->cause, "loop");

	return (unchanged || memory) && finding->count <= row->workarounds.count &&
	       finding->cost_ns <= error_row_ns(row);
}

static void take_symptoms(struct findings *findings, uint64_t pid, const struct error_row *row,
			  const struct other_way *way)
{
	bool pieces = way && way->how == OTHER_WAY_IN_PIECES,
	     phases = way && way->how == OTHER_WAY_IN_PHASES,
	     workaround = !way && has_workaround(row);

	for (size_t i = 0; (pieces || phases || workaround) && i < findings->count; i++) {
		struct finding *finding = &findings->items[i];

		if (finding->pid == pid && (pieces   ? is_of_pieces(finding, way)
					    : phases ? is_of_phases(finding, way)
						     : is_of_workaround(finding, row)))
			finding->symptom_of = "errors: call";
	}
}

/* The device's gaps between phases, as they are said: without what recording and others took of them. */
static uint64_t phases_ns(const struct findings *findings, uint64_t pid,
			  const struct other_way *way)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];

		if (finding->pid == pid && !strcmp(finding->name, "idle-device") &&
		    is_of_phases(finding, way))
			ns += finding->cost_ns;
	}
	return ns;
}

struct finding *error_row_report(const struct error_row *row, struct findings *findings,
				 const struct other_way *way, uint64_t way_ns)
{
	struct finding *finding =
		findings_add(findings, "errors", row->operation ? "command" : "call");
	const char *word = trace_name_find(row->names, row->code), *code;
	char number[UNITS_BYTES];

	if (!finding)
		return NULL;
	code = word ? word : findings_text(findings, "%d", row->code);
	finding->always_report = true;
	finding->object = row->name;
	finding->count = row->count;
	finding->cost_ns = way ? way_ns : error_row_ns(row);
	finding->what = findings_text(findings,
				      row->operation ? "%s command%s enqueued by %s ended with %s"
						     : "%s call%s of %s failed with %s",
				      units_count(number, row->count), row->count == 1 ? "" : "s",
				      row->name, code);
	finding->why = why(findings, row, way);
	if (is_replaced(row) || has_workaround(row))
		finding->confidence = CONFIDENCE_MEDIUM;
	if (way)
		finding->confidence = CONFIDENCE_LOW;
	finding->suggestion = suggestion(row, way);
	finding_place(findings, finding, row->stream);
	finding_time(findings, finding, row->begin_ns, row->end_ns);
	if (way && way->how == OTHER_WAY_IN_PHASES) {
		uint64_t ns = phases_ns(findings, finding->pid, way);

		if (ns && ns < finding->cost_ns)
			finding->cost_ns = ns;
	}
	take_symptoms(findings, finding->pid, row, way);
	return finding;
}
