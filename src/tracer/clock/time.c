/* SPDX-License-Identifier: MIT */
#include "tracer/clock/time.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "core/local.h"
#include "format/ticks.h"
#include "tracer/lock.h"

#define PAIRS 256u
#define APART_NS 20000000u     /* at last; at first as far as the pairs reach back */
#define WIDTH_NS 500u	       /* of a pair that is of use */
#define FIRST_APART_NS 200000u /* which the first rate is measured over */

struct time_line time_line;

/* Pairs, the oldest first; halved when they are too many, into the other one of two. */
static struct history {
	struct ticks_pair pairs[PAIRS];
	uint32_t count;
} histories[2];
static struct history *history = &histories[0];
static tracer_lock_t busy;

static double rate_of(const struct ticks_pair *from, const struct ticks_pair *to)
{
	return (double)(to->monotonic_ns - from->monotonic_ns) / (double)(to->ticks - from->ticks);
}

static void line_set(const struct ticks_pair *last, double rate, uint64_t due)
{
	uint32_t version = atomic_load(&time_line.version) | 1;

	/* It is odd already where a signal handler has left this. */
	atomic_store(&time_line.version, version);
	atomic_store_explicit(&time_line.ticks, last->ticks, memory_order_relaxed);
	atomic_store_explicit(&time_line.ns, last->monotonic_ns, memory_order_relaxed);
	atomic_store_explicit(&time_line.rate, rate, memory_order_relaxed);
	atomic_store_explicit(&time_line.due, due, memory_order_relaxed);
	atomic_store(&time_line.version, version + 1);
}

static void history_halve(void)
{
	struct history *half = &histories[history == &histories[0]];

	for (uint32_t i = 0; i < PAIRS / 2; i++)
		half->pairs[i] = history->pairs[2 * i];
	half->pairs[PAIRS / 2] = history->pairs[PAIRS - 1];
	half->count = PAIRS / 2 + 1;
	store_order();
	history = half;
}

/* The line goes through the last pair, with the rate of the last second or so. */
static void pair_add(void)
{
	struct ticks_pair last;
	const struct ticks_pair *from;
	uint32_t count;
	uint64_t span;
	double rate;

	if (history->count == PAIRS)
		history_halve();
	count = history->count;
	ticks_pair_read(&last, time_line.source, 4);
	from = &history->pairs[count > 49 ? count - 49 : 0];
	/* A thread that was interrupted in between: the next one will do. */
	if (count > 1 && last.error * rate_of(from, &last) > WIDTH_NS)
		return;
	history->pairs[count] = last;
	store_order();
	history->count = count + 1;
	if (!count)
		return;
	rate = rate_of(from, &last);
	span = last.ticks - from->ticks;
	if (span * rate > APART_NS)
		span = (uint64_t)(APART_NS / rate);
	line_set(&last, rate, last.ticks + span);
}

void time_begin(void)
{
	uint64_t until;

	time_line.source = tandem_local_clock();
	history->count = 0;
	pair_add();
	until = history->pairs[0].monotonic_ns + FIRST_APART_NS;
	while (counter_clock_ns(CLOCK_MONOTONIC) < until) {
	}
	pair_add();
}

void time_forked(void)
{
	lock_give(&busy);
	if (atomic_load(&time_line.version) & 1)
		atomic_fetch_add(&time_line.version, 1);
}

void time_refresh(void)
{
	if (time_line.source == TANDEM_CLOCK_MONOTONIC ||
	    ticks_read(time_line.source) < atomic_load(&time_line.due) || !lock_try(&busy))
		return;
	pair_add();
	lock_give(&busy);
}

static bool line_read(struct thread_line *line)
{
	uint32_t version = atomic_load_explicit(&time_line.version, memory_order_acquire);

	line->ticks = atomic_load_explicit(&time_line.ticks, memory_order_acquire);
	line->ns = atomic_load_explicit(&time_line.ns, memory_order_acquire);
	line->rate = atomic_load_explicit(&time_line.rate, memory_order_acquire);
	line->due = atomic_load_explicit(&time_line.due, memory_order_acquire);
	return !(version & 1) &&
	       atomic_load_explicit(&time_line.version, memory_order_relaxed) == version;
}

uint64_t time_now_copy(uint64_t ticks)
{
	struct tracer_thread *thread = tracer_thread();
	struct thread_line line;

	if (time_line.source == TANDEM_CLOCK_MONOTONIC)
		return ticks;
	if (ticks > atomic_load_explicit(&time_line.due, memory_order_relaxed))
		time_refresh();
	/* A handler that left a change by siglongjmp() left it whole but for the version. */
	for (int turn = 0; turn < 100 && !line_read(&line); turn++) {
	}
	if (thread) {
		thread->line.due = 0;
		store_order();
		thread->line.ticks = line.ticks;
		thread->line.ns = line.ns;
		thread->line.rate = line.rate;
		store_order();
		thread->line.due = line.due;
	}
	return time_on_line(ticks, line.ticks, line.ns, line.rate);
}

/* Between two pairs that are next to each other. */
static void stretch_between(struct time_stretch *stretch, const struct ticks_pair *from,
			    const struct ticks_pair *to)
{
	*stretch = (struct time_stretch){from->ticks, to->ticks - from->ticks, from->monotonic_ns,
					 rate_of(from, to)};
}

/* What is outside of the pairs is on the latest line, which goes through the last one. */
static void stretch_outside(struct time_stretch *stretch, uint64_t ticks)
{
	struct thread_line line;

	for (int turn = 0; turn < 100 && !line_read(&line); turn++) {
	}
	if (ticks - line.ticks < line.due - line.ticks)
		*stretch = (struct time_stretch){line.ticks, line.due - line.ticks, line.ns,
						 line.rate};
	else
		*stretch = (struct time_stretch){
			ticks, 1, time_on_line(ticks, line.ticks, line.ns, line.rate), line.rate};
}

void time_stretch_find(struct time_stretch *stretch, uint64_t ticks)
{
	const struct ticks_pair *pairs;
	uint32_t first = 0, last;

	if (time_line.source == TANDEM_CLOCK_MONOTONIC) {
		*stretch = (struct time_stretch){ticks, (uint64_t)1 << 40, ticks, 1};
		return;
	}
	lock_take(&busy);
	pairs = history->pairs;
	last = history->count - 1;
	if (ticks >= pairs[last].ticks || ticks <= pairs[0].ticks) {
		stretch_outside(stretch, ticks);
	} else {
		while (last - first > 1) {
			uint32_t middle = (first + last) / 2;

			if (pairs[middle].ticks <= ticks)
				first = middle;
			else
				last = middle;
		}
		stretch_between(stretch, &pairs[first], &pairs[last]);
	}
	lock_give(&busy);
}
