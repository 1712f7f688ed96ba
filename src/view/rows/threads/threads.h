/* SPDX-License-Identifier: MIT */
/* Processes and their threads as rows, API calls as spans: a track for each depth
 * of nesting, and above them, for each process and for the session, a activity that
 * says when any thread was in a call. Part of building an index. One thread.
 *
 *	view_threads_init(&threads, &writer, session, &hosts, end_ns);
 *	view_threads_call(&threads, item);          each call of an iterator
 *	view_threads_finish(&threads);
 *	view_threads_free(&threads);
 */
#ifndef TANDEM_VIEW_ROWS_THREADS_H
#define TANDEM_VIEW_ROWS_THREADS_H

#include "analysis/events/event_iterator.h"
#include "view/index/index_writer.h"
#include "view/rows/activity.h"
#include "view/rows/hosts.h"

/* Gaps that a summary of activity leaves out. */
#define VIEW_STRIP_GAP_NS 10000

struct view_thread;

struct view_threads {
	struct index_writer *writer;	  /* borrowed */
	struct trace_session *session;	  /* borrowed */
	const struct tasks *tasks;	  /* borrowed; NULL: none */
	int64_t end_ns;			  /* of the session: where open calls end */
	struct view_thread *threads;	  /* by stream */
	struct activity_track *processes; /* by process */
	struct activity_track all;
	uint32_t *process_rows;	    /* by process */
	struct view_hosts *hosts;   /* borrowed */
	struct map other_processes; /* pid of a process that made no calls -> row */
	uint32_t *labels;	    /* by layout, flags and whether it blocks; label + 1 */
	size_t label_count;
	struct map row_of; /* process's row and tid -> row */
	uint64_t open_calls;
};

/* Returns 0 or -ENOMEM; on error there is nothing to free. */
int view_threads_init(struct view_threads *threads, struct index_writer *writer,
		      struct trace_session *session, struct view_hosts *hosts, int64_t end_ns);

/* The row of a thread by its numbers; false where it has none. */
bool view_threads_find(const struct view_threads *threads, uint64_t pid, uint32_t tid,
		       uint32_t *row);

/* The row of a thread by its stream. */
uint32_t view_threads_row(const struct view_threads *threads, uint32_t stream);

/* A row for a process that made no calls, where it has none. Returns 0 or -ENOMEM. */
int view_threads_add_process(struct view_threads *threads, uint64_t pid, const char *name);

/* What a process is called that made no calls: after an exec, the latest name. Returns 0 or
 * -ENOMEM. */
int view_threads_name(struct view_threads *threads, uint64_t pid, const char *name);

/* A row for a thread that made no calls. Returns 0, -EINVAL (its process has no row)
 * or -ENOMEM. */
int view_threads_add(struct view_threads *threads, uint64_t pid, uint32_t tid, const char *name,
		     uint32_t *row);

/* Both return 0 or -errno. */
int view_threads_call(struct view_threads *threads, const struct event_item *item);
int view_threads_finish(struct view_threads *threads);

void view_threads_free(struct view_threads *threads);

#endif
