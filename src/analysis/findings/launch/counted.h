/* SPDX-License-Identifier: MIT */
/* Launches that could be one: a thread gives a device nothing else in between, they have the kernel, the
 * size and all arguments in common but a whole number, which goes up by the same step, and no launch
 * needs what another one wrote: by its source (`kernel_reads`), the kernel only reads memory, or only
 * assigns its elements. What goes on from launch to launch, as a step of time, is no such, nor is what
 * adds to what was there. Only where all arguments were recorded. Memory grows with kernels. One thread.
 *
 *	struct counted counted = {0};
 *
 *	counted_item(&counted, item);	each item
 *	counted_series_report(&counted.rows, findings, &units);
 *	counted_free(&counted);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_LAUNCH_COUNTED_H
#define TANDEM_ANALYSIS_FINDINGS_LAUNCH_COUNTED_H

#include "analysis/events/event_iterator.h"
#include "analysis/findings/launch/counted_series.h"

struct counted_kernel;
struct counted_source;
struct counted_thread;

struct counted {
	struct map source_of; /* kernel_source_key() -> source */
	struct counted_source *sources;
	size_t source_count, source_capacity;
	struct map kernel_of; /* process and number -> kernel, of those with such a source */
	struct counted_kernel *kernels;
	size_t kernel_count, kernel_capacity;
	struct map thread_of; /* stream -> thread */
	struct counted_thread *threads;
	size_t thread_count, thread_capacity;
	struct map series_of; /* operation -> number of its series */
	uint64_t series;
	struct counted_series rows;
};

/* Returns 0 or -ENOMEM. */
int counted_item(struct counted *counted, const struct event_item *item);

void counted_free(struct counted *counted);

#endif
