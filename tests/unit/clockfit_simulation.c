/* SPDX-License-Identifier: MIT */
/* The clock fit against simulated devices, whose true time is known: the error
 * is never greater than the bound, in either kind of fit, and the streaming one
 * is nearly as good. Seeds are fixed; some more are taken from the clock and
 * printed on a failure. TANDEM_TEST_SEED=N runs that one alone. */
#include "trace/clockfit/clockfit.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

#define MAX_PIECES 64
#define STARVED 128 /* so few points, and the streaming fit need not be as good */

/* From `host` on, the device's clock is `device` and gains `rate`. */
struct piece {
	double host;
	double ahead; /* device time - host time */
	double rate;
};

static struct world {
	const char *name;
	uint64_t seed, state;
	int64_t host_base, device_base; /* all other times are relative */
	struct piece pieces[MAX_PIECES];
	size_t piece_count;
	double resolution_ns;
} world;

static uint64_t random_bits(void)
{
	uint64_t z = world.state += UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return z ^ (z >> 31);
}

static double uniform(double low, double high)
{
	return low + (high - low) * (double)(random_bits() >> 11) / 9007199254740992.0;
}

static double exponential(double mean)
{
	return -mean * log(1 - uniform(0, 1));
}

static double device_ahead(double host)
{
	size_t i = world.piece_count - 1;

	while (i && world.pieces[i].host > host)
		i--;
	return world.pieces[i].ahead + world.pieces[i].rate * (host - world.pieces[i].host);
}

/* What the two clocks show. */
static int64_t read_host(double host)
{
	return world.host_base + (int64_t)floor(host);
}

static int64_t read_device(double host)
{
	/* Apart, so that no digit of the nanosecond is lost. */
	double whole = floor(host), ticks;

	ticks = floor((host - whole + device_ahead(host)) / world.resolution_ns +
		      whole / world.resolution_ns);
	return world.device_base + (int64_t)(ticks * world.resolution_ns);
}

enum { QUEUED, SUBMITTED, START, END, TIMES };

struct command {
	double begin, times[TIMES], seen;
};

/* How the program and the device behave, in ns. */
struct load {
	size_t commands;
	double every;			/* mean time between enqueues */
	double queue_least, queue_mean; /* begin to queued */
	double run_mean;
	double seen_least, seen_mean; /* end to seen */
	double stretch_seen;	      /* sometimes the end is seen so much later */
};

static struct command *make_commands(const struct load *load)
{
	struct command *commands = calloc(load->commands, sizeof(*commands));
	double now = 0;

	if (!commands)
		exit(1);
	for (size_t i = 0; i < load->commands; i++) {
		struct command *command = &commands[i];

		now += exponential(load->every);
		command->begin = now;
		command->times[QUEUED] = now + load->queue_least + exponential(load->queue_mean);
		command->times[SUBMITTED] =
			command->times[QUEUED] + exponential(load->run_mean / 8);
		command->times[START] = command->times[SUBMITTED] + exponential(load->run_mean / 4);
		command->times[END] = command->times[START] + exponential(load->run_mean);
		command->seen =
			command->times[END] + load->seen_least + exponential(load->seen_mean);
		if (load->stretch_seen > 0 && random_bits() % 8 == 0)
			command->seen += exponential(load->stretch_seen);
	}
	return commands;
}

static int by_seen(const void *a, const void *b)
{
	const struct command *x = a, *y = b;

	return (x->seen > y->seen) - (x->seen < y->seen);
}

static struct clockfit *make_fit(enum clockfit_kind kind, const struct clockfit_options *options,
				 const struct command *commands, size_t count)
{
	struct clockfit *fit;

	if (clockfit_create(&fit, kind, options) < 0)
		exit(1);
	for (size_t i = 0; i < count; i++) {
		const struct command *command = &commands[i];

		CHECK(!clockfit_add_lower(fit, read_device(command->times[QUEUED]),
					  read_host(command->begin)));
		CHECK(!clockfit_add_upper(fit, read_device(command->times[END]),
					  read_host(command->seen)));
	}
	CHECK(!clockfit_finish(fit));
	return fit;
}

/* What a streaming fit may hold and do, whatever it was given. */
static void bounded(const struct clockfit *fit, const struct clockfit_options *options,
		    size_t commands)
{
	struct clockfit_stats stats = clockfit_stats(fit);
	size_t segments;

	clockfit_lines(fit, &segments);
	/* A constraint that waits has a place in a ring, whose size is a power of two, or in a
	 * heap. A segment has two edges, of which half may be done with, and two hulls; an
	 * array begins with eight items and grows by half. 8192: the fit, and the first of
	 * its ring, heap and arrays; 1536: a segment, its line, and the first of its four. */
	CHECK(stats.memory_bytes <= 8192 + (48 + 36) * options->max_waiting +
					    segments * (1536 + 144 * options->max_points));
	CHECK(stats.constraints == 2 * commands);
	CHECK(stats.steps <= 32 * stats.constraints);
}

/* Every event of every command: is it where the fit says? `within`: the fit may
 * use that the command was enqueued before and seen after. Returns the number of
 * segments. */
static size_t check(const struct load *load, const struct clockfit_options *options, bool within)
{
	struct command *commands = make_commands(load);
	struct clockfit *fits[2];
	size_t wrong = 0, loose = 0, unknown = 0, beyond = 0, segments;
	const struct clockfit_line *segment;

	qsort(commands, load->commands, sizeof(*commands), by_seen);
	fits[0] = make_fit(CLOCKFIT_WHOLE, options, commands, load->commands);
	fits[1] = make_fit(CLOCKFIT_STREAM, options, commands, load->commands);
	segment = clockfit_lines(fits[0], &segments);
	for (size_t i = 0; i < load->commands; i++) {
		const struct command *command = &commands[i];

		for (int k = 0; k < TIMES; k++) {
			uint64_t bounds[2];

			for (int f = 0; f < 2; f++) {
				int64_t host;
				double error;
				int failed = clockfit_to_host_within(
					fits[f], read_device(command->times[k]),
					within ? read_host(command->begin) : INT64_MIN,
					within ? read_host(command->seen) : INT64_MAX, &host,
					&bounds[f]);

				error = fabs((double)(host - world.host_base) - command->times[k]);
				wrong += failed || error > (double)bounds[f];
				unknown += bounds[f] == CLOCKFIT_UNBOUNDED;
			}
			beyond += segments == 1 && bounds[0] > segment->bound_ns;
			loose += (double)bounds[1] > 1.1 * (double)bounds[0] + 1;
		}
	}
	CHECK(wrong == 0);
	CHECK(loose == 0 || options->max_points < STARVED);
	CHECK(unknown == 0);
	CHECK(beyond == 0);
	bounded(fits[1], options, load->commands);
	clockfit_destroy(fits[0]);
	clockfit_destroy(fits[1]);
	free(commands);
	return segments;
}

static void begin_world(const char *name, uint64_t seed)
{
	world = (struct world){.name = name, .seed = seed, .state = seed, .resolution_ns = 1};
	world.host_base = INT64_C(1000000000000000000);
	world.device_base = world.host_base + (int64_t)uniform(-1e18, 1e18);
	world.piece_count = 1;
	world.pieces[0].rate = uniform(-200e-6, 200e-6);
}

/* From `host` on, the clock jumps by `step` and gains `rate`. */
static void change(double host, double step, double rate)
{
	world.pieces[world.piece_count] = (struct piece){host, device_ahead(host) + step, rate};
	world.piece_count++;
}

static struct load make_load(size_t commands)
{
	return (struct load){
		.commands = commands,
		.every = uniform(20e3, 500e3),
		.queue_least = 200,
		.queue_mean = uniform(200, 20e3),
		.run_mean = uniform(1e3, 1e6),
		.seen_least = 300,
		.seen_mean = uniform(500, 50e3),
		.stretch_seen = random_bits() & 1 ? uniform(0, 1e6) : 0,
	};
}

/* One straight line, known to be one. */
static void straight(uint64_t seed)
{
	struct clockfit_options options = CLOCKFIT_DEFAULTS;
	struct load load;

	begin_world("straight", seed);
	load = make_load(2000);
	options.wander_ppm = 0;
	CHECK(check(&load, &options, false) == 1);
}

/* Rates that move about within the wander, as a crystal's or NTP's. */
static void wander(uint64_t seed)
{
	struct clockfit_options options = CLOCKFIT_DEFAULTS;
	double rate, length;
	struct load load;

	begin_world("wander", seed);
	rate = world.pieces[0].rate;
	load = make_load(2000);
	if (random_bits() & 1)
		options.wander_ppm = 200;
	length = load.every * (double)load.commands / (MAX_PIECES - 1);
	for (size_t i = 1; i < MAX_PIECES; i++)
		change((double)i * length, 0,
		       rate + uniform(-0.499e-6, 0.499e-6) * options.wander_ppm);
	CHECK(check(&load, &options, false) == 1);
}

static void coarse(uint64_t seed)
{
	struct clockfit_options options = CLOCKFIT_DEFAULTS;
	struct load load;

	begin_world("coarse", seed);
	load = make_load(2000);
	world.resolution_ns = options.resolution_ns = 1000;
	CHECK(check(&load, &options, false) == 1);
}

/* The clock is set, by more than a command takes: a smaller step could hide in
 * what a command takes. Set back, it shows some times twice, so that the fit has
 * to be told when it was about. */
static void step(uint64_t seed, bool back)
{
	struct clockfit_options options = CLOCKFIT_DEFAULTS;
	struct load load;
	double end, size;

	begin_world(back ? "step back" : "step", seed);
	load = make_load(2000);
	end = load.every * (double)load.commands;
	size = 20 * (load.every + load.run_mean + load.seen_mean + load.stretch_seen);
	for (size_t i = 1; i < 4; i++) {
		double way = back && random_bits() & 1 ? -1 : 1;

		change(end * ((double)i + uniform(0, 0.5)) / 4, way * size * uniform(1, 100),
		       world.pieces[0].rate);
	}
	CHECK(check(&load, &options, back) == 4);
}

static void step_forward(uint64_t seed)
{
	step(seed, false);
}

static void step_back(uint64_t seed)
{
	step(seed, true);
}

/* Slewed for a while, by five times the wander. */
static void slew(uint64_t seed)
{
	struct clockfit_options options = CLOCKFIT_DEFAULTS;
	struct load load;
	double end, rate;

	begin_world("slew", seed);
	load = make_load(10000);
	load.every = uniform(100e3, 500e3);
	rate = world.pieces[0].rate;
	end = load.every * (double)load.commands;
	change(end * uniform(0.2, 0.4), 0, rate + 500e-6);
	change(end * uniform(0.6, 0.8), 0, rate);
	CHECK(check(&load, &options, false) >= 3);
}

/* Slewed whenever and for as long as it may be, within the wander. */
static void restless(uint64_t seed)
{
	struct clockfit_options options = CLOCKFIT_DEFAULTS;
	double rate, end;
	struct load load;

	begin_world("restless", seed);
	rate = world.pieces[0].rate;
	load = make_load(2000);
	options.wander_ppm = 600;
	end = load.every * (double)load.commands;
	for (double now = uniform(0, end / 10); now < end && world.piece_count < MAX_PIECES;
	     now += end * pow(10, uniform(-4, -1)))
		change(now, 0, rate + uniform(-300e-6, 300e-6));
	CHECK(check(&load, &options, false) == 1);
}

/* Ten times more constraints than a streaming fit keeps points. */
static void crowded(uint64_t seed)
{
	struct clockfit_options options = CLOCKFIT_DEFAULTS;
	struct load load = {
		.commands = 20000,
		.every = 100e3,
		.queue_least = 200,
		.queue_mean = 5e3,
		.run_mean = 200e3,
		.seen_least = 300,
		.seen_mean = 10e3,
	};

	begin_world("crowded", seed);
	options.max_waiting = 512;
	options.max_points = 2048;
	CHECK(check(&load, &options, false) == 1);
}

/* And far more than it can hold well. */
static void starved(uint64_t seed)
{
	struct clockfit_options options = CLOCKFIT_DEFAULTS;
	struct load load;

	begin_world("starved", seed);
	load = make_load(2000);
	options.wander_ppm = random_bits() & 1 ? 0 : 20;
	options.max_waiting = 1 + random_bits() % 16;
	options.max_points = 8 + random_bits() % (STARVED - 8);
	CHECK(check(&load, &options, false) == 1);
}

static void (*const worlds[])(uint64_t seed) = {
	straight, wander, coarse, step_forward, step_back, slew, restless, crowded, starved,
};

static void run(void (*make)(uint64_t seed), uint64_t seed)
{
	int before = check_failures;

	make(seed);
	if (check_failures != before)
		fprintf(stderr, "in world \"%s\", TANDEM_TEST_SEED=%" PRIu64 "\n", world.name,
			seed);
}

int main(void)
{
	const char *only = getenv("TANDEM_TEST_SEED");

	for (size_t w = 0; w < sizeof(worlds) / sizeof(*worlds); w++) {
		if (only) {
			run(worlds[w], strtoull(only, NULL, 10));
			continue;
		}
		for (uint64_t i = 1; i <= 8; i++)
			run(worlds[w], i);
	}
	return check_status();
}
