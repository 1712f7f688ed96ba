/* SPDX-License-Identifier: MIT */
#include "analysis/findings/ordering/relaxed_schedule.h"

#include <errno.h>
#include <stdlib.h>

unsigned relaxed_slots(uint32_t units)
{
	return !units ? 1 : units < RELAXED_SLOTS ? units : RELAXED_SLOTS;
}

unsigned relaxed_slots_taken(const struct relaxed_schedule *schedule, double room)
{
	unsigned slots = (unsigned)(room * schedule->slot_count + 0.999);

	if (!slots)
		return 1;
	return slots < schedule->slot_count ? slots : schedule->slot_count;
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Times in a map, which holds no 0. */
static int64_t end_of(const struct map *map, uint32_t number)
{
	uint64_t known = map_get(map, number);

	return known == MAP_NONE ? INT64_MIN / 2 : (int64_t)known;
}

static int64_t room_from(const struct relaxed_schedule *schedule,
			 const struct relaxed_command *command)
{
	if (command->engine >= 0)
		return schedule->engines[command->engine];
	return schedule->slots[command->slots - 1];
}

/* Takes the slot that is free the latest of those that are by `ns`: what starts later leaves the
 * others to what comes behind it. The slots stay in the order of time. */
static void slot_take(struct relaxed_schedule *schedule, int64_t ns, int64_t until_ns)
{
	int64_t *slots = schedule->slots;
	unsigned at = 0, behind = schedule->slot_count;

	while (at + 1 < behind) {
		unsigned middle = (at + behind) / 2;

		if (slots[middle] <= ns)
			at = middle;
		else
			behind = middle;
	}
	for (; at + 1 < schedule->slot_count && slots[at + 1] < until_ns; at++)
		slots[at] = slots[at + 1];
	for (; at > 0 && slots[at - 1] > until_ns; at--)
		slots[at] = slots[at - 1];
	slots[at] = until_ns;
}

static void room_take(struct relaxed_schedule *schedule, const struct relaxed_command *command,
		      int64_t start_ns, int64_t end_ns)
{
	int64_t until_ns;

	if (command->engine >= 0) {
		schedule->engines[command->engine] = end_ns;
		return;
	}
	/* One that was taken is free after the start. */
	until_ns = end_ns > start_ns ? end_ns : start_ns + 1;
	if (command->slots >= schedule->slot_count) {
		for (unsigned i = 0; i < schedule->slot_count && schedule->slots[i] < until_ns; i++)
			schedule->slots[i] = until_ns;
		return;
	}
	for (unsigned i = 0; i < command->slots; i++)
		slot_take(schedule, start_ns, until_ns);
}

/* Of what used the memory before: what is a part waits for those that used that part, or all; what
 * is all, for those that used any part of it. */
static int64_t used_end(const struct relaxed_memory *used, const struct used_memory_list *list,
			uint32_t at)
{
	uint32_t memory = list->memory[at], whole = list->whole[at];

	if (memory == whole)
		return end_of(&used->any_of, whole);
	return later(end_of(&used->memory_of, memory), end_of(&used->memory_of, whole));
}

static bool is_read(const struct used_memory_list *list, uint32_t at)
{
	return list->reads >> at & 1;
}

/* What is only read does not wait for others that only read it. */
static int64_t memory_end(const struct relaxed_schedule *schedule,
			  const struct used_memory_list *list, uint32_t at)
{
	int64_t ns = used_end(&schedule->written, list, at);

	return is_read(list, at) ? ns : later(ns, used_end(&schedule->read, list, at));
}

static int memory_take(struct relaxed_schedule *schedule, const struct used_memory_list *list,
		       uint32_t at, int64_t end_ns)
{
	struct relaxed_memory *used = is_read(list, at) ? &schedule->read : &schedule->written;
	int64_t any_ns = later(end_ns, end_of(&used->any_of, list->whole[at]));
	int64_t own_ns = is_read(list, at)
				 ? later(end_ns, end_of(&used->memory_of, list->memory[at]))
				 : end_ns;

	if (map_set(&used->memory_of, list->memory[at], (uint64_t)own_ns))
		return -ENOMEM;
	return map_set(&used->any_of, list->whole[at], (uint64_t)any_ns);
}

/* What it has to wait for. */
static int64_t needs(const struct relaxed_schedule *schedule, const struct relaxed_command *command)
{
	int64_t ns = room_from(schedule, command);

	if (command->in_order)
		ns = later(ns, end_of(&schedule->queue_of, command->queue));
	if (command->memory->unknown || !command->memory->count)
		return later(ns, schedule->ended_ns);
	for (uint32_t i = 0; i < command->memory->count; i++)
		ns = later(ns, memory_end(schedule, command->memory, i));
	return ns;
}

/* What is given after a wait comes so much earlier as what had ended by then did. */
static void waits_take(struct relaxed_schedule *schedule, int64_t queued_ns)
{
	int64_t shift_ns = schedule->recorded_ns - schedule->ended_ns;
	bool any = false;

	while (schedule->wait_count && schedule->waited_ns[schedule->wait_first] <= queued_ns) {
		schedule->wait_first = (schedule->wait_first + 1) % schedule->wait_most;
		schedule->wait_count--;
		any = true;
	}
	if (any && shift_ns > schedule->shift_ns)
		schedule->shift_ns = shift_ns;
}

/* The end of the command, of the latest, behind which this one started. */
static int64_t recorded_before(const struct relaxed_schedule *schedule, int64_t start_ns)
{
	int64_t ns = INT64_MIN;

	if (schedule->recent && schedule->recorded_ns <= start_ns)
		return schedule->recorded_ns;
	for (unsigned i = 0; i < RELAXED_RECENT && i < schedule->recent; i++) {
		if (schedule->recent_ns[i] <= start_ns)
			ns = later(ns, schedule->recent_ns[i]);
	}
	return ns;
}

int relaxed_command(struct relaxed_schedule *schedule, const struct relaxed_command *command)
{
	int64_t before_ns = recorded_before(schedule, command->start_ns);
	bool is_behind = before_ns > command->queued_ns;
	int64_t gap_ns = is_behind ? command->start_ns - before_ns : 0;
	int64_t launch_ns = is_behind ? 0 : command->start_ns - command->queued_ns;
	int64_t start_ns, end_ns;

	waits_take(schedule, command->queued_ns);
	start_ns = later(command->queued_ns - schedule->shift_ns + launch_ns,
			 needs(schedule, command) + gap_ns);
	if (start_ns > command->start_ns)
		start_ns = command->start_ns;
	end_ns = start_ns + command->end_ns - command->start_ns;
	room_take(schedule, command, start_ns, end_ns);
	schedule->ended_ns = later(schedule->ended_ns, end_ns);
	schedule->recorded_ns = later(schedule->recorded_ns, command->end_ns);
	schedule->recent_ns[schedule->recent++ % RELAXED_RECENT] = command->end_ns;
	if (map_set(&schedule->queue_of, command->queue, (uint64_t)end_ns))
		return -ENOMEM;
	for (uint32_t i = 0; i < command->memory->count; i++) {
		if (memory_take(schedule, command->memory, i, end_ns))
			return -ENOMEM;
	}
	return 0;
}

static int waits_grow(struct relaxed_schedule *schedule)
{
	unsigned most = schedule->wait_most ? 2 * schedule->wait_most : RELAXED_WAITS;
	int64_t *waited_ns = malloc(most * sizeof(*waited_ns));

	if (!waited_ns)
		return -ENOMEM;
	for (unsigned i = 0; i < schedule->wait_count; i++)
		waited_ns[i] =
			schedule->waited_ns[(schedule->wait_first + i) % schedule->wait_most];
	free(schedule->waited_ns);
	schedule->waited_ns = waited_ns;
	schedule->wait_most = most;
	schedule->wait_first = 0;
	return 0;
}

int relaxed_waited(struct relaxed_schedule *schedule, int64_t ns)
{
	if (schedule->wait_count == schedule->wait_most) {
		if (schedule->wait_most < RELAXED_WAITS_MOST) {
			if (waits_grow(schedule))
				return -ENOMEM;
		} else {
			schedule->wait_first = (schedule->wait_first + 1) % schedule->wait_most;
			schedule->wait_count--;
		}
	}
	schedule->waited_ns[(schedule->wait_first + schedule->wait_count++) % schedule->wait_most] =
		ns;
	return 0;
}

uint64_t relaxed_saved_ns(const struct relaxed_schedule *schedule)
{
	int64_t saved_ns = schedule->recorded_ns - schedule->ended_ns;

	return saved_ns > 0 ? (uint64_t)saved_ns : 0;
}

void relaxed_free(struct relaxed_schedule *schedule)
{
	map_free(&schedule->written.memory_of);
	map_free(&schedule->written.any_of);
	map_free(&schedule->read.memory_of);
	map_free(&schedule->read.any_of);
	map_free(&schedule->queue_of);
	free(schedule->waited_ns);
}
