/* SPDX-License-Identifier: MIT */
/* A run of which much is the first builds, and programs of which nothing was used. */
#include <errno.h>

#include "analysis/findings/builds/builds.h"
#include "analysis/findings/builds/variants.h"
#include "util/units.h"

/* First builds are reported from here on: so long, and such a part of the run; or half of it, from ... */
#define FIRST_LEAST_NS UINT64_C(1000000000)
#define FIRST_SHARE 10u
#define MOST_LEAST_NS UINT64_C(300000000)
#define MANY_BUILDS 4u /* as many are worth a cache wherever they are most of the run */

/* Of one it may be that this run had no need of it. */
#define UNUSED_LEAST 2u

/* Short ones and short runs are not worth a cache. */
static bool is_much(uint64_t count, const struct variants *variants, uint64_t build_ns,
		    uint64_t run_ns)
{
	return ((build_ns >= FIRST_LEAST_NS || variants->builds) &&
		build_ns >= run_ns / FIRST_SHARE) ||
	       ((build_ns >= MOST_LEAST_NS || count >= MANY_BUILDS) && build_ns >= run_ns / 2);
}

struct unused { /* programs that were built from source, and of which nothing was used */
	uint64_t count, ns;
};

/* None of a domain where no kernel was seen of any: a compiler's programs have none. */
static struct unused find_unused(const struct build_state *builds)
{
	struct unused unused = {0};
	bool any[UINT8_MAX + 1] = {false};

	for (size_t i = 0; i < builds->source_count; i++)
		any[builds->sources[i].domain] |=
			builds->sources[i].used && builds->sources[i].first_ns;
	for (size_t i = 0; i < builds->source_count; i++) {
		const struct build_source *source = &builds->sources[i];

		if (source->used || source->from_binary || !source->first_ns ||
		    !any[source->domain])
			continue;
		unused.count++;
		unused.ns += source->first_ns;
	}
	return unused;
}

static const char *unused_words(struct findings *findings, const struct unused *unused)
{
	char count[UNITS_BYTES], took[UNITS_BYTES];

	return findings_text(findings, "%s of them, %s, had no kernel that was used",
			     units_count(count, unused->count), units_ns(took, (double)unused->ns));
}

/* What is left to build where variants become one program, or what is not used is not built: the first of
 * all at least, in which the driver starts its compiler as well. */
static uint64_t stays_ns(const struct build_state *builds, const struct unused *unused,
			 const struct variants *variants)
{
	uint64_t all_ns = builds->first.total_ns, first_ns = 0;

	if (unused->count < UNUSED_LEAST && !variants->builds)
		return 0;
	for (size_t i = 0; !first_ns && i < builds->count; i++)
		first_ns = builds->rows[i].source.from_binary ? 0 : builds->rows[i].first_ns;
	if (!variants->builds && all_ns > unused->ns + first_ns)
		first_ns = all_ns - unused->ns;
	return first_ns < all_ns ? first_ns : all_ns;
}

/* Short builds, and few, are not told, but of what is not used. */
static int add_unused(struct findings *findings, const struct build_state *builds,
		      const struct unused *unused)
{
	char count[UNITS_BYTES];
	struct finding *finding;

	if (unused->count < UNUSED_LEAST)
		return 0;
	finding = findings_add(findings, "builds", "first");
	if (!finding)
		return -ENOMEM;
	finding->count = unused->count;
	finding->cost_ns = unused->ns;
	finding->object = builds->first.api ? builds->first.api->name : "";
	finding->what = findings_text(findings, "%s programs were built from source%s%s%s; %s",
				      units_count(count, builds->first.count),
				      *finding->object ? " (" : "", finding->object,
				      *finding->object ? ")" : "", unused_words(findings, unused));
	finding->confidence = CONFIDENCE_HIGH;
	finding->why = "no kernel object was made of them";
	finding->suggestion = "build a program when its first kernel is needed";
	finding_place(findings, finding, builds->first.stream);
	finding_time(findings, finding, builds->first.begin_ns, builds->first.end_ns);
	return 0;
}

/* What no run need do again. */
int builds_add_first(struct findings *findings, const struct build_state *builds)
{
	struct unused unused = find_unused(builds);
	struct variants variants = {0};
	uint64_t run_ns = trace_session_duration_ns(findings->session);
	struct finding *finding;
	const char *binary;
	bool kept = builds->first.read > 0;
	char count[UNITS_BYTES], took[UNITS_BYTES];

	if (variants_find(builds, &variants))
		return -ENOMEM;
	if (!is_much(builds->first.count, &variants, builds->first.total_ns, run_ns))
		return add_unused(findings, builds, &unused);
	finding = findings_add(findings, "builds", "first");
	if (!finding)
		return -ENOMEM;
	binary = trace_session_domain(findings->session, builds->first.domain)->program_binary;
	finding->once = !variants.builds;
	finding->count = builds->first.count;
	finding->cost_ns = builds->first.total_ns;
	finding->stays_ns = stays_ns(builds, &unused, &variants);
	finding->removes = GRAPH_BUILD_FIRST;
	finding->object = builds->first.api ? builds->first.api->name : "";
	finding->what = findings_text(
		findings, "%s program%s took %s to build from source%s%s%s%s",
		units_count(count, builds->first.count), builds->first.count == 1 ? "" : "s",
		units_ns(took, (double)builds->first.total_ns), *finding->object ? " (" : "",
		finding->object, *finding->object ? ")" : "",
		kept ? "; their binaries were read, as by a program that keeps them for its next run"
		     : ", as in each run");
	if (unused.count)
		finding->what = findings_text(findings, "%s; %s", finding->what,
					      unused_words(findings, &unused));
	if (variants.builds)
		finding->what = findings_text(findings, "%s; %s", finding->what,
					      variants_words(findings, builds, &variants));
	finding->confidence = kept ? CONFIDENCE_LOW : CONFIDENCE_MEDIUM;
	finding->why = kept ? findings_text(findings,
					    "%s was asked for; whether the next run builds "
					    "from it, that run shows",
					    binary)
		       : finding->stays_ns
			       ? "the cost is that of all but what must be built in any case, in a "
				 "run that keeps no binary"
			       : "loading a binary takes some time as well";
	finding->suggestion =
		findings_text(findings,
			      "%s program's binary%s%s%s, and build from that in "
			      "the next run%s",
			      kept ? "see that the next run finds the" : "keep the",
			      *binary ? " (" : "", binary, *binary ? ")" : "",
			      variants.builds ? ", or give the kernel an argument for what differs"
			      : unused.count >= UNUSED_LEAST
				      ? ", or build a program when its first kernel is needed"
				      : "");
	finding_place(findings, finding, builds->first.stream);
	finding_time(findings, finding, builds->first.begin_ns, builds->first.end_ns);
	return 0;
}
