#include "analysis/stats/contention.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/radix.h"

#define MOMENTS 3u /* of a command: queued, start, end */

/* A moment is a number: when it is, in ns after the first of its round; the place
 * of the command's process; and what it changes in the numbers of its commands. So
 * all moments can be sorted quickly, and no branch is needed on which kind comes
 * next, which is as good as random. */
#define CHANGE_BITS 2u
#define PLACE_BITS 15u
#define WHEN_SHIFT (2 * CHANGE_BITS + PLACE_BITS)
#define TOO_FAR (UINT64_MAX >> WHEN_SHIFT) /* for this round */

_Static_assert(SHARING_MOST <= 1u << PLACE_BITS, "each command may be of another process");

static uint64_t moment_make(uint64_t when, uint32_t place, int waiting, int executing)
{
	return (when < TOO_FAR ? when : TOO_FAR) << WHEN_SHIFT |
	       (uint64_t)place << 2 * CHANGE_BITS |
	       (uint64_t)(waiting + 1) << CHANGE_BITS | (uint64_t)(executing + 1);
}

static uint64_t moment_when(uint64_t moment)
{
	return moment >> WHEN_SHIFT;
}

static uint32_t moment_place(uint64_t moment)
{
	return moment >> 2 * CHANGE_BITS & ((1u << PLACE_BITS) - 1);
}

static int waiting_change(uint64_t moment)
{
	return (int)(moment >> CHANGE_BITS & 3) - 1;
}

static int executing_change(uint64_t moment)
{
	return (int)(moment & 3) - 1;
}

static struct sharing_pair *pair_get(struct sharing *sharing, uint32_t process, uint32_t other)
{
	uint64_t key = (uint64_t)process << 32 | other;
	uint64_t index = map_get(&sharing->pair_of, key);

	if (index != MAP_NONE)
		return &sharing->pairs[index];
	if (array_reserve(&sharing->pairs, &sharing->pair_capacity, sharing->pair_count + 1,
			  sizeof(*sharing->pairs)) ||
	    map_set(&sharing->pair_of, key, sharing->pair_count))
		return NULL;
	sharing->pairs[sharing->pair_count] = (struct sharing_pair){process, other, 0, 0};
	return &sharing->pairs[sharing->pair_count++];
}

/* What was summed up goes into the pairs. */
static int sums_settle(struct sharing *sharing)
{
	size_t side = sharing->sum_side;

	for (size_t i = 0; i < sharing->active_count; i++) {
		for (size_t k = 0; k <= sharing->active_count; k++) {
			/* The first row is the idle device's. */
			struct sharing_sum *sum = &sharing->sums[k * side + i];
			struct sharing_pair *pair;

			if (!sum->alone_ns && sum->waited_ns == 0 && sum->beside_ns == 0)
				continue;
			pair = pair_get(sharing, sharing->active[i].process,
					k ? sharing->active[k - 1].process : SHARING_NOBODY);
			if (!pair)
				return -ENOMEM;
			pair->waited_ns += (double)sum->alone_ns + sum->waited_ns;
			pair->beside_ns += sum->beside_ns;
			*sum = (struct sharing_sum){0, 0, 0};
		}
	}
	return 0;
}

static int active_add(struct sharing *sharing, uint32_t process)
{
	size_t known = sharing->process_capacity;

	if (array_reserve(&sharing->place_of, &sharing->process_capacity, (size_t)process + 1,
			  sizeof(*sharing->place_of)) ||
	    array_reserve(&sharing->active, &sharing->active_capacity, sharing->active_count + 1,
			  sizeof(*sharing->active)))
		return -ENOMEM;
	if (sharing->process_capacity > known)
		memset(sharing->place_of + known, 0,
		       (sharing->process_capacity - known) * sizeof(*sharing->place_of));
	sharing->active[sharing->active_count++] = (struct sharing_process){process, 0, 0};
	sharing->place_of[process] = (uint32_t)sharing->active_count;
	return 0;
}

/* The processes whose commands these are. */
static int active_list(struct sharing *sharing)
{
	size_t side = sharing->sum_side;

	for (size_t i = 0; i < sharing->count; i++) {
		uint32_t process = sharing->commands[i].process;

		if (process < sharing->process_capacity && sharing->place_of[process])
			continue;
		if (active_add(sharing, process))
			return -ENOMEM;
	}
	if (sharing->active_count < side)
		return 0;
	side = 2 * sharing->active_count + 4;
	free(sharing->sums);
	sharing->sums = calloc(side * side, sizeof(*sharing->sums));
	sharing->sum_side = sharing->sums ? side : 0;
	return sharing->sums ? 0 : -ENOMEM;
}

static void active_clear(struct sharing *sharing)
{
	for (size_t i = 0; i < sharing->active_count; i++)
		sharing->place_of[sharing->active[i].process] = 0;
	sharing->active_count = sharing->executing = sharing->executing_places = 0;
}

/* `ns` in which nothing changed, and several executed. */
static void pass_among(struct sharing *sharing, uint64_t ns)
{
	size_t count = sharing->active_count;
	uint64_t executing = 0;

	for (size_t i = 0; i < count; i++)
		executing += sharing->active[i].executing;
	for (size_t k = 0; k < count; k++) {
		struct sharing_sum *sums = &sharing->sums[(k + 1) * sharing->sum_side];
		uint32_t of_other = sharing->active[k].executing;
		double part = (double)ns * of_other / (double)executing;

		for (size_t i = 0; of_other && i < count; i++) {
			sums[i].waited_ns += part * sharing->active[i].waiting;
			if (sharing->active[i].executing && i != k)
				sums[i].beside_ns += (double)ns;
		}
	}
}

/* `ns` in which nothing changed. */
static void pass_time(struct sharing *sharing, uint64_t ns)
{
	size_t row = sharing->executing ? sharing->executing_places + 1 : 0;
	struct sharing_sum *sums = sharing->sums + row * sharing->sum_side;

	sharing->busy_ns += sharing->executing ? ns : 0;
	if (sharing->executing > 1) {
		pass_among(sharing, ns);
		return;
	}
	for (size_t i = 0; i < sharing->active_count; i++)
		sums[i].alone_ns += ns * sharing->active[i].waiting;
}

static void take_change(struct sharing *sharing, uint32_t place, int waiting, int executing)
{
	struct sharing_process *process = &sharing->active[place];
	bool before = process->executing != 0;

	process->waiting += (uint32_t)waiting;
	process->executing += (uint32_t)executing;
	if (before != (process->executing != 0)) {
		sharing->executing += before ? (size_t)-1 : 1;
		sharing->executing_places += before ? 0 - (size_t)place : place;
	}
}

/* Forgets what ended by the frontier. Returns when something changes next. */
static uint64_t commands_trim(struct sharing *sharing)
{
	uint64_t frontier = sharing->frontier, next = UINT64_MAX;
	size_t count = 0;

	for (size_t i = 0; i < sharing->count; i++) {
		const struct sharing_command *command = &sharing->commands[i];
		uint64_t first = command->queued > frontier  ? command->queued
				 : command->start > frontier ? command->start
							     : command->end;

		if (command->end <= frontier)
			continue;
		next = first < next ? first : next;
		sharing->commands[count++] = *command;
	}
	sharing->count = count;
	return next;
}

/* What of the commands lies behind the frontier, in the order of time, from `first`
 * on; what they are at the frontier counts at once. */
static const uint64_t *moments_sort(struct sharing *sharing, uint64_t first, size_t *moment_count)
{
	uint64_t frontier = sharing->frontier, all = 0;
	size_t count = sharing->count, start_count = 0, wait_count = 0;
	uint64_t *ends, *starts, *waits;

	if (array_reserve(&sharing->moments, &sharing->moment_capacity, 2 * MOMENTS * count + 1,
			  sizeof(*sharing->moments)))
		return NULL;
	/* At one time, what ends comes first, then what starts: sorting keeps it so. */
	ends = sharing->moments;
	starts = ends + count;
	waits = starts + count;
	for (size_t i = 0; i < count; i++) {
		const struct sharing_command *command = &sharing->commands[i];
		uint32_t place = sharing->place_of[command->process] - 1;
		bool waited = command->queued < command->start;

		ends[i] = moment_make(command->end - first, place, 0, -1);
		all |= ends[i];
		if (command->start <= frontier) {
			take_change(sharing, place, 0, 1);
			continue;
		}
		starts[start_count++] =
			moment_make(command->start - first, place, -waited, 1);
		if (command->queued <= frontier)
			take_change(sharing, place, 1, 0);
		else if (waited)
			waits[wait_count++] =
				moment_make(command->queued - first, place, 1, 0);
	}
	memmove(starts + start_count, waits, wait_count * sizeof(*waits));
	*moment_count = count + start_count + wait_count;
	/* An end is the latest moment of its command. */
	return radix_sort(ends, ends + MOMENTS * count, *moment_count, WHEN_SHIFT,
			  all >> WHEN_SHIFT ? 64 - (unsigned)__builtin_clzll(all) : WHEN_SHIFT);
}

/* When all but the last `kept` commands had started; no more than this round. */
static uint64_t start_before(const uint64_t *moments, size_t count, size_t kept)
{
	for (size_t i = count; kept && i > 0; i--) {
		if (executing_change(moments[i - 1]) > 0 && !--kept)
			return moments[i - 1] < TOO_FAR << WHEN_SHIFT ? moment_when(moments[i - 1])
								      : TOO_FAR - 1;
	}
	return TOO_FAR - 1;
}

/* Works off everything up to when all but `kept_starts` commands had started, and
 * forgets what ended by then; not more than one round. */
static int work_off(struct sharing *sharing, size_t kept_starts)
{
	uint64_t first = commands_trim(sharing), now, until;
	const uint64_t *moments = NULL;
	size_t count = 0;
	int status;

	if (!sharing->count)
		return 0;
	status = active_list(sharing);
	if (!status)
		moments = moments_sort(sharing, first, &count);
	if (!moments)
		return -ENOMEM;
	now = sharing->frontier ? sharing->frontier : first;
	until = start_before(moments, count, kept_starts);
	for (size_t i = 0; i < count && moment_when(moments[i]) <= until; i++) {
		uint64_t when = first + moment_when(moments[i]);

		if (when > now)
			pass_time(sharing, when - now);
		now = when;
		take_change(sharing, moment_place(moments[i]), waiting_change(moments[i]),
			    executing_change(moments[i]));
	}
	status = sums_settle(sharing);
	active_clear(sharing);
	sharing->frontier = now;
	commands_trim(sharing);
	return status;
}

int sharing_add(struct sharing *sharing, uint32_t process, uint64_t queued, uint64_t start,
		uint64_t end)
{
	if (queued < sharing->frontier)
		sharing->late++;
	if (array_reserve(&sharing->commands, &sharing->capacity, sharing->count + 1,
			  sizeof(*sharing->commands)))
		return -ENOMEM;
	sharing->commands[sharing->count++] =
		(struct sharing_command){process, queued, start, end};
	if (sharing->count < SHARING_MOST)
		return 0;
	/* Commands that all last for ever would fill it again at once. */
	if (work_off(sharing, SHARING_KEPT))
		return -ENOMEM;
	return sharing->count < SHARING_MOST / 4 * 3 ? 0 : sharing_settle(sharing);
}

int sharing_rest(struct sharing *sharing)
{
	return sharing->count < SHARING_MOST / 2 ? 0 : sharing_settle(sharing);
}

int sharing_settle(struct sharing *sharing)
{
	int status = 0;

	while (sharing->count && !status)
		status = work_off(sharing, 0);
	return status;
}

void sharing_free(struct sharing *sharing)
{
	free(sharing->commands);
	free(sharing->pairs);
	free(sharing->active);
	free(sharing->place_of);
	free(sharing->sums);
	free(sharing->moments);
	map_free(&sharing->pair_of);
	memset(sharing, 0, sizeof(*sharing));
}
