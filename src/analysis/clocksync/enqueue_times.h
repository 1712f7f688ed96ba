/* When the calls that enqueued commands ran, until the commands' ends are seen: for a
 * pass that wants only a good sample of them, in a table that never grows. Among
 * many commands in flight most are not noted, some of all ages are. One thread.
 *
 *	struct enqueue_times begins = {.slots = NULL};
 *
 *	enqueue_times_note(&enqueue_times, process, op, span);
 *	if (enqueue_times_take(&enqueue_times, process, op, &span))
 *		...
 *	enqueue_times_free(&enqueue_times);
 */
#ifndef TANDEM_ANALYSIS_CLOCKSYNC_ENQUEUE_TIMES_H
#define TANDEM_ANALYSIS_CLOCKSYNC_ENQUEUE_TIMES_H

#include <stdbool.h>
#include <stdint.h>

struct enqueue_times_slot;

struct call_span { /* CLOCK_MONOTONIC */
	int64_t begin_ns, end_ns; /* end 0: it has not returned */
};

struct enqueue_times {
	struct enqueue_times_slot *slots; /* made when first needed */
};

/* Returns 0 or -ENOMEM. */
int enqueue_times_note(struct enqueue_times *enqueue_times, uint32_t process, uint64_t op,
		       struct call_span span);

/* Whether it was noted; then it is forgotten. */
bool enqueue_times_take(struct enqueue_times *enqueue_times, uint32_t process, uint64_t op,
			struct call_span *span);

void enqueue_times_free(struct enqueue_times *enqueue_times);

#endif
