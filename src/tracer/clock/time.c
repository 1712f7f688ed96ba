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

static void line_set(const struct ticks_pair *last, double rate)
{
	uint32_t version = atomic_load(&time_line.version) | 1;

	/* It is odd already where a signal handler has left this. */
	atomic_store(&time_line.version, version);
	atomic_store_explicit(&time_line.ticks, last->ticks, memory_order_relaxed);
	atomic_store_explicit(&time_line.ns, last->monotonic_ns, memory_order_relaxed);
	atomic_store_explicit(&time_line.rate, rate, memory_order_relaxed);
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
	line_set(&last, rate);
	atomic_store_explicit(&time_line.due, last.ticks + span, memory_order_relaxed);
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

uint64_t time_ns(uint64_t ticks)
{
	const struct ticks_pair *pairs;
	uint32_t first = 0, last;
	uint64_t ns;

	if (time_line.source == TANDEM_CLOCK_MONOTONIC)
		return ticks;
	lock_take(&busy);
	pairs = history->pairs;
	last = history->count - 1;
	if (ticks < pairs[last].ticks && ticks > pairs[0].ticks) {
		while (last - first > 1) {
			uint32_t middle = (first + last) / 2;

			if (pairs[middle].ticks <= ticks)
				first = middle;
			else
				last = middle;
		}
		ns = time_on_line(ticks, pairs[first].ticks, pairs[first].monotonic_ns,
				  rate_of(&pairs[first], &pairs[last]));
	} else {
		ns = time_now_ns(ticks);
	}
	lock_give(&busy);
	return ns;
}
