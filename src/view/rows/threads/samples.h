/* SPDX-License-Identifier: MIT */
/* The samples of each thread's stack as moments below its calls, and the functions and
 * stacks that they are made of. Part of building an index. One thread.
 *
 *	view_samples_init(&samples, &writer, &states, session);
 *	view_samples_event(&samples, event);       each event of the operating system, after
 *						   the states took it
 *	view_samples_finish(&samples, &threads);
 *	view_samples_free(&samples);
 *
 * A sample is named by its innermost function; its ref is VIEW_REFS_sample.
 */
#ifndef TANDEM_VIEW_ROWS_SAMPLES_H
#define TANDEM_VIEW_ROWS_SAMPLES_H

#include "analysis/profile/samples.h"
#include "analysis/sched/states.h"
#include "trace/session/session.h"
#include "view/index/index_writer.h"
#include "view/rows/threads/threads.h"

struct view_sampled { /* a thread */
	uint32_t pid, tid;
	struct track_writer *track; /* its row is known in the end only */
	int64_t last_ns;
	uint32_t name, process_name; /* in the states' names, as they were last */
};

struct view_samples {
	struct index_writer *writer;   /* borrowed */
	struct trace_session *session; /* borrowed */
	const struct states *states;   /* borrowed: who is called what */
	struct samples samples;
	struct view_sampled *threads;
	size_t count, capacity;
	struct map by_tid; /* pid and tid -> thread */
	uint32_t *labels;  /* by frame: label + 1 */
	size_t labels_capacity;
};

void view_samples_init(struct view_samples *samples, struct index_writer *writer,
		       const struct states *states, struct trace_session *session);

/* Both return 0 or -errno. */
int view_samples_event(struct view_samples *samples, const struct trace_event *event);
int view_samples_finish(struct view_samples *samples, struct view_threads *threads);

void view_samples_free(struct view_samples *samples);

#endif
