/* SPDX-License-Identifier: MIT */
/* GPU engines (rings) as the kernel's drivers have them: from the tracepoints of
 * i915, of the DRM scheduler (amdgpu, xe, nouveau, panfrost ...), of older amdgpu and
 * of virtio_gpu, for each engine what its host-side queue and its device-side queue
 * hold over time, and whose jobs those are: of all processes, graphics included
 * (doc/KERNEL.md). Input in the order of time; memory grows with engines, with the
 * processes that use them and with the jobs in flight. One thread.
 *
 *	struct engines engines;
 *	engines_init(&engines, start_ns, who, on_change, user);
 *	engines_event(&engines, ns, tid, kind, &data);       each driver's tracepoint
 *	engines_lost(&engines, ns);                          records are missing here
 *	engines_finish(&engines, end_ns);
 *	... engines.engines[], engines.users[]
 *	engines_free(&engines);
 */
#ifndef TANDEM_ANALYSIS_SCHED_ENGINES_H
#define TANDEM_ANALYSIS_SCHED_ENGINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/events/range.h"
#include "trace/tracepoint.h"
#include "util/intern.h"
#include "util/map.h"

#define ENGINES_NONE UINT32_MAX

struct engine {
	const char *driver; /* whose tracepoints these are: "i915", "gpu_scheduler" ... */
	const char *name;   /* "rcs0", "0000:03:00.0 gfx" */
	/* Now: jobs that wait for the driver to hand them over; that the device has. */
	uint64_t host, device;
	uint64_t host_most, device_most;
	uint64_t host_area, device_area; /* sums over time: jobs times ns */
	uint64_t jobs;			 /* that ended */
	uint64_t busy_ns;		 /* with at least one job at the device */
	uint64_t unknown_ns;		 /* records were lost: nobody knows what it held */
	uint64_t dropped;		 /* jobs in flight at a loss: not in any sum */
	bool unknown;
	int64_t since;	 /* told up to here */
	int64_t free_ns; /* the end of the latest job: one is executed after another */
};

struct engine_user { /* a process's jobs on an engine; those that ended */
	uint32_t engine;
	uint32_t pid, name; /* in `names`; pid 0: not known */
	uint64_t jobs;
	uint64_t host_ns;   /* in the host-side queue */
	uint64_t device_ns; /* handed over, behind others on the engine */
	uint64_t executing_ns;
	uint64_t unsplit_ns; /* from queued to done, where the driver tells no more */
};

/* Of which process a thread is, as the kernel counts; leaves 0 what is not known. */
typedef void engines_who(void *user, uint32_t tid, uint32_t *pid, const char **name);

/* An engine's content changed to engine->host and ->device. */
typedef void engines_change(void *user, uint32_t engine, int64_t ns);

struct engines_job {
	uint64_t key;
	uint32_t engine, user;
	uint32_t next_free;
	int64_t queued_ns, handed_ns; /* INT64_MIN: not seen */
};

struct engines {
	int64_t start_ns;
	struct range range;	 /* what is counted: all, where the caller sets nothing else */
	engines_who *who;	 /* may be NULL */
	engines_change *changed; /* may be NULL */
	void *caller;
	struct intern names;
	struct engine *engines;
	size_t count, capacity;
	struct engine_user *users;
	size_t user_count, user_capacity;
	struct map by_name; /* driver's name and engine's, in `names` -> index */
	struct map by_user; /* engine and process -> index */
	struct map by_job;  /* key -> index in `jobs` */
	struct engines_job *jobs;
	size_t job_count, job_capacity;
	uint32_t free_jobs;	    /* index + 1 of the first free one */
	struct engines_kind *kinds; /* by tracepoint's index: what it means */
	size_t kind_count, kind_capacity;
	bool scheduler; /* the DRM scheduler tells: amdgpu's own words are not needed */
	int failed;
};

void engines_init(struct engines *engines, int64_t start_ns, engines_who *who,
		  engines_change *changed, void *caller);

/* Takes any tracepoint. Returns 0 or -ENOMEM. */
int engines_event(struct engines *engines, int64_t ns, uint32_t tid, const struct tracepoint *kind,
		  const struct tracepoint_data *data);

/* Whatever was in flight is not known any more. */
void engines_lost(struct engines *engines, int64_t ns);

/* Counts up to here. */
void engines_finish(struct engines *engines, int64_t end_ns);

void engines_free(struct engines *engines);

#endif
