/* SPDX-License-Identifier: MIT */
#include "analysis/findings/ordering/ideal.h"

#include <errno.h>

unsigned ideal_slots(uint32_t units)
{
	return !units ? 1 : units < IDEAL_SLOTS ? units : IDEAL_SLOTS;
}

unsigned ideal_slots_taken(const struct ideal *ideal, double room)
{
	unsigned slots = (unsigned)(room * ideal->slot_count + 0.999);

	if (!slots)
		return 1;
	return slots < ideal->slot_count ? slots : ideal->slot_count;
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

/* The place of the slot that is free the earliest but `skip` others. */
static unsigned slot_free(const struct ideal *ideal, unsigned skip)
{
	unsigned best = 0;

	for (unsigned i = 0; i < ideal->slot_count; i++) {
		unsigned before = 0;

		for (unsigned j = 0; j < ideal->slot_count; j++)
			before += ideal->slots[j] < ideal->slots[i] ||
				  (ideal->slots[j] == ideal->slots[i] && j < i);
		if (before == skip)
			best = i;
	}
	return best;
}

static int64_t room_from(const struct ideal *ideal, const struct ideal_command *command)
{
	if (command->engine >= 0)
		return ideal->engines[command->engine];
	return ideal->slots[slot_free(ideal, command->slots - 1)];
}

static void room_take(struct ideal *ideal, const struct ideal_command *command, int64_t end_ns)
{
	if (command->engine >= 0) {
		ideal->engines[command->engine] = end_ns;
		return;
	}
	/* Each of the earliest becomes the latest, or one of those. */
	for (unsigned i = 0; i < command->slots; i++)
		ideal->slots[slot_free(ideal, 0)] = end_ns;
}

/* What it has to wait for. */
static int64_t needs(const struct ideal *ideal, const struct ideal_command *command)
{
	int64_t ns = room_from(ideal, command);

	if (command->in_order)
		ns = later(ns, end_of(&ideal->queue_of, command->queue));
	if (command->memory->unknown || !command->memory->count)
		return later(ns, ideal->ended_ns);
	for (uint32_t i = 0; i < command->memory->count; i++)
		ns = later(ns, end_of(&ideal->memory_of, command->memory->memory[i]));
	return ns;
}

/* What is given after a wait comes so much earlier as what had ended by then did. */
static void waits_take(struct ideal *ideal, int64_t queued_ns)
{
	int64_t shift_ns = ideal->recorded_ns - ideal->ended_ns;
	bool any = false;

	while (ideal->wait_count &&
	       ideal->waited_ns[ideal->wait_first % IDEAL_WAITS] <= queued_ns) {
		ideal->wait_first++;
		ideal->wait_count--;
		any = true;
	}
	if (any && shift_ns > ideal->shift_ns)
		ideal->shift_ns = shift_ns;
}

/* The end of the command, of the latest, behind which this one started. */
static int64_t recorded_before(const struct ideal *ideal, int64_t start_ns)
{
	int64_t ns = INT64_MIN;

	for (unsigned i = 0; i < IDEAL_RECENT && i < ideal->recent; i++) {
		if (ideal->recent_ns[i] <= start_ns)
			ns = later(ns, ideal->recent_ns[i]);
	}
	return ns;
}

int ideal_command(struct ideal *ideal, const struct ideal_command *command)
{
	int64_t before_ns = recorded_before(ideal, command->start_ns);
	bool is_behind = before_ns > command->queued_ns;
	int64_t gap_ns = is_behind ? command->start_ns - before_ns : 0;
	int64_t launch_ns = is_behind ? 0 : command->start_ns - command->queued_ns;
	int64_t start_ns, end_ns;

	waits_take(ideal, command->queued_ns);
	start_ns = later(command->queued_ns - ideal->shift_ns + launch_ns,
			 needs(ideal, command) + gap_ns);
	if (start_ns > command->start_ns)
		start_ns = command->start_ns;
	end_ns = start_ns + command->end_ns - command->start_ns;
	room_take(ideal, command, end_ns);
	ideal->ended_ns = later(ideal->ended_ns, end_ns);
	ideal->recorded_ns = later(ideal->recorded_ns, command->end_ns);
	ideal->recent_ns[ideal->recent++ % IDEAL_RECENT] = command->end_ns;
	if (map_set(&ideal->queue_of, command->queue, (uint64_t)end_ns))
		return -ENOMEM;
	for (uint32_t i = 0; i < command->memory->count; i++) {
		if (map_set(&ideal->memory_of, command->memory->memory[i], (uint64_t)end_ns))
			return -ENOMEM;
	}
	return 0;
}

void ideal_waited(struct ideal *ideal, int64_t ns)
{
	if (ideal->wait_count == IDEAL_WAITS) {
		ideal->wait_first++;
		ideal->wait_count--;
	}
	ideal->waited_ns[(ideal->wait_first + ideal->wait_count++) % IDEAL_WAITS] = ns;
}

uint64_t ideal_saved_ns(const struct ideal *ideal)
{
	int64_t saved_ns = ideal->recorded_ns - ideal->ended_ns;

	return saved_ns > 0 ? (uint64_t)saved_ns : 0;
}

void ideal_free(struct ideal *ideal)
{
	map_free(&ideal->memory_of);
	map_free(&ideal->queue_of);
}
