/* SPDX-License-Identifier: MIT */
/* The hosts whose traces lie together, and how times and numbers of each become those of one
 * session: times on the clock of the first host, numbers of processes and threads moved by
 * TRACE_HOST_IDS for each host, CPUs behind those of the hosts before. A host is a name and a
 * boot. One thread.
 *
 *	struct hosts hosts;
 *
 *	status = hosts_find(&hosts, &folders);
 *	host = hosts_get(&hosts, "node1", boot_id, offset_ns);
 *	ns = hosts_use(&hosts, host, their_ns);
 *	hosts_free(&hosts);
 */
#ifndef TANDEM_TRACE_HOSTS_H
#define TANDEM_TRACE_HOSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/clockfit/clockfit.h"
#include "trace/external/hosts/host_time.h"
#include "trace/external/hosts/trace_folders.h"
#include "trace/session/run.h"

struct host {
	char *name, *boot_id; /* "": not told */
	uint64_t offset_ns;   /* of CLOCK_MONOTONIC to the time of day */
	bool kernel, ours;    /* a trace of its kernel is there; one of our providers */
	enum trace_host_clock clock;
	size_t towards;		    /* where its clock is fitted to, or whose it is */
	struct clockfit *fit;	    /* of TRACE_HOST_MESSAGES */
	uint64_t first_ns, last_ns; /* of its kernel's events, on its own clock */
	uint64_t shown_first_ns,
		shown_last_ns; /* of all moments that are shown, on its own clock */
	struct host_time time; /* how right its time of day is */
	uint64_t bound_ns, messages;
	int64_t moved_ns; /* what was added to its times, in the middle */
	double drift_ppm;
	uint32_t first_cpu, cpus; /* cpus: as far as is known */
};

struct hosts { /* the first one's clock is the session's */
	struct host *list;
	size_t count, capacity;
};

/* Those of the kernel's traces and of ours. Returns 0 or -ENOMEM. */
int hosts_find(struct hosts *hosts, const struct trace_folders *folders);

/* The host's place; one that was not there yet is added, joined by the time of day.
 * SIZE_MAX: out of memory, or too many. */
size_t hosts_get(struct hosts *hosts, const char *name, const char *boot_id, uint64_t offset_ns);

/* A moment of its CLOCK_MONOTONIC, on the first host's; wrong by `*bound_ns` at most, which is
 * CLOCKFIT_UNBOUNDED where that is not said. */
uint64_t hosts_ns(const struct hosts *hosts, size_t host, uint64_t ns, uint64_t *bound_ns);

/* The same of a moment that is shown: the host's bound covers it from now on. A fit knows less
 * before the first message, behind the last one, and where a clock was set. */
uint64_t hosts_use(struct hosts *hosts, size_t host, uint64_t ns);

/* How its clock is joined by all that has been read, and by how much its times are wrong at
 * most; CLOCKFIT_UNBOUNDED: that is not known. */
enum trace_host_clock hosts_clock(const struct hosts *hosts, size_t host, uint64_t *bound_ns);

/* The number of its process or thread in the session; 0 stays. */
static inline uint32_t hosts_id(size_t host, uint32_t id)
{
	return id ? id + (uint32_t)host * TRACE_HOST_IDS : 0;
}

void hosts_free(struct hosts *hosts);

#endif
