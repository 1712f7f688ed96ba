/* SPDX-License-Identifier: MIT */
/* Whether a thread sends to the device what it read from it before, or most of that: from the same host
 * memory, by the records of contents (core/call/content.h). The step that made it has to end first, as where
 * the host hands a field from one buffer to another, or changes a part of it. Only where all arguments
 * were recorded. One thread.
 *
 *	struct returned returned = {0};
 *	returned_begin(&returned, session);
 *	if (returned_item(&returned, &findings->async_reads, item))	each item
 *		... it is so of the latest transfer of the item's thread
 *	returned_free(&returned);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_OVERLAP_RETURNED_H
#define TANDEM_ANALYSIS_FINDINGS_OVERLAP_RETURNED_H

#include <stdbool.h>
#include <stddef.h>

struct async_reads;
struct event_item;
struct returned_thread;
struct trace_session;

struct returned {
	struct returned_thread *threads; /* by stream */
};

/* Returns 0 or -ENOMEM. */
int returned_begin(struct returned *returned, const struct trace_session *session);
bool returned_item(struct returned *returned, const struct async_reads *reads,
		   const struct event_item *item);
void returned_free(struct returned *returned);

#endif
