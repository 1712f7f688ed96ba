#include "analysis/sharing.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

#define MOMENTS 3u /* of a command: queued, start, end */

/* What a moment changes in the numbers of its process's commands: the value of an
 * item to sort. By numbers and not by kinds, because which kind comes next is as
 * good as random, and a branch on it is guessed wrong each time. */
static uint64_t moment_value(uint32_t process, int waiting, int executing)
{
	return process | (uint64_t)(waiting + 1) << 32 | (uint64_t)(executing + 1) << 34;
}

static int waiting_change(uint64_t value)
{
	return (int)(value >> 32 & 3) - 1;
}

static int executing_change(uint64_t value)
{
	return (int)(value >> 34 & 3) - 1;
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

			if (sum->waited_ns == 0 && sum->beside_ns == 0)
				continue;
			pair = pair_get(sharing, sharing->active[i].process,
					k ? sharing->active[k - 1].process : SHARING_NOBODY);
			if (!pair)
				return -ENOMEM;
			pair->waited_ns += sum->waited_ns;
			pair->beside_ns += sum->beside_ns;
			*sum = (struct sharing_sum){0, 0};
		}
	}
	return 0;
}

static int active_add(struct sharing *sharing, uint32_t process)
{
	if (sharing->active_count + 1 >= sharing->sum_side) {
		size_t side = 2 * sharing->sum_side + 4;
		struct sharing_sum *sums = calloc(side * side, sizeof(*sums));

		if (!sums || sums_settle(sharing)) {
			free(sums);
			return -ENOMEM;
		}
		free(sharing->sums);
		sharing->sums = sums;
		sharing->sum_side = side;
	}
	if (array_reserve(&sharing->active, &sharing->active_capacity, sharing->active_count + 1,
			  sizeof(*sharing->active)))
		return -ENOMEM;
	sharing->active[sharing->active_count++] = (struct sharing_process){process, 0, 0};
	return 0;
}

static struct sharing_process *active_get(struct sharing *sharing, uint32_t process)
{
	for (size_t i = 0; i < sharing->active_count; i++) {
		if (sharing->active[i].process == process)
			return &sharing->active[i];
	}
	return active_add(sharing, process) ? NULL : &sharing->active[sharing->active_count - 1];
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
		sums[i].waited_ns += (double)ns * sharing->active[i].waiting;
}

static int take_moment(struct sharing *sharing, uint64_t value)
{
	struct sharing_process *process = active_get(sharing, (uint32_t)value);
	int before;

	if (!process)
		return -ENOMEM;
	before = process->executing != 0;
	process->waiting += (uint32_t)waiting_change(value);
	process->executing += (uint32_t)executing_change(value);
	if (before != (process->executing != 0)) {
		size_t place = (size_t)(process - sharing->active);

		sharing->executing += before ? (size_t)-1 : 1;
		sharing->executing_places += before ? 0 - place : place;
	}
	return 0;
}

/* What of the commands lies behind the frontier, in the order of time. */
static const struct radix_item *moments_sort(struct sharing *sharing, size_t *moment_count)
{
	uint64_t frontier = sharing->frontier;
	size_t count = 0, waits;
	struct radix_item *ends, *starts;

	for (size_t i = 0; i < sharing->count; i++) {
		if (sharing->commands[i].end > frontier)
			sharing->commands[count++] = sharing->commands[i];
	}
	sharing->count = count;
	if (array_reserve(&sharing->moments, &sharing->moment_capacity, 2 * MOMENTS * count + 1,
			  sizeof(*sharing->moments)))
		return NULL;
	/* At one time, what ends comes first, then what starts: sorting keeps it so. */
	ends = sharing->moments;
	starts = ends + count;
	waits = 2 * count;
	for (size_t i = 0; i < count; i++) {
		const struct sharing_command *command = &sharing->commands[i];
		uint64_t queued = command->queued < frontier ? frontier : command->queued;
		uint64_t start = command->start < frontier ? frontier : command->start;
		uint32_t process = command->process;
		bool waited = queued < start;

		ends[i] = (struct radix_item){command->end, moment_value(process, 0, -1)};
		starts[i] = (struct radix_item){start, moment_value(process, -waited, 1)};
		if (waited)
			ends[waits++] = (struct radix_item){
				queued, moment_value(process, 1, 0)};
	}
	*moment_count = waits;
	return radix_sort(ends, ends + MOMENTS * count, waits);
}

/* When all but the last `kept` commands had started. */
static uint64_t start_before(const struct radix_item *moments, size_t count, size_t kept)
{
	for (size_t i = count; kept && i > 0; i--) {
		if (executing_change(moments[i - 1].value) > 0 && !--kept)
			return moments[i - 1].key;
	}
	return UINT64_MAX;
}

/* Works off everything up to when all but `kept_starts` commands had started, and
 * forgets what ended by then. */
static int work_off(struct sharing *sharing, size_t kept_starts)
{
	size_t count = 0, kept = 0;
	const struct radix_item *moments = moments_sort(sharing, &count);
	uint64_t until = moments ? start_before(moments, count, kept_starts) : 0;
	uint64_t now = sharing->frontier;

	if (!moments)
		return -ENOMEM;
	sharing->active_count = sharing->executing = sharing->executing_places = 0;
	for (size_t i = 0; i < count && moments[i].key <= until; i++) {
		if (moments[i].key > now && now)
			pass_time(sharing, moments[i].key - now);
		now = moments[i].key;
		if (take_moment(sharing, moments[i].value))
			return -ENOMEM;
	}
	if (sums_settle(sharing))
		return -ENOMEM;
	for (size_t i = 0; i < sharing->count; i++) {
		if (sharing->commands[i].end > until)
			sharing->commands[kept++] = sharing->commands[i];
	}
	sharing->count = kept;
	sharing->frontier = now;
	return 0;
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

int sharing_settle(struct sharing *sharing)
{
	return sharing->count ? work_off(sharing, 0) : 0;
}

void sharing_free(struct sharing *sharing)
{
	free(sharing->commands);
	free(sharing->pairs);
	free(sharing->active);
	free(sharing->sums);
	free(sharing->moments);
	map_free(&sharing->pair_of);
	memset(sharing, 0, sizeof(*sharing));
}
