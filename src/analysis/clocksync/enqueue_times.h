/* When the calls that enqueued commands ran, until the commands' ends are seen: for a
 * pass that wants only a good sample of them, in a table that never grows. Among
 * many commands in flight most are not noted, some of all ages are. One thread.
 *
 *	struct begins begins = {.slots = NULL};
 *
 *	begins_note(&begins, process, op, span);
 *	if (begins_take(&begins, process, op, &span))
 *		...
 *	begins_free(&begins);
 */
#ifndef TANDEM_ANALYSIS_CLOCKSYNC_ENQUEUE_TIMES_H
#define TANDEM_ANALYSIS_CLOCKSYNC_ENQUEUE_TIMES_H

#include <stdbool.h>
#include <stdint.h>

struct begins_slot;

struct call_span { /* CLOCK_MONOTONIC */
	int64_t begin_ns, end_ns; /* end 0: it has not returned */
};

struct begins {
	struct begins_slot *slots; /* made when first needed */
};

/* Returns 0 or -ENOMEM. */
int begins_note(struct begins *begins, uint32_t process, uint64_t op, struct call_span span);

/* Whether it was noted; then it is forgotten. */
bool begins_take(struct begins *begins, uint32_t process, uint64_t op, struct call_span *span);

void begins_free(struct begins *begins);

#endif
