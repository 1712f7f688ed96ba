/* SPDX-License-Identifier: MIT */
#include "analysis/findings/overlap/schedule.h"

#include <errno.h>

static void wait_until(uint64_t *start_ns, uint64_t ns)
{
	if (*start_ns < ns)
		*start_ns = ns;
}

/* The end of the latest command that had ended when this one was enqueued; 0: it is not known. */
static uint64_t awaited_ns(const struct schedule *schedule, int64_t queued_ns)
{
	uint64_t oldest = schedule->count > SCHEDULE_PAST ? schedule->count - SCHEDULE_PAST : 0;

	for (uint64_t i = schedule->count; i > oldest; i--) {
		const struct schedule_past *past = &schedule->past[(i - 1) % SCHEDULE_PAST];

		if (past->recorded_ns <= queued_ns)
			return past->end_ns;
	}
	return 0;
}

int schedule_add(struct schedule *schedule, const struct schedule_command *command)
{
	uint64_t start_ns = schedule->fence_ns, end_ns, used_ns;

	if (schedule->memory.count > SCHEDULE_MEMORY_MOST) {
		schedule_fence(schedule);
		start_ns = schedule->fence_ns;
		map_clear(&schedule->memory);
	}
	wait_until(&start_ns, schedule->free_ns[command->engine]);
	wait_until(&start_ns, awaited_ns(schedule, command->queued_ns));
	for (unsigned i = 0; i < command->used_count; i++) {
		used_ns = map_get(&schedule->memory, command->used[i]);
		if (used_ns != MAP_NONE)
			wait_until(&start_ns, used_ns);
	}
	end_ns = start_ns + command->gap_ns + command->run_ns;
	for (unsigned i = 0; i < command->used_count; i++) {
		if (map_set(&schedule->memory, command->used[i], end_ns))
			return -ENOMEM;
	}
	schedule->free_ns[command->engine] = end_ns;
	schedule->past[schedule->count++ % SCHEDULE_PAST] =
		(struct schedule_past){command->end_ns, end_ns};
	wait_until(&schedule->end_ns, end_ns);
	return 0;
}

void schedule_fence(struct schedule *schedule)
{
	schedule->fence_ns = schedule->end_ns;
}

void schedule_free(struct schedule *schedule)
{
	map_free(&schedule->memory);
}
