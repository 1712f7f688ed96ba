/* SPDX-License-Identifier: MIT */
/* Two sides of recorded runs beside each other: what each API function, each
 * operation of the devices and each finding cost on either side, by how much that
 * differs, and whether the difference is more than chance.
 *
 * What is compared, and by which test (significance.h):
 *  - several runs on both sides: each run is one sample, by Welch's t test;
 *  - one run against several: Student's t test with the spread of the several;
 *  - one run on each side: means of batches of successive calls or operations
 *    (batches.h), by Mann and Whitney's U test. What differs from run to run is
 *    not in there, so that several runs are surer. Totals and findings have no
 *    spread then and are not judged; numbers of calls are taken as counted.
 * All p are adjusted for their number after Benjamini and Hochberg. A change counts
 * when its p is small enough, and when it is large enough beside what it was and
 * beside the run, by the options.
 *
 *	diff_init(&diff, (size_t[]){1, 1}, &options);
 *	diff_add(&diff, DIFF_A, &session, &report, &findings);
 *	diff_add(&diff, DIFF_B, ...);
 *	diff_finish(&diff);
 *	for (size_t i = 0; i < diff.tables[DIFF_API].count; i++)
 *		puts(diff.tables[DIFF_API].rows[i].verdict);
 *	diff_free(&diff);
 *
 * Keeps numbers only: memory grows with distinct names times runs. All strings
 * belong to the diff. One thread.
 */
#ifndef TANDEM_ANALYSIS_DIFF_DIFF_H
#define TANDEM_ANALYSIS_DIFF_DIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/findings/finding.h"
#include "analysis/report/report.h"
#include "util/intern.h"
#include "util/text.h"

enum diff_side { DIFF_A, DIFF_B, DIFF_SIDES };

/* X(constant, name of the table, words) */
#define DIFF_TABLES(X)                           \
	X(TOTAL, "total", "Totals")              \
	X(API, "api", "API calls")               \
	X(DEVICE, "device", "Device operations") \
	X(FINDINGS, "findings", "Findings")

enum diff_kind {
#define X(constant, name, words) DIFF_##constant,
	DIFF_TABLES(X) DIFF_TABLE_COUNT
#undef X
};

struct diff_sample { /* one run's */
	double total_ns, count;
	double timed; /* of count: that have a duration */
	double p50_ns, bytes, errors;
};

struct diff_value {  /* one side's */
	size_t runs; /* in which it occurs at all */
	/* Means over all runs of the side: */
	double total_ns, count, bytes, errors;
	double mean_ns, p50_ns; /* of one call or operation; 0 where none has a time */
	/* Of one, as the test sees it (diff->each_statistic); 0: none has a time. Sentence,
	 * table and each_percent go by this. */
	double each_ns;
};

struct diff_row {
	const char *domain, *kind, *name, *device;
	const char *words; /* of a finding: what it says, on the side where it costs more */
	struct diff_value side[DIFF_SIDES];
	double difference_ns;  /* of the totals of a run, B minus A */
	double change_percent; /* of the totals; INFINITY: there is none in A */
	double each_percent;   /* of one call or operation, by each_ns; or NAN */
	double p;	       /* of the time; adjusted; NAN: too few to tell */
	double count_p;	       /* of the number, same */
	/* "slower", "more often", "new"...; "" where it is no change that counts */
	const char *verdict;
	bool significant;

	/* While it is being made: */
	struct diff_sample *samples[DIFF_SIDES]; /* by run */
	struct batches batches[DIFF_SIDES];	 /* of the first run */
	bool certain;				 /* a finding that needs no test */
};

struct diff_table {
	struct diff_row *rows; /* the largest difference first */
	size_t count, capacity, significant;
};

struct diff_run { /* a session */
	const char *path, *command, *host, *start, *args;
	double duration_ns;
	uint64_t from_ns, to_ns; /* what is compared, since its start */
	uint64_t events, lost, damaged_places;
	bool ended, kernel;
};

struct diff_options {
	double most_p;			/* of a change; 0.05 */
	double least_percent;		/* of a change, of what it was; 5 */
	double least_run_percent;	/* ... and of the run, or of the part; 0.5 */
	bool parts[DIFF_SIDES];		/* of the runs of a side (report_options.ranged) */
	const char *ranges[DIFF_SIDES]; /* which range of the program's own that is, or NULL */
};

struct diff {
	struct diff_options options;
	struct diff_table tables[DIFF_TABLE_COUNT];
	struct diff_run *runs[DIFF_SIDES];
	size_t run_count[DIFF_SIDES], runs_wanted[DIFF_SIDES];
	const char *statistic;	    /* the test that was used, in words */
	const char *each_statistic; /* what each_ns is: "median", "mean" */
	struct text notes;	    /* lines: what a reader of the tables must know */
	struct arena arena;
	struct intern names;
	struct map keys; /* interned key -> row */
	bool by_name;	 /* devices differ: operations were matched by kind and name */
};

/* Whether parts of runs are compared, of one side at least. */
static inline bool diff_has_parts(const struct diff *diff)
{
	return diff->options.parts[DIFF_A] || diff->options.parts[DIFF_B];
}

/* Number of runs of each side. Returns 0 or -ENOMEM; on error there is nothing to
 * free. */
int diff_init(struct diff *diff, const size_t runs[DIFF_SIDES], const struct diff_options *options);

/* The next run of this side. `findings` may be NULL. Returns 0 or -ENOMEM. */
int diff_add(struct diff *diff, enum diff_side side, const struct trace_session *session,
	     const struct report *report, const struct findings *findings);

/* After all runs. Returns 0 or -ENOMEM. */
int diff_finish(struct diff *diff);

void diff_free(struct diff *diff);

/* Tests and verdicts, for diff_finish() (diff_judge.c). Returns 0 or -ENOMEM. */
int diff_judge(struct diff *diff);

/* What to know of the sides besides the numbers, a line each in `notes`, for diff_finish()
 * (diff_notes.c): runs that lost events, machines and commands that differ, runtimes that one
 * side alone used. Out of memory: notes.failed. */
void diff_note(struct diff *diff);

#endif
