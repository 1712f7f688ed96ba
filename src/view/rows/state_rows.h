/* The state of each thread as a band above its calls: running, waiting for a CPU
 * and who has it, waiting for something else and who ended that. Threads of the
 * traced processes that made no calls get rows, too. Part of building an index.
 * One thread.
 *
 *	view_bands_init(&bands, &builder, session);
 *	view_bands_kernel(&bands, event);      each event of a CPU's stream
 *	view_bands_call(&bands, event);        each API call
 *	view_bands_finish(&bands, &threads, end_ns);
 *	view_bands_free(&bands);
 *
 * An item's ref is the CPU that the thread runs on or waits for; of a wait for
 * something else the number of the thread that ended it, in the section `wakers`.
 */
#ifndef TANDEM_VIEW_BANDS_H
#define TANDEM_VIEW_BANDS_H

#include "analysis/sched/states.h"
#include "trace/session.h"
#include "view/index/index_writer.h"
#include "view/rows/threads.h"

struct view_band;

struct view_bands {
	struct view_builder *builder;  /* borrowed */
	struct trace_session *session; /* borrowed */
	struct states states;
	bool any; /* there are records of the kernel */
	struct view_band **bands;
	size_t count, capacity;
	struct states_thread **of_stream; /* by stream; NULL: not known yet */
	int failed;
};

/* All of these return 0 or -errno; view_bands_free() is right after each. */
int view_bands_init(struct view_bands *bands, struct view_builder *builder,
		    struct trace_session *session);
int view_bands_kernel(struct view_bands *bands, const struct trace_event *event);
int view_bands_call(struct view_bands *bands, const struct trace_event *event);
int view_bands_finish(struct view_bands *bands, struct view_threads *threads, int64_t end_ns);

void view_bands_free(struct view_bands *bands);

#endif
