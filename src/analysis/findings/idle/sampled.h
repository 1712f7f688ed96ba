/* SPDX-License-Identifier: MIT */
/* Which function a thread was in while it kept a device waiting, by its sampled stacks
 * (`record --sample`). Of each thread the latest SAMPLED_STACKS are kept until it is known what they
 * were taken in; none where no stack was sampled. One thread.
 *
 *	struct sampled sampled;
 *	struct map stacks = {0};
 *
 *	sampled_init(&sampled);
 *	sampled_record(&sampled, event);		each record of SAMPLED_RECORDS, in their order
 *	sampled_count(&sampled, tid, from_ns, to_ns, &stacks);
 *	finding->culprit = sampled_text(&sampled, findings, &stacks);
 *	sampled_free(&sampled);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_IDLE_SAMPLED_H
#define TANDEM_ANALYSIS_FINDINGS_IDLE_SAMPLED_H

#include "analysis/findings/finding.h"
#include "analysis/profile/samples.h"

#define SAMPLED_RECORDS                                                                     \
	(FINDING_SYSTEM(sampling) | FINDING_SYSTEM(sample) | FINDING_SYSTEM(sample_stack) | \
	 FINDING_SYSTEM(mapping) | FINDING_SYSTEM(task_new) | FINDING_SYSTEM(task))

/* At 1,000 Hz, a second of work. */
#define SAMPLED_STACKS 1024u

struct sampled_thread;

struct sampled {
	struct samples samples;
	struct map thread_of; /* tid -> index */
	struct sampled_thread *threads;
	size_t count, capacity;
};

void sampled_init(struct sampled *sampled);

/* 0 or -ENOMEM. */
int sampled_record(struct sampled *sampled, const struct trace_event *event);

/* Adds to `stacks` (node -> count) those of a thread that were taken in a time. 0 or -ENOMEM. */
int sampled_count(const struct sampled *sampled, uint64_t tid, int64_t from_ns, int64_t to_ns,
		  struct map *stacks);

/* Whether stacks were sampled at all. */
bool sampled_any(const struct sampled *sampled);

/* The function in which a quarter of these stacks and more end, with the innermost one that more than half have in
 * common; or that one alone; "": there are too few, or nothing stands out. Lives as the findings do. */
const char *sampled_text(const struct sampled *sampled, struct findings *findings,
			 const struct map *stacks);

void sampled_free(struct sampled *sampled);

#endif
