/* SPDX-License-Identifier: MIT */
/* Reads that do not wait for their data: what came is looked at when the thread that enqueued them has waited
 * for them, and recorded behind that call (`content_arrived`). The memory may be gone by then, as where
 * another thread learnt of the end first and freed it: it is read so that this does no harm, which is a
 * system call, of 2 us; a hash of it all would take ten times as long. Only where all arguments are recorded.
 *
 *	tandem_content_expect(&(struct tandem_content_later){...});	a read that did not wait
 *	tandem_content_arrived(queue);					a wait for all of a queue
 *	tandem_content_arrived_event(event);				... for an event
 *
 * The latest 32 of the process are remembered, and each is for the thread that enqueued it: what another one
 * waits for is not looked at. No memory of the thread's own: a library that is loaded late has little of that.
 */
#ifndef TANDEM_CORE_CALL_CONTENT_LATER_H
#define TANDEM_CORE_CALL_CONTENT_LATER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tandem_content_later {
	uint64_t op;
	const void *data;
	uint64_t offset; /* where from, in the memory object */
	uint64_t bytes;
	const void *queue; /* handles, to be recognised; event: NULL if the program has none */
	const void *event;
};

#pragma GCC visibility push(hidden)
extern _Atomic unsigned tandem_contents_later; /* how many are remembered */

void tandem_content_expect(const struct tandem_content_later *content);
void tandem_content_arrived_now(const void *queue, const void *event);
#pragma GCC visibility pop

static inline bool tandem_content_is_expected(void)
{
	return atomic_load_explicit(&tandem_contents_later, memory_order_relaxed) != 0;
}

/* `queue`: a handle; all that the thread has enqueued there is complete. */
static inline void tandem_content_arrived(const void *queue)
{
	if (tandem_content_is_expected())
		tandem_content_arrived_now(queue, NULL);
}

static inline void tandem_content_arrived_event(const void *event)
{
	if (event && tandem_content_is_expected())
		tandem_content_arrived_now(NULL, event);
}

/* What it has enqueued anywhere. */
static inline void tandem_content_arrived_all(void)
{
	if (tandem_content_is_expected())
		tandem_content_arrived_now(NULL, NULL);
}

#endif
