/* SPDX-License-Identifier: MIT */
/* The same program built in many processes, as of a program that starts one for each of its jobs. Processes
 * that run at the same time build at the same time: what overlaps counts once. */
#include <errno.h>
#include <stdlib.h>

#include "analysis/findings/builds/builds.h"
#include "util/hash.h"
#include "util/keyed_row.h"
#include "util/units.h"

/* Fewer may have reasons of their own. */
#define PROCESSES_LEAST 4u

/* Of less of the run nobody keeps a binary. */
#define RUN_PART 10u

struct program { /* built once, or more often, in each of so many processes */
	const struct build_row *latest, *longest;
	uint64_t processes, ns; /* of their first builds, from where each process began, together */
	int64_t until_ns;
};

static uint64_t program_key(const struct build_row *row)
{
	uint64_t hash = HASH_START;

	hash_number(&hash, row->source.hash);
	hash_number(&hash, row->source.bytes);
	hash_number(&hash, row->options);
	hash_number(&hash, row->step);
	hash_number(&hash, row->domain);
	return hash;
}

static uint64_t row_ns(const struct build_row *row)
{
	return (uint64_t)(row->first_from_ns - row->started_ns) + row->first_ns;
}

static void program_count(struct program *program, const struct build_row *row)
{
	int64_t end_ns = row->first_from_ns + (int64_t)row->first_ns;
	int64_t from_ns = row->started_ns;

	if (program->processes && from_ns < program->until_ns)
		from_ns = program->until_ns;
	if (end_ns > from_ns)
		program->ns += (uint64_t)(end_ns - from_ns);
	if (!program->processes || end_ns > program->until_ns)
		program->until_ns = end_ns;
	if (!program->longest || row_ns(row) > row_ns(program->longest))
		program->longest = row;
	program->processes += !program->latest || program->latest->process != row->process;
	program->latest = row;
}

struct programs { /* those that many processes built */
	const struct build_row *longest;
	uint64_t count, processes; /* the most of one */
	uint64_t ns;		   /* but for one build of each */
};

static void programs_count(struct programs *all, const struct program *program)
{
	if (program->processes < PROCESSES_LEAST)
		return;
	all->count++;
	all->ns += program->ns - row_ns(program->longest);
	if (program->processes > all->processes)
		all->processes = program->processes;
	if (!all->longest || row_ns(program->longest) > row_ns(all->longest))
		all->longest = program->longest;
}

static int add_programs(struct findings *findings, const struct programs *all)
{
	const struct build_row *row = all->longest;
	const char *binary = trace_session_domain(findings->session, row->domain)->program_binary;
	char count[UNITS_BYTES], bytes[UNITS_BYTES];
	struct finding *finding = findings_add(findings, "builds", "repeated");

	if (!finding)
		return -ENOMEM;
	units_bytes(bytes, (double)row->source.bytes);
	finding->count = all->processes;
	finding->cost_ns = all->ns;
	finding->object = row->first_api ? row->first_api->name : "";
	finding->what = findings_text(
		findings, "%s built in each of %s processes%s%s%s",
		all->count == 1
			? findings_text(findings, "the same program (source of %s) was", bytes)
			: findings_text(findings, "%llu programs, always the same, were",
					(unsigned long long)all->count),
		units_count(count, all->processes), *finding->object ? " (" : "", finding->object,
		*finding->object ? ")" : "");
	finding->confidence = CONFIDENCE_MEDIUM;
	finding->why =
		"the sources are identical; with the calls before it, which start the driver; what was "
		"built at the same time counts once";
	finding->suggestion = findings_text(
		findings,
		"let one process do all of that work, which starts the driver once, too; or keep "
		"the binary%s%s%s for the next one",
		*binary ? " (" : "", binary, *binary ? ")" : "");
	finding_place(findings, finding, row->stream);
	finding_time(findings, finding, row->first_from_ns,
		     row->first_from_ns + (int64_t)row->first_ns);
	return 0;
}

int builds_add_in_processes(struct findings *findings, const struct build_state *builds)
{
	uint64_t run_ns = trace_session_duration_ns(findings->session);
	struct program *programs = NULL, *program;
	size_t count = 0, capacity = 0;
	struct programs all = {.count = 0};
	struct map program_of = {0};
	int status = 0;

	for (size_t i = 0; !status && i < builds->count; i++) {
		static const struct program fresh;
		const struct build_row *row = &builds->rows[i];

		if (!row->source.hash || row->source.from_binary || !row->first_ns)
			continue;
		program = keyed_row(&program_of, program_key(row), &programs, &capacity, &count,
				    &fresh, sizeof(fresh));
		if (program)
			program_count(program, row);
		else
			status = -ENOMEM;
	}
	for (size_t i = 0; i < count; i++)
		programs_count(&all, &programs[i]);
	if (!status && all.count && all.ns >= run_ns / RUN_PART)
		status = add_programs(findings, &all);
	map_free(&program_of);
	free(programs);
	return status;
}
