/* SPDX-License-Identifier: MIT */
/* The clock of a session: which source its ticks come from, how fast it runs,
 * and what time it was at one instant on all the clocks concerned.
 *
 * One thread. No errors: where nothing better is known, ticks are nanoseconds
 * of CLOCK_MONOTONIC.
 *
 *	struct clock_pair early, start;
 *	struct clock_source source;
 *
 *	clock_choose(CLOCK_AUTO, &source);
 *	clock_pair_read(source.source, &early);
 *	... work that has to be done anyway ...
 *	clock_pair_read(source.source, &start);
 *	clock_rate(&source, &early, &start);
 */
#ifndef TANDEM_RECORDER_CLOCK_H
#define TANDEM_RECORDER_CLOCK_H

#include <stdint.h>

#include "format/ticks.h"

/* X(word of --clock): what the user may ask for. */
enum clock_request { CLOCK_AUTO, CLOCK_COUNTER, CLOCK_MONOTONIC_NS };

struct clock_source {
	enum tandem_clock_source source;
	const char *reason; /* why this source, in words; static */
	uint64_t ticks_hz;  /* 0: clock_rate() has to measure it */
	const char *origin; /* of ticks_hz, in words; static */
	double error_ppm;   /* of ticks_hz; 0: exact by definition */
};

struct clock_pair {
	uint64_t ticks;
	uint64_t monotonic_ns;
	uint64_t realtime_ns;
	uint64_t width_ns; /* the readings are at most this far apart */
};

/* Decides on the source. CLOCK_COUNTER takes the counter even where it is not
 * known to be invariant. Fills all but, perhaps, the rate. */
void clock_choose(enum clock_request request, struct clock_source *source);

/* Reads all clocks at one instant: the closest of a few tries. About 1 us. */
void clock_pair_read(enum tandem_clock_source source, struct clock_pair *pair);

/* Fills ticks_hz from two pairs unless the machine has told it. Waits, if
 * need be, until the pairs can be CLOCK_RATE_SPAN_NS apart, in which case the
 * later pair is read again. */
void clock_rate(struct clock_source *source, const struct clock_pair *early,
		struct clock_pair *late);

#define CLOCK_RATE_SPAN_NS 400000u

#endif
