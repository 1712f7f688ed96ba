/* SPDX-License-Identifier: MIT */
/* The state of each thread as a narrow track above its calls: running, waiting for a CPU
 * and who has it, waiting for something else and who ended that. Threads of the
 * traced processes that made no calls get rows, too. Part of building an index.
 * One thread.
 *
 *	state_rows_init(&rows, &writer, session);
 *	state_rows_linux(&rows, event);      each event of a CPU's stream
 *	state_rows_call(&rows, event);        each API call
 *	state_rows_finish(&rows, &threads, end_ns);
 *	state_rows_free(&rows);
 *
 * An item's ref is the CPU that the thread runs on or waits for; of a wait for
 * something else the number of the thread that ended it, in the section `wakers`.
 */
#ifndef TANDEM_VIEW_ROWS_STATE_ROWS_H
#define TANDEM_VIEW_ROWS_STATE_ROWS_H

#include "analysis/sched/states.h"
#include "trace/session/session.h"
#include "view/index/index_writer.h"
#include "view/rows/threads/threads.h"

struct state_row;

struct state_rows {
	struct index_writer *writer;   /* borrowed */
	struct trace_session *session; /* borrowed */
	struct states states;
	bool any; /* the operating system's side was recorded */
	struct state_row **list;
	size_t count, capacity;
	struct map row_of;		  /* tid -> place in the list */
	struct states_thread **of_stream; /* by stream; NULL: not known yet */
	int failed;
};

/* All of these return 0 or -errno; state_rows_free() is right after each. */
int state_rows_init(struct state_rows *rows, struct index_writer *writer,
		    struct trace_session *session);
int state_rows_linux(struct state_rows *rows, const struct trace_event *event);
int state_rows_call(struct state_rows *rows, const struct trace_event *event);
int state_rows_finish(struct state_rows *rows, struct view_threads *threads, int64_t end_ns);

void state_rows_free(struct state_rows *rows);

#endif
