/* SPDX-License-Identifier: MIT */
/* What the clock fit costs: ns for each constraint given and used, and for each
 * device time converted, for both kinds of fit; and the memory that it took.
 *
 *	clockfit [COMMANDS]        1000000 unless given; two constraints each
 *
 * Commands are 100 us apart on a clock that gains 37 ppm, with the jitter of a
 * busy queue, seen a little out of order: the time of a common long recording.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "trace/clockfit/clockfit.h"
#include "util/counter.h"

struct command {
	int64_t begin, queued, start, end, seen;
};

static uint64_t state = 1;

static double jitter(double mean)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return -mean * log(((double)(state >> 11) + 1) / 9007199254740993.0);
}

static struct command *make_commands(size_t count)
{
	struct command *commands = malloc(count * sizeof(*commands));
	double now = 0;

	for (size_t i = 0; commands && i < count; i++) {
		double queued, start, end;
		int64_t ahead;

		now += jitter(100e3);
		queued = now + 500 + jitter(3e3);
		start = queued + jitter(20e3);
		end = start + jitter(80e3);
		ahead = INT64_C(1000000000000000000) + (int64_t)(now * 37e-6);
		commands[i] = (struct command){
			.begin = (int64_t)now,
			.queued = ahead + (int64_t)queued,
			.start = ahead + (int64_t)start,
			.end = ahead + (int64_t)end,
			.seen = (int64_t)(end + 1000 + jitter(10e3)),
		};
	}
	return commands;
}

static int measure(const char *name, enum clockfit_kind kind, const struct command *commands,
		   size_t count)
{
	struct clockfit_options options = CLOCKFIT_DEFAULTS;
	struct clockfit_stats stats;
	struct clockfit *fit;
	uint64_t begin = counter_clock_ns(CLOCK_MONOTONIC), middle, end;
	double bounds = 0;

	if (clockfit_create(&fit, kind, &options) < 0)
		return 1;
	for (size_t i = 0; i < count; i++) {
		if (clockfit_add_lower(fit, commands[i].queued, commands[i].begin) < 0 ||
		    clockfit_add_upper(fit, commands[i].end, commands[i].seen) < 0)
			return 1;
	}
	if (clockfit_finish(fit) < 0)
		return 1;
	middle = counter_clock_ns(CLOCK_MONOTONIC);
	for (size_t i = 0; i < count; i++) {
		uint64_t bound;
		int64_t host;

		if (clockfit_to_host(fit, commands[i].start, &host, &bound) < 0)
			return 1;
		bounds += (double)bound;
	}
	end = counter_clock_ns(CLOCK_MONOTONIC);
	stats = clockfit_stats(fit);
	printf("%-8s %14.1f %14.1f %10.1f %14.0f %12zu\n", name,
	       (double)(middle - begin) / (double)stats.constraints,
	       (double)(end - middle) / (double)count,
	       (double)stats.steps / (double)stats.constraints, bounds / (double)count,
	       stats.memory_bytes / 1024);
	clockfit_destroy(fit);
	return 0;
}

int main(int argc, char **argv)
{
	size_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
	struct command *commands = count ? make_commands(count) : NULL;
	int status;

	if (!commands) {
		fprintf(stderr, "usage: clockfit [COMMANDS]\n");
		return 2;
	}
	printf("%-8s %14s %14s %10s %14s %12s\n", "fit", "ns/constraint", "ns/conversion", "steps",
	       "mean bound ns", "memory kiB");
	status = measure("whole", CLOCKFIT_WHOLE, commands, count) ||
		 measure("stream", CLOCKFIT_STREAM, commands, count);
	free(commands);
	return status;
}
