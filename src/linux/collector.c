/* SPDX-License-Identifier: MIT */
#include "linux/collector.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "linux/access.h"
#include "linux/machine.h"
#include "linux/tracepoint/tracefs.h"
#include "util/counter.h"

/* What is lost at most when the recorder is killed. Each time, the program may have
 * to give up a CPU, and threads that start together no longer run together. */
#define PERIOD_MS 500
/* The first looks come sooner: what a tracepoint leaves out is found by its gaps. */
#define EARLY_MS 50
#define EARLY_PERIODS 3
/* The same while the session is paused: how early a resumption can be. */
#define PAUSED_MS 100
/* On a machine whose CPUs are all taken we may be as late as this... */
#define LATE_MS 100
/* ... which must not fill the buffers so far. */
#define FULL_PERCENT 50
/* So long the program runs before the rest of the tracepoints is opened: each
 * stops all CPUs for a moment, and a program that ends at once is spared that. */
#define PATIENCE_MS 2
/* How often CPUs that came or went are looked for, in polls. */
#define UPDATE_PERIODS 2

struct linux_collector {
	struct tandem_control *control;
	enum linux_level level;
	int events; /* tracefs; -1: the program's own switches are all there is */
	int mount;  /* that it is from; -1: none of ours */
	struct linux_plan plan;
	struct linux_machine machine;
	struct perf_clock clock;
	struct linux_folder folder;
	struct linux_decoder decoder;
	bool program_started;
	bool scheduler_added;
	bool drivers_added;
	bool complete; /* nothing more to open */
	bool kept;     /* the last drain was written, not thrown away */
	bool urgent;   /* buffers fill fast: we run in real time */
	uint64_t drained_ns;
	uint64_t failures_seen;
	unsigned periods;
};

/* A descriptor for each event and CPU: the usual soft limit of 1,024 is for
 * select(), which is not used here. A program that is recorded has its own (child.h). */
static void raise_file_limit(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur == files.rlim_max)
		return;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}

static size_t ring_bytes(const struct linux_collector *collector)
{
	return collector->decoder.sampling.saved_stacks ? LINUX_RING_STACKS_BYTES
							: LINUX_RING_BYTES;
}

static void tracefs_close(struct linux_collector *collector)
{
	if (collector->mount >= 0)
		close(collector->mount);
	if (collector->events >= 0)
		close(collector->events);
	collector->events = collector->mount = -1;
}

/* Everybody, on the tracepoints of the scheduler. */
static int start_system(struct linux_collector *collector, char *words)
{
	enum linux_attempt attempt = LINUX_ATTEMPT_TRACEFS;
	int error = linux_tracefs_open(&collector->mount);

	if (error >= 0) {
		collector->events = error;
		error = linux_plan_make(&collector->plan, collector->level, collector->events);
		attempt = LINUX_ATTEMPT_FORMAT;
	}
	if (!error) {
		error = linux_machine_open(&collector->machine, &collector->folder,
					   &collector->plan, ring_bytes(collector));
		attempt = LINUX_ATTEMPT_EVENT;
	}
	if (!error) {
		collector->decoder.tasks.system = true;
		while (collector->machine.opened < collector->plan.urgent)
			linux_machine_open_next(&collector->machine);
		return 0;
	}
	tracefs_close(collector);
	linux_access_words(words, LINUX_NOTE_BYTES, attempt, error);
	return error;
}

/* What is missing, before why. */
static void words_begin(char *words, const char *missing)
{
	char why[LINUX_NOTE_BYTES];

	snprintf(why, sizeof(why), "%s", words);
	if (*why)
		snprintf(words, LINUX_NOTE_BYTES, "%.80s: %.230s", missing, why);
}

/* The program's threads, on their context switches. */
static int start_program(struct linux_collector *collector, char *words)
{
	int error = linux_machine_open(&collector->machine, &collector->folder, NULL,
				       ring_bytes(collector));

	if (error) {
		linux_access_words(words, LINUX_NOTE_BYTES, LINUX_ATTEMPT_EVENT, error);
		words_begin(words, "no scheduling is recorded");
		return error;
	}
	collector->complete = true;
	collector->decoder.tasks.first_namespace = true; /* no other numbers occur */
	words_begin(words, "only this program's context switches are recorded of the scheduler");
	return 0;
}

/* The program inherits them, so before it starts. */
static void start_samples(struct linux_collector *collector, char *words)
{
	struct linux_sampling *sampling = &collector->decoder.sampling;
	int error;

	if (!sampling->hz)
		return;
	error = linux_machine_add_samples(&collector->machine, sampling);
	if (!error)
		return;
	sampling->hz = 0;
	linux_access_sample_words(words, LINUX_NOTE_BYTES, error);
}

static int start(struct linux_collector *collector, const struct linux_options *options,
		 struct linux_notes *words)
{
	int error = linux_folder_open(&collector->folder, options->directory, collector->control,
				      &collector->clock);

	if (error)
		return error;
	perf_clock_begin(&collector->clock, options->control->clock_source);
	linux_decoder_init(&collector->decoder, &collector->clock);
	collector->decoder.syscalls.arguments = collector->control->args_level != TANDEM_ARGS_NONE;
	collector->decoder.sampling.hz = options->sample_hz;
	collector->decoder.processes = options->processes;
	collector->decoder.sampling.saved_stacks = options->saved_stacks;
	raise_file_limit();
	error = start_system(collector, words->scheduler);
	if (error && options->whole)
		words_begin(words->scheduler, "no kernel events are recorded");
	else if (error)
		error = start_program(collector, words->scheduler);
	if (!error)
		start_samples(collector, words->samples);
	if (error)
		return error;
	perf_clock_advance(&collector->clock);
	linux_machine_announce(&collector->machine, true, collector->clock.now.ticks);
	collector->kept = atomic_load(&collector->control->state) == TANDEM_STATE_RECORDING;
	return 0;
}

int linux_collector_start(struct linux_collector **out, const struct linux_options *options,
			  struct linux_notes *words)
{
	struct linux_collector *collector;
	int error;

	*out = NULL;
	words->scheduler[0] = words->samples[0] = '\0';
	if (options->level == LINUX_OFF)
		return 0;
	collector = calloc(1, sizeof(*collector));
	if (!collector)
		return -ENOMEM;
	collector->control = options->control;
	collector->level = options->level;
	collector->events = collector->mount = -1;
	collector->machine.epoll = -1;
	error = start(collector, options, words);
	if (!error)
		*out = collector;
	else
		linux_collector_close(collector);
	return error;
}

int linux_collector_fd(const struct linux_collector *collector)
{
	return collector ? collector->machine.epoll : -1;
}

/* Of the tracepoints that are open; again for those that came since. */
static void read_formats(struct linux_collector *collector)
{
	for (size_t i = 0; i < collector->machine.opened && i < collector->plan.count; i++) {
		enum linux_tracepoint tracepoint = collector->plan.events[i].tracepoint;

		if (tracepoint != LINUX_TRACEPOINT_COUNT &&
		    !collector->decoder.formats.of[tracepoint].id)
			linux_formats_read(&collector->decoder.formats, collector->events,
					   tracepoint);
	}
}

static void add_drivers(struct linux_collector *collector)
{
	if (collector->events < 0 ||
	    (collector->level != LINUX_GPU && collector->level != LINUX_ALL))
		return;
	if (!linux_drivers_find(&collector->decoder.drivers, collector->events))
		linux_plan_add_drivers(&collector->plan, &collector->decoder.drivers);
}

/* The program has its own dispositions by now. */
static void program_started(struct linux_collector *collector)
{
	collector->program_started = true;
	signal(SIGXFSZ, SIG_IGN);
	/* While the program starts, on another CPU as a rule: not when it has ended. */
	read_formats(collector);
	if (collector->kept)
		linux_folder_make(&collector->folder);
}

/* Whoever is waiting for the CPU must not make us late where the buffers fill fast;
 * elsewhere nobody is to be displaced at once. Best effort; EPERM is ignored. */
static void boost_priority(struct linux_collector *collector, unsigned percent)
{
	struct sched_param lowest = {.sched_priority = 1};
	uint64_t now_ns = counter_clock_ns(CLOCK_MONOTONIC);
	uint64_t ms = (now_ns - collector->drained_ns) / 1000000;

	if (ms < EARLY_MS)
		ms = EARLY_MS;
	collector->drained_ns = now_ns;
	if (collector->urgent || (percent < FULL_PERCENT && percent * LATE_MS / ms < FULL_PERCENT))
		return;
	collector->urgent = true;
	sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest);
}

/* What was drained is whole until now, and nothing more is kept. */
static void end_here(struct linux_collector *collector)
{
	perf_clock_advance(&collector->clock);
	linux_machine_announce_end(&collector->machine, collector->clock.now.ticks);
	linux_machine_drain(&collector->machine, &collector->decoder, true);
}

static void drain(struct linux_collector *collector)
{
	bool keep = atomic_load(&collector->control->state) == TANDEM_STATE_RECORDING;

	/* What was recorded since the last look is kept if the session was not
	 * paused then or is not now: a pause begins late rather than early, and
	 * a resumption early rather than late. */
	if (keep && !collector->kept) {
		linux_decoder_invalidate(&collector->decoder);
		linux_machine_announce(&collector->machine, true, collector->clock.now.ticks);
	}
	perf_clock_advance(&collector->clock);
	boost_priority(collector, linux_machine_drain(&collector->machine, &collector->decoder,
						      keep || collector->kept));
	if (collector->kept && !keep)
		end_here(collector);
	collector->kept = keep;
	if (collector->folder.failures + collector->folder.lasting.copies !=
	    collector->failures_seen) {
		collector->failures_seen =
			collector->folder.failures + collector->folder.lasting.copies;
		linux_decoder_invalidate(&collector->decoder);
	}
}

/* After a drain: what they had to say is written. */
static void look_for_cpus(struct linux_collector *collector)
{
	perf_clock_advance(&collector->clock);
	linux_machine_update(&collector->machine, &collector->decoder);
}

static void completed(struct linux_collector *collector)
{
	/* First what was recorded before it was complete. */
	read_formats(collector);
	drain(collector);
	perf_clock_advance(&collector->clock);
	linux_machine_announce(&collector->machine, false, collector->clock.now.ticks);
	collector->complete = true;
}

/* One step: the program may have ended meanwhile. */
static void open_rest(struct linux_collector *collector)
{
	if (linux_machine_open_next(&collector->machine))
		return;
	if (!collector->scheduler_added) {
		collector->scheduler_added = true;
		linux_plan_add_scheduler(&collector->plan, collector->events);
	} else if (!collector->drivers_added) {
		collector->drivers_added = true;
		add_drivers(collector);
	} else {
		completed(collector);
	}
}

int linux_collector_poll(struct linux_collector *collector)
{
	if (!collector)
		return -1;
	if (!collector->program_started) {
		program_started(collector);
		return PATIENCE_MS;
	}
	if (!collector->complete) {
		open_rest(collector);
		return 0;
	}
	drain(collector);
	linux_machine_fill_gaps(&collector->machine);
	if (++collector->periods % UPDATE_PERIODS == 0)
		look_for_cpus(collector);
	if (collector->periods <= EARLY_PERIODS)
		return EARLY_MS;
	return collector->kept ? PERIOD_MS : PAUSED_MS;
}

void linux_collector_finish(struct linux_collector *collector)
{
	if (!collector)
		return;
	if (collector->machine.count) {
		read_formats(collector);
		drain(collector);
	}
	if (collector->complete) {
		look_for_cpus(collector);
		drain(collector);
	}
	if (collector->machine.count && collector->kept)
		end_here(collector);
}

void linux_collector_close(struct linux_collector *collector)
{
	int mount;

	if (!collector)
		return;
	mount = collector->mount;
	collector->mount = -1;
	tracefs_close(collector);
	linux_plan_free(&collector->plan);
	linux_decoder_free(&collector->decoder);
	linux_folder_close(&collector->folder);
	/* The last: to unmap anything beside the child that closes the events takes an interrupt of its
	 * CPU. */
	linux_machine_close(&collector->machine, mount, true);
	free(collector);
}
