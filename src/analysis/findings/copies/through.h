/* SPDX-License-Identifier: MIT */
/* What is read to the host's memory and sent back from there, mostly before the host could look at
 * it: the transfer back was enqueued before the one to the host was over. Only where addresses of the host are
 * recorded. Memory grows with transfers in flight and with places of the host's memory. One thread.
 *
 *	through_call(&through, item);		each call, before its command's events
 *	through_event(&through, event);		commands, in their true order
 *	through_add(&through, process, findings);
 *	through_free(&through);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_COPIES_THROUGH_H
#define TANDEM_ANALYSIS_FINDINGS_COPIES_THROUGH_H

#include "analysis/events/event_sequence.h"
#include "analysis/findings/copies/copy_time.h"
#include "util/map.h"

struct through_place;
struct through_process;

struct through {
	struct map place_of; /* process and address -> place */
	struct through_place *places;
	size_t count, capacity;
	struct map process_of; /* index -> process */
	struct through_process *processes;
	size_t process_count, process_capacity;
	/* operation_key() of a transfer in flight -> the host's address, the buffer, its call's id. */
	struct map address_of, buffer_of, api_of;
};

/* Return 0 or -ENOMEM; through_free() is called either way. */
int through_call(struct through *through, const struct event_item *item);
int through_event(struct through *through, const struct sequence_event *event);

int through_add(const struct through *through, uint32_t process, struct findings *findings);

void through_free(struct through *through);

#endif
