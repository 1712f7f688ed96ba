/* SPDX-License-Identifier: MIT */
#include "analysis/stats/contention.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/keyed_row.h"
#include "util/order/radix.h"

#define MOMENTS 3u /* of a command: queued, start, end */

/* A moment is a number: when it is, in ns after the first of its round; the place
 * of the command's process; and what it changes in the numbers of its commands. So
 * all moments can be sorted quickly, and no branch is needed on which kind comes
 * next, which is as good as random. */
#define CHANGE_BITS 2u
#define PLACE_BITS 15u
#define WHEN_SHIFT (2 * CHANGE_BITS + PLACE_BITS)
#define TOO_FAR (UINT64_MAX >> WHEN_SHIFT) /* for this round */

_Static_assert(CONTENTION_MOST <= 1u << PLACE_BITS, "each command may be of another process");

static uint64_t moment_make(uint64_t when, uint32_t place, int waiting, int executing)
{
	return (when < TOO_FAR ? when : TOO_FAR) << WHEN_SHIFT |
	       (uint64_t)place << 2 * CHANGE_BITS | (uint64_t)(waiting + 1) << CHANGE_BITS |
	       (uint64_t)(executing + 1);
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

/* What the device is at, while moments are worked off. */
struct contention_sweep {
	size_t executing;	 /* processes of which commands are */
	size_t executing_places; /* sum of their places: if it is one, its place */
	uint64_t busy_ns;
};

static struct contention_pair *pair_get(struct contention *contention, uint32_t process,
					uint32_t other)
{
	uint64_t key = (uint64_t)process << 32 | other;
	const struct contention_pair fresh = {process, other, 0, 0};

	return keyed_row(&contention->pair_of, key, &contention->pairs, &contention->pair_capacity,
			 &contention->pair_count, &fresh, sizeof(fresh));
}

/* What was summed up goes into the pairs. */
static int sums_settle(struct contention *contention)
{
	size_t side = contention->sum_side;

	for (size_t i = 0; i < contention->active_count; i++) {
		for (size_t k = 0; k <= contention->active_count; k++) {
			/* The first row is the idle device's. */
			struct contention_sum *sum = &contention->sums[k * side + i];
			struct contention_pair *pair;

			if (!sum->alone_ns && sum->waited_ns == 0 && sum->beside_ns == 0)
				continue;
			pair = pair_get(contention, contention->active[i].process,
					k ? contention->active[k - 1].process : CONTENTION_NOBODY);
			if (!pair)
				return -ENOMEM;
			pair->waited_ns += (double)sum->alone_ns + sum->waited_ns;
			pair->beside_ns += sum->beside_ns;
			*sum = (struct contention_sum){0, 0, 0};
		}
	}
	return 0;
}

static int active_add(struct contention *contention, uint32_t process)
{
	size_t known = contention->process_capacity;

	if (array_reserve(&contention->place_of, &contention->process_capacity, (size_t)process + 1,
			  sizeof(*contention->place_of)) ||
	    array_reserve(&contention->active, &contention->active_capacity,
			  contention->active_count + 1, sizeof(*contention->active)))
		return -ENOMEM;
	if (contention->process_capacity > known)
		memset(contention->place_of + known, 0,
		       (contention->process_capacity - known) * sizeof(*contention->place_of));
	contention->active[contention->active_count++] = (struct contention_process){process, 0, 0};
	contention->place_of[process] = (uint32_t)contention->active_count;
	return 0;
}

/* The processes whose commands these are. */
static int active_list(struct contention *contention)
{
	size_t side = contention->sum_side;

	for (size_t i = 0; i < contention->count; i++) {
		uint32_t process = contention->operations[i].process;

		if (process < contention->process_capacity && contention->place_of[process])
			continue;
		if (active_add(contention, process))
			return -ENOMEM;
	}
	if (contention->active_count < side)
		return 0;
	side = 2 * contention->active_count + 4;
	free(contention->sums);
	contention->sums = calloc(side * side, sizeof(*contention->sums));
	contention->sum_side = contention->sums ? side : 0;
	return contention->sums ? 0 : -ENOMEM;
}

static void active_clear(struct contention *contention)
{
	for (size_t i = 0; i < contention->active_count; i++)
		contention->place_of[contention->active[i].process] = 0;
	contention->active_count = 0;
}

/* `ns` in which nothing changed, and several executed. */
static void pass_among(struct contention *contention, uint64_t ns)
{
	size_t count = contention->active_count;
	uint64_t executing = 0;

	for (size_t i = 0; i < count; i++)
		executing += contention->active[i].executing;
	for (size_t k = 0; k < count; k++) {
		struct contention_sum *sums = &contention->sums[(k + 1) * contention->sum_side];
		uint32_t of_other = contention->active[k].executing;
		double part = (double)ns * of_other / (double)executing;

		for (size_t i = 0; of_other && i < count; i++) {
			sums[i].waited_ns += part * contention->active[i].waiting;
			if (contention->active[i].executing && i != k)
				sums[i].beside_ns += (double)ns;
		}
	}
}

/* `ns` in which nothing changed. */
static inline void pass_time(struct contention *contention, struct contention_sweep *sweep,
			     uint64_t ns)
{
	size_t row = sweep->executing ? sweep->executing_places + 1 : 0;
	struct contention_sum *sums = contention->sums + row * contention->sum_side;
	const struct contention_process *active = contention->active;
	size_t count = contention->active_count;

	if (sweep->executing)
		sweep->busy_ns += ns;
	if (sweep->executing > 1) {
		pass_among(contention, ns);
		return;
	}
	for (size_t i = 0; i < count; i++)
		sums[i].alone_ns += ns * active[i].waiting;
}

static inline void take_change(struct contention *contention, struct contention_sweep *sweep,
			       uint64_t moment)
{
	uint32_t place = moment_place(moment);
	struct contention_process *process = &contention->active[place];
	uint32_t before = process->executing, after = before + (uint32_t)executing_change(moment);

	process->waiting += (uint32_t)waiting_change(moment);
	process->executing = after;
	if (!before != !after) {
		sweep->executing += before ? (size_t)-1 : 1;
		sweep->executing_places += before ? 0 - (size_t)place : place;
	}
}

/* Forgets what ended by the frontier. Returns when something changes next. */
static uint64_t commands_trim(struct contention *contention)
{
	uint64_t frontier = contention->frontier, next = UINT64_MAX;
	size_t count = 0;

	for (size_t i = 0; i < contention->count; i++) {
		const struct contention_operation *operation = &contention->operations[i];
		uint64_t first = operation->queued > frontier  ? operation->queued
				 : operation->start > frontier ? operation->start
							       : operation->end;

		if (operation->end <= frontier)
			continue;
		next = first < next ? first : next;
		contention->operations[count++] = *operation;
	}
	contention->count = count;
	return next;
}

/* What of the commands lies behind the frontier, in the order of time, from `first`
 * on; what they are at the frontier counts at once. */
static const uint64_t *moments_sort(struct contention *contention, struct contention_sweep *sweep,
				    uint64_t first, size_t *moment_count)
{
	uint64_t frontier = contention->frontier, all = 0;
	size_t count = contention->count, start_count = 0, wait_count = 0;
	uint64_t *ends, *starts, *waits;

	if (array_reserve(&contention->moments, &contention->moment_capacity,
			  2 * MOMENTS * count + 1, sizeof(*contention->moments)))
		return NULL;
	/* At one time, what ends comes first, then what starts: sorting keeps it so. */
	ends = contention->moments;
	starts = ends + count;
	waits = starts + count;
	for (size_t i = 0; i < count; i++) {
		const struct contention_operation *operation = &contention->operations[i];
		uint32_t place = contention->place_of[operation->process] - 1;
		bool waited = operation->queued < operation->start;

		ends[i] = moment_make(operation->end - first, place, 0, -1);
		all |= ends[i];
		if (operation->start <= frontier) {
			take_change(contention, sweep, moment_make(0, place, 0, 1));
			continue;
		}
		starts[start_count++] = moment_make(operation->start - first, place, -waited, 1);
		if (operation->queued <= frontier)
			take_change(contention, sweep, moment_make(0, place, 1, 0));
		else if (waited)
			waits[wait_count++] = moment_make(operation->queued - first, place, 1, 0);
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
static int work_off(struct contention *contention, size_t kept_starts)
{
	uint64_t first = commands_trim(contention), now, until;
	struct contention_sweep sweep = {.executing = 0};
	const uint64_t *moments = NULL;
	size_t count = 0;
	int status;

	if (!contention->count)
		return 0;
	status = active_list(contention);
	if (!status)
		moments = moments_sort(contention, &sweep, first, &count);
	if (!moments)
		return -ENOMEM;
	now = contention->frontier ? contention->frontier : first;
	until = start_before(moments, count, kept_starts);
	for (size_t i = 0; i < count && moment_when(moments[i]) <= until; i++) {
		uint64_t when = first + moment_when(moments[i]);

		if (when > now)
			pass_time(contention, &sweep, when - now);
		now = when;
		take_change(contention, &sweep, moments[i]);
	}
	contention->busy_ns += sweep.busy_ns;
	status = sums_settle(contention);
	active_clear(contention);
	contention->frontier = now;
	commands_trim(contention);
	return status;
}

static inline int operation_add(struct contention *contention,
				const struct contention_operation *operation)
{
	if (operation->queued < contention->frontier)
		contention->late++;
	if (contention->count == contention->capacity &&
	    array_reserve(&contention->operations, &contention->capacity, contention->count + 1,
			  sizeof(*contention->operations)))
		return -ENOMEM;
	contention->operations[contention->count++] = *operation;
	if (contention->count < CONTENTION_MOST)
		return 0;
	/* Commands that all last for ever would fill it again at once. */
	if (work_off(contention, CONTENTION_KEPT))
		return -ENOMEM;
	return contention->count < CONTENTION_MOST / 4 * 3 ? 0 : contention_settle(contention);
}

int contention_add(struct contention *contention, uint32_t process, uint64_t queued, uint64_t start,
		   uint64_t end)
{
	struct contention_operation operation = {process, false, queued, start, end};

	return operation_add(contention, &operation);
}

int contention_add_all(struct contention *contention, const struct contention_operation *operations,
		       size_t count)
{
	int status = 0;

	for (size_t i = 0; !status && i < count; i++) {
		if (operations[i].rest)
			status = contention_rest(contention);
		if (!status)
			status = operation_add(contention, &operations[i]);
	}
	return status;
}

int contention_rest(struct contention *contention)
{
	return contention->count < CONTENTION_MOST / 2 ? 0 : contention_settle(contention);
}

int contention_settle(struct contention *contention)
{
	int status = 0;

	while (contention->count && !status)
		status = work_off(contention, 0);
	return status;
}

void contention_free(struct contention *contention)
{
	free(contention->operations);
	free(contention->pairs);
	free(contention->active);
	free(contention->place_of);
	free(contention->sums);
	free(contention->moments);
	map_free(&contention->pair_of);
	memset(contention, 0, sizeof(*contention));
}
