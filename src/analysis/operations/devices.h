/* SPDX-License-Identifier: MIT */
/* The devices of a session, each once, whatever number of processes used it:
 * who they are, and how long they were busy. A device is known by its domain,
 * name and place among its platform's devices; a sub-device by its parent's too.
 * Those that are left with the same name get " #1", " #2"... Part of the
 * report's pass. One thread.
 *
 *	uint32_t device;
 *	devices_of_number(&devices, event, number, domain, &device);
 *	devices_busy(&devices, device, process, queued_ns, start_ns, end_ns);
 *	devices_name(&devices, &arena);
 *	puts(devices.rows[device].shown);
 */
#ifndef TANDEM_ANALYSIS_OPERATIONS_DEVICES_H
#define TANDEM_ANALYSIS_OPERATIONS_DEVICES_H

#include "analysis/stats/contention_feed.h"
#include "analysis/stats/utilization.h"
#include "trace/objects.h"
#include "trace/session/session.h"
#include "util/arena.h"
#include "util/map.h"

struct device_row {
	uint8_t domain, type;
	const struct trace_run_host *host; /* NULL: of the one that there is */
	bool described;			   /* false: what it is was never said */
	uint32_t name, platform_name;	   /* in objects->names */
	uint32_t platform, ordinal;
	uint32_t compute_units; /* 0: not known */
	uint64_t timer_ns;	/* resolution of its clock; 0: not known */
	uint32_t parent;	/* row, or TRACE_NONE */
	uint64_t operations;
	/* Sums of its commands' waits and executions. */
	uint64_t host_queue_ns, device_queue_ns, executing_ns;
	struct utilization utilization; /* of a device that one process used */
	struct contention_feed *feed;	/* of one that several share; NULL: nothing came */
	const char *shown;		/* with " #1", once finished */
};

struct devices {
	struct trace_session *session;
	bool shared; /* by several processes: their contention says when they were busy */
	bool two_cpus;
	struct worker *worker; /* of the contention; NULL: not started, or the caller's work */
	struct trace_objects objects;
	struct device_row *rows;
	size_t count, capacity;
	struct map known;      /* process and number -> row */
	uint32_t unknown[256]; /* by domain: the row of what was never described; + 1 */
};

void devices_init(struct devices *devices, struct trace_session *session);

/* Row of the device that `event` calls by its number, looked for ahead if need
 * be. Returns 0 or -ENOMEM. */
int devices_of_number(struct devices *devices, const struct trace_event *event, uint32_t number,
		      uint8_t domain, uint32_t *row);

/* Same, of a device that is known by now or never. */
int devices_of_known(struct devices *devices, uint32_t process, uint32_t number, uint8_t domain,
		     uint32_t *row);

/* All that are described have their rows: from now on no row changes its place. Returns 0 or -ENOMEM. */
int devices_settled(struct devices *devices);

/* An operation with times: when it was queued (`start_ns`, where that is not known), and when
 * it was executing. Returns 0 or -ENOMEM. */
int devices_busy(struct devices *devices, uint32_t row, uint32_t process, uint64_t queued_ns,
		 uint64_t start_ns, uint64_t end_ns);

/* Whether one is the CPU: threads of the program do its work, those that wait among them. */
bool devices_have_cpu(const struct devices *devices);

/* Cores of a device that is the CPU: of the largest, of several; 0: there is none. */
uint32_t devices_cpu_cores(const struct devices *devices);

/* The part of its work that a device does not do while a thread of the program runs: one compute
 * unit's, where the device is the CPU, all of it where their number is not known; else 0. */
double devices_taken_part(const struct device_row *row);

/* No command is in flight anywhere. Returns 0 or -ENOMEM. */
int devices_settle(struct devices *devices);

/* No more comes: all that was busy is in the rows. Returns 0 or -ENOMEM. */
int devices_finish(struct devices *devices);

/* Once finished: how the row's device was shared; NULL: it was not, or not used. */
static inline const struct contention *devices_contention(const struct devices *devices, size_t row)
{
	const struct contention_feed *feed = devices->rows[row].feed;

	return feed ? &feed->contention : NULL;
}

/* Gives the rows their shown names, which live in the arena; "" where memory ran
 * out. */
void devices_name(struct devices *devices, struct arena *arena);

const char *devices_domain(const struct trace_session *session, uint8_t domain);
const char *devices_type(uint8_t type);

void devices_free(struct devices *devices);

#endif
