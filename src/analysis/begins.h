/* When the calls that enqueued commands began, until their ends are seen: for a
 * pass that wants only a good sample of them, in a table that never grows. Among
 * many commands in flight most are not noted, some of all ages are. One thread.
 *
 *	struct begins begins = {.slots = NULL};
 *
 *	begins_note(&begins, process, op, begin_ns);
 *	if (begins_take(&begins, process, op, &begin_ns))
 *		...
 *	begins_free(&begins);
 */
#ifndef TANDEM_ANALYSIS_BEGINS_H
#define TANDEM_ANALYSIS_BEGINS_H

#include <stdbool.h>
#include <stdint.h>

struct begins_slot;

struct begins {
	struct begins_slot *slots; /* made when first needed */
};

/* Returns 0 or -ENOMEM. */
int begins_note(struct begins *begins, uint32_t process, uint64_t op, int64_t begin_ns);

/* Whether it was noted; then it is forgotten. */
bool begins_take(struct begins *begins, uint32_t process, uint64_t op, int64_t *begin_ns);

void begins_free(struct begins *begins);

#endif
