#include "analysis/sharing.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

enum step { STEP_END, STEP_START, STEP_QUEUED }; /* in this order at one time */

struct moment {
	uint64_t time;
	uint32_t process;
	enum step step;
	bool waited; /* of a start: its command was queued before */
};

static int moment_compare(const void *a, const void *b)
{
	const struct moment *left = a, *right = b;

	if (left->time != right->time)
		return left->time < right->time ? -1 : 1;
	return (int)left->step - (int)right->step;
}

static int start_compare(const void *a, const void *b)
{
	const struct sharing_command *left = a, *right = b;

	return left->start < right->start ? -1 : left->start > right->start;
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

static struct sharing_process *active_get(struct sharing *sharing, uint32_t process)
{
	for (size_t i = 0; i < sharing->active_count; i++) {
		if (sharing->active[i].process == process)
			return &sharing->active[i];
	}
	if (array_reserve(&sharing->active, &sharing->active_capacity, sharing->active_count + 1,
			  sizeof(*sharing->active)))
		return NULL;
	sharing->active[sharing->active_count] = (struct sharing_process){process, 0, 0};
	return &sharing->active[sharing->active_count++];
}

/* `ns` in which nothing changed. */
static int pass_time(struct sharing *sharing, uint64_t ns)
{
	uint64_t executing = 0;

	for (size_t i = 0; i < sharing->active_count; i++)
		executing += sharing->active[i].executing;
	for (size_t i = 0; i < sharing->active_count; i++) {
		const struct sharing_process *one = &sharing->active[i];
		double waited = (double)one->waiting * (double)ns;
		struct sharing_pair *pair;

		if (one->waiting && !executing) {
			pair = pair_get(sharing, one->process, SHARING_NOBODY);
			if (!pair)
				return -ENOMEM;
			pair->waited_ns += waited;
		}
		for (size_t k = 0; k < sharing->active_count; k++) {
			const struct sharing_process *other = &sharing->active[k];

			if (!other->executing || (!one->waiting && (!one->executing || i == k)))
				continue;
			pair = pair_get(sharing, one->process, other->process);
			if (!pair)
				return -ENOMEM;
			pair->waited_ns += waited * other->executing / (double)executing;
			if (one->executing && i != k)
				pair->beside_ns += (double)ns;
		}
	}
	return 0;
}

static int take_moment(struct sharing *sharing, const struct moment *moment)
{
	struct sharing_process *process = active_get(sharing, moment->process);

	if (!process)
		return -ENOMEM;
	if (moment->step == STEP_QUEUED) {
		process->waiting++;
	} else if (moment->step == STEP_START) {
		process->waiting -= moment->waited;
		process->executing++;
	} else {
		process->executing--;
	}
	return 0;
}

/* Adds what of [from, to] lies behind the frontier. */
static void add_moments(const struct sharing *sharing, const struct sharing_command *command,
			struct moment *moments, size_t *count)
{
	uint64_t frontier = sharing->frontier;
	uint64_t queued = command->queued < frontier ? frontier : command->queued;
	uint64_t start = command->start < frontier ? frontier : command->start;
	bool waited = queued < start;

	if (command->end <= frontier)
		return;
	if (waited)
		moments[(*count)++] = (struct moment){queued, command->process, STEP_QUEUED, true};
	moments[(*count)++] = (struct moment){start, command->process, STEP_START, waited};
	moments[(*count)++] = (struct moment){command->end, command->process, STEP_END, true};
}

/* Works off everything up to `until`, and forgets what ended by then. */
static int work_off(struct sharing *sharing, uint64_t until)
{
	struct moment *moments = malloc((3 * sharing->count + 1) * sizeof(*moments));
	uint64_t now = sharing->frontier;
	size_t count = 0, kept = 0;
	int status = 0;

	if (!moments)
		return -ENOMEM;
	for (size_t i = 0; i < sharing->count; i++)
		add_moments(sharing, &sharing->commands[i], moments, &count);
	qsort(moments, count, sizeof(*moments), moment_compare);
	sharing->active_count = 0;
	for (size_t i = 0; !status && i < count && moments[i].time <= until; i++) {
		if (moments[i].time > now && now)
			status = pass_time(sharing, moments[i].time - now);
		now = moments[i].time;
		if (!status)
			status = take_moment(sharing, &moments[i]);
	}
	if (!status && until > now && until != UINT64_MAX)
		status = pass_time(sharing, until - now);
	free(moments);
	if (status)
		return status;
	for (size_t i = 0; i < sharing->count; i++) {
		if (sharing->commands[i].end > until)
			sharing->commands[kept++] = sharing->commands[i];
	}
	sharing->count = kept;
	sharing->frontier = until == UINT64_MAX ? now : until;
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
	qsort(sharing->commands, sharing->count, sizeof(*sharing->commands), start_compare);
	/* Commands that all last for ever would fill it again at once. */
	if (work_off(sharing, sharing->commands[sharing->count / 2].start))
		return -ENOMEM;
	return sharing->count < SHARING_MOST / 4 * 3 ? 0 : sharing_settle(sharing);
}

int sharing_settle(struct sharing *sharing)
{
	return sharing->count ? work_off(sharing, UINT64_MAX) : 0;
}

void sharing_free(struct sharing *sharing)
{
	free(sharing->commands);
	free(sharing->pairs);
	free(sharing->active);
	map_free(&sharing->pair_of);
	memset(sharing, 0, sizeof(*sharing));
}
