/* SPDX-License-Identifier: MIT */
/* Transfers of one direction, in a process, that brought what had been there before.
 *
 *	struct unchanged unchanged = {0};
 *
 *	unchanged_begin(&unchanged, item, content->hashed < content->bytes);	each such content
 *	unchanged_remove(&unchanged, graph, item);
 *	copy_time_add(&unchanged.time, operation->api, bytes, ns);		it took: of a write
 *	unchanged_read_count(&unchanged, read, operation->api, bytes, ns);	of a read
 *	unchanged_writes_add(&unchanged, findings);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_COPIES_UNCHANGED_H
#define TANDEM_ANALYSIS_FINDINGS_COPIES_UNCHANGED_H

#include "analysis/findings/copies/copy_time.h"
#include "analysis/findings/copies/read_contents.h"

struct unchanged {
	struct copy_time time;
	uint64_t
		removed; /* of these: from the replay (GRAPH_UNCHANGED), and a few that were taken back */
	bool sampled; /* not all bytes were compared */
	uint32_t stream;
	int64_t ns; /* when the first was enqueued */
};

/* In the replay its call and the transfer are not there, whether it waited or not. Returns 0 or -ENOMEM. */
int unchanged_remove(struct unchanged *unchanged, struct graph *graph,
		     const struct event_item *item);

void unchanged_begin(struct unchanged *unchanged, const struct event_item *item, bool sampled);

/* `read`: read_contents_find(), or NULL: it can't be taken back. */
void unchanged_read_count(struct unchanged *unchanged, struct read_content *read, uint16_t api,
			  uint64_t bytes, uint64_t ns);

/* If it was counted, it no longer is. */
void unchanged_read_take_back(struct unchanged *unchanged, struct read_content *read);

/* Return 0 or -ENOMEM. */
int unchanged_writes_add(const struct unchanged *unchanged, struct findings *findings);
int unchanged_reads_add(const struct unchanged *unchanged, struct findings *findings);

#endif
