/* SPDX-License-Identifier: MIT */
/* The devices of a session as rows: what each executed, for all processes, its
 * utilisation, how many commands were in its host and its device queue, and the
 * memory in use. Part of building an index. One thread.
 *
 *	view_resources_init(&resources, &writer, iterator, &hosts);
 *	view_resources_memory(&resources, item);            in the order of time
 *	view_resources_command(&resources, command, ...);   in the order of start
 *	view_resources_finish(&resources);
 *	view_resources_free(&resources);
 */
#ifndef TANDEM_VIEW_ROWS_RESOURCES_H
#define TANDEM_VIEW_ROWS_RESOURCES_H

#include "analysis/events/event_iterator.h"
#include "view/index/index_writer.h"
#include "view/rows/hosts.h"

/* What is known of a command until its spans are written. */
struct view_pending {
	int64_t end_ns, queued_ns, submitted_ns;
	uint32_t queue;	  /* of view_queues */
	uint32_t device;  /* row of devices */
	uint8_t row_kind; /* enum view_row_kind */
	bool waits;	  /* queued and submitted are known */
};

struct view_device;

struct view_resources {
	struct index_writer *writer;	 /* borrowed */
	struct event_iterator *iterator; /* borrowed */
	struct view_hosts *hosts;	 /* borrowed */
	uint32_t row;			 /* + 1; 0: not made yet */
	struct view_device **devices;	 /* by row of devices; may be NULL */
	size_t device_count, device_capacity;
	struct track_writer **memory; /* by row of the iterator's memory; may be NULL */
	size_t memory_count, memory_capacity;
};

void view_resources_init(struct view_resources *resources, struct index_writer *writer,
			 struct event_iterator *iterator, struct view_hosts *hosts);

/* All of these return 0 or -errno. */

/* The row of a CPU. */
int view_resources_cpu(struct view_resources *resources, uint32_t cpu, uint32_t *row);

/* The writer's row of a device. */
int view_resources_device(struct view_resources *resources, uint32_t device, uint32_t *row);

int view_resources_memory(struct view_resources *resources, const struct event_item *item);

/* A command with device times, each beginning no earlier than the one before;
 * `number` is its place in writer->commands. */
int view_resources_command(struct view_resources *resources, const struct view_pending *pending,
			   uint32_t number);

int view_resources_finish(struct view_resources *resources);

void view_resources_free(struct view_resources *resources);

#endif
