/* SPDX-License-Identifier: MIT */
#include "analysis/findings/overlap/effort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

static int add(struct effort *effort, struct map *of, uint64_t key, uint64_t running_ns,
	       uint64_t away_ns)
{
	uint64_t known = map_get(of, key);

	if (known == MAP_NONE) {
		known = effort->time_count;
		if (array_reserve(&effort->times, &effort->time_capacity, known + 1,
				  sizeof(*effort->times)) ||
		    map_set(of, key, known))
			return -ENOMEM;
		effort->times[effort->time_count++] = (struct effort_time){.running_ns = 0};
	}
	effort->times[known].running_ns += running_ns;
	effort->times[known].away_ns += away_ns;
	return 0;
}

int effort_interval(struct effort *effort, const struct wait_thread *thread,
		    const struct states_interval *interval)
{
	uint64_t ns = (uint64_t)(interval->to - interval->from);
	bool runs = interval->state == STATE_RUNNING;
	bool away = interval->state == STATE_WAIT_CPU && interval->by == WAKER_THREAD &&
		    interval->by_tid && interval->by_pid != thread->thread->pid;
	int status;

	if (!runs && !away)
		return 0;
	status = add(effort, &effort->processes, thread->thread->pid, runs ? ns : 0, away ? ns : 0);
	if (!status && thread->stream)
		status =
			add(effort, &effort->threads, thread->stream, runs ? ns : 0, away ? ns : 0);
	return status;
}

static struct effort_time now(const struct effort *effort, const struct map *of, uint64_t key)
{
	uint64_t known = map_get(of, key);

	return known == MAP_NONE ? (struct effort_time){.running_ns = 0} : effort->times[known];
}

static struct effort_time since(struct effort_time to, struct effort_time from)
{
	return (struct effort_time){to.running_ns - from.running_ns, to.away_ns - from.away_ns};
}

int effort_cycle(struct effort *effort, size_t lane, uint32_t stream, uint64_t pid, uint64_t ns)
{
	struct effort_time driver = now(effort, &effort->threads, stream + 1);
	struct effort_time process = now(effort, &effort->processes, pid);
	struct effort_lane *mine;

	if (array_reserve(&effort->lanes, &effort->lane_capacity, lane + 1, sizeof(*effort->lanes)))
		return -ENOMEM;
	while (effort->lane_count <= lane)
		effort->lanes[effort->lane_count++] = (struct effort_lane){.begun = false};
	mine = &effort->lanes[lane];
	if (!mine->begun) {
		mine->begun = true;
		mine->driver_from = driver;
		mine->process_from = process;
		return 0;
	}
	mine->share.driver = since(driver, mine->driver_from);
	mine->share.others = since(since(process, mine->process_from), mine->share.driver);
	mine->share.cycles_ns += ns;
	return 0;
}

bool effort_of(const struct effort *effort, size_t lane, struct effort_share *share)
{
	if (lane >= effort->lane_count || !effort->lanes[lane].share.others.running_ns)
		return false;
	*share = effort->lanes[lane].share;
	return true;
}

void effort_free(struct effort *effort)
{
	map_free(&effort->threads);
	map_free(&effort->processes);
	free(effort->times);
	free(effort->lanes);
	memset(effort, 0, sizeof(*effort));
}
