/* SPDX-License-Identifier: MIT */
#include "analysis/findings/preemption/own_work.h"

#include <errno.h>
#include <stdlib.h>

#include "util/array.h"

/* Such a part of what it ran: a driver's thread prepares a command now and then, and ends one. */
#define BESIDE_PART 4

int own_work_interval(struct own_work *own, const struct wait_thread *thread,
		      const struct states_interval *interval)
{
	struct own_worker *worker;

	if (thread->stream || interval->state != STATE_RUNNING)
		return 0;
	if (array_reserve(&own->workers, &own->capacity, thread->index + 1, sizeof(*own->workers)))
		return -ENOMEM;
	while (own->count <= thread->index)
		own->workers[own->count++] = (struct own_worker){.ran_ns = 0};
	worker = &own->workers[thread->index];
	worker->ran_ns += interval->to - interval->from;
	worker->until_ns = interval->to;
	return recent_add(&worker->ran, interval->from, interval->to);
}

void own_work_event(struct own_work *own, const struct findings *findings,
		    const struct sequence_event *event)
{
	if (!(devices_taken_part(&findings->iterator->devices.rows[event->device]) > 0))
		return;
	if (event->kind == SEQUENCE_END) {
		if (own->running && !--own->running)
			own->idle_ns = event->ns;
		return;
	}
	if (own->running++ || !own->idle_ns)
		return;
	for (size_t i = 0; i < own->count; i++) {
		struct own_worker *worker = &own->workers[i];

		if (worker->until_ns > own->idle_ns)
			worker->beside_ns += recent_within(&worker->ran, own->idle_ns, event->ns);
	}
}

bool own_work_is(const struct own_work *own, const struct wait_thread *thread)
{
	const struct own_worker *worker =
		thread->index < own->count ? &own->workers[thread->index] : NULL;

	return worker && !thread->stream && worker->beside_ns * BESIDE_PART > worker->ran_ns;
}

void own_work_free(struct own_work *own)
{
	for (size_t i = 0; i < own->count; i++)
		recent_free(&own->workers[i].ran);
	free(own->workers);
}
