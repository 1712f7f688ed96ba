/* SPDX-License-Identifier: MIT */
/* Transfers and kernels that only the order of their queue keeps apart: each was there before the
 * one before it ended, on a device with engines for kernels and for transfers of each direction.
 * Such a stretch consists of frames: transfers to the device, kernels, transfers to the host, or
 * some of these. What would be left of it is in schedule.h.
 *
 * Frames are independent as far as their commands use other memory (used_memory.h). Where it is not
 * known what kernels use, they are taken to use what their own frame moves, if frames are alike in
 * kernels and bytes and take turns in the buffers that they move; else nothing of them overlaps.
 * Memory grows with queues, memory objects and commands in flight. One thread.
 *
 *	struct frames frames;
 *
 *	frames_init(&frames, session, &memory);	the caller gives `memory` each item first
 *	frames_item(&frames, findings, item);		each item
 *	frames_add(&frames, findings);		no more comes
 *	frames_free(&frames);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_OVERLAP_FRAMES_H
#define TANDEM_ANALYSIS_FINDINGS_OVERLAP_FRAMES_H

#include "analysis/findings/finding.h"
#include "analysis/operations/used_memory.h"

struct frames_queue;
struct frames_used;

struct frames {
	const struct used_memory *memory;
	/* Of commands in flight, by operation: the one thing that it uses, or an index of `used`. */
	struct map one_of, used_of;
	struct frames_used *used;
	size_t used_count, used_capacity;
	uint32_t free_used; /* + 1 */
	struct map queue_of;
	struct frames_queue *queues;
	size_t count, capacity;
	uint64_t *wait_ns; /* by stream: in calls that wait */
};

/* Return 0 or -ENOMEM; after an error frames_free() is called as well. Operations: in the order of
 * their ends. */
int frames_init(struct frames *frames, const struct trace_session *session,
		const struct used_memory *memory);
int frames_item(struct frames *frames, struct findings *findings, const struct event_item *item);

/* Nothing of a queue that has such a finding already. */
int frames_add(struct frames *frames, struct findings *findings);

void frames_free(struct frames *frames);

#endif
