/* SPDX-License-Identifier: MIT */
#include "tracer/clock/time.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "core/local.h"
#include "format/ticks.h"

#define PAIRS 256u
#define APART_NS 20000000u     /* at last; at first as far as the pairs reach back */
#define WIDTH_NS 500u	       /* of a pair that is of use */
#define FIRST_APART_NS 200000u /* which the first rate is measured over */

struct time_line time_line;

/* Pairs, the oldest first; halved when they are too many. */
static struct ticks_pair pairs[PAIRS];
static uint32_t pair_count;
static atomic_flag busy = ATOMIC_FLAG_INIT;

static double rate_of(const struct ticks_pair *from, const struct ticks_pair *to)
{
	return (double)(to->monotonic_ns - from->monotonic_ns) / (double)(to->ticks - from->ticks);
}

static void line_set(const struct ticks_pair *last, double rate)
{
	atomic_fetch_add_explicit(&time_line.version, 1, memory_order_seq_cst);
	atomic_store_explicit(&time_line.ticks, last->ticks, memory_order_relaxed);
	atomic_store_explicit(&time_line.ns, last->monotonic_ns, memory_order_relaxed);
	atomic_store_explicit(&time_line.rate, rate, memory_order_relaxed);
	atomic_fetch_add_explicit(&time_line.version, 1, memory_order_seq_cst);
}

/* The line goes through the last pair, with the rate of the last second or so. */
static void pair_add(void)
{
	struct ticks_pair *last;
	uint32_t from;
	uint64_t span;
	double rate;

	if (pair_count == PAIRS) {
		for (uint32_t i = 1; i < PAIRS / 2; i++)
			pairs[i] = pairs[2 * i];
		pairs[PAIRS / 2] = pairs[PAIRS - 1];
		pair_count = PAIRS / 2 + 1;
	}
	last = &pairs[pair_count];
	ticks_pair_read(last, time_line.source, 4);
	if (!pair_count++)
		return;
	from = pair_count > 50 ? pair_count - 50 : 0;
	rate = rate_of(&pairs[from], last);
	/* A thread that was interrupted in between: the next one will do. */
	if (pair_count > 2 && last->error * rate > WIDTH_NS) {
		pair_count--;
		return;
	}
	span = last->ticks - pairs[from].ticks;
	if (span * rate > APART_NS)
		span = (uint64_t)(APART_NS / rate);
	line_set(last, rate);
	atomic_store_explicit(&time_line.due, last->ticks + span, memory_order_relaxed);
}

void time_begin(void)
{
	uint64_t until;

	time_line.source = tandem_local_clock();
	pair_count = 0;
	pair_add();
	until = pairs[0].monotonic_ns + FIRST_APART_NS;
	while (counter_clock_ns(CLOCK_MONOTONIC) < until) {
	}
	pair_add();
}

void time_forked(void)
{
	atomic_flag_clear(&busy);
	if (atomic_load(&time_line.version) & 1)
		atomic_fetch_add(&time_line.version, 1);
}

void time_refresh(void)
{
	if (time_line.source == TANDEM_CLOCK_MONOTONIC ||
	    ticks_read(time_line.source) < atomic_load(&time_line.due) ||
	    atomic_flag_test_and_set(&busy))
		return;
	pair_add();
	atomic_flag_clear(&busy);
}

uint64_t time_ns(uint64_t ticks)
{
	uint32_t first = 0, last;
	uint64_t ns;

	if (time_line.source == TANDEM_CLOCK_MONOTONIC)
		return ticks;
	while (atomic_flag_test_and_set(&busy)) {
	}
	last = pair_count - 1;
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
	atomic_flag_clear(&busy);
	return ns;
}
