/* SPDX-License-Identifier: MIT */
/* What is kept of a command queue: how it is shown to the program, its commands under
 * way (command.h), and its device's clock. Made when the queue is first seen, and kept
 * for the process's life: a completion may come late. Any thread.
 */
#ifndef TANDEM_OPENCL_QUEUE_H
#define TANDEM_OPENCL_QUEUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "domains/opencl/gen/next.h"
#include "domains/opencl/timer.h"

struct opencl_pending; /* a command whose end is not known yet */

struct opencl_queue {
	void *handle;
	struct opencl_timer timer; /* of its device */
	uint32_t number;	   /* ours; 0: not described since the last resume */
	uint32_t statedump;	   /* for which number is valid */
	uint8_t timing;		   /* enum tandem_timing */
	bool in_order;
	bool array;		 /* made from a property list, which is at `properties` */
	uint8_t property_count;	 /* entries with the closing 0 */
	uint64_t properties[17]; /* as the program gave them */
	struct opencl_pending *_Atomic fresh;	/* newest first; any thread pushes */
	struct opencl_pending *oldest, *newest; /* in order; whoever holds `harvesting` */
	_Atomic uint32_t harvesting;
	_Atomic uint32_t pending;  /* commands in both lists */
	_Atomic uint32_t look_at;  /* how many pending make it worth looking */
	_Atomic uint32_t running;  /* commands found running right after their enqueue, in a row */
	struct opencl_queue *next; /* all queues, newest first */
};

/* The queue's state, made and described when it is first seen; NULL without
 * memory or for NULL. */
struct opencl_queue *opencl_queue_get(void *handle);
struct opencl_queue *opencl_queue_find(void *handle);
extern struct opencl_queue *_Atomic opencl_queues;

/* A queue that has just been made: `timing` an enum tandem_timing, its property list
 * or NULL. Returns its number. */
uint32_t opencl_queue_made(void *handle, uint8_t timing, const uint64_t *properties, size_t count);

/* Called once, when the first queue is known. */
void opencl_queue_at_first(void (*function)(void));

/* A command buffer runs on the queues it is given, else on its own. */
uint32_t opencl_created_command_buffer(void *command_buffer, enum opencl_fn fn, uint32_t count,
				       const void *queues);
void *opencl_command_buffer_queue(uint32_t count, const void *queues, const void *command_buffer);

#endif
