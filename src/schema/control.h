/* SPDX-License-Identifier: MIT */
/* The control page: one page, DIR/control, mapped shared by `tandem record`
 * and by every traced process. It steers a running session (pause, resume and
 * stop are one store, seen by the next call) and gathers what each process
 * counts. Only words that are read or written atomically; no pointers.
 *
 *   owner    `tandem record` creates it before the program starts
 *   writers  `tandem pause|resume|stop` (recording, state, statedump); traced
 *            processes (the counters)
 *   layout   fixed; `version` changes with it, and a process that finds
 *            another version does not record
 */
#ifndef TANDEM_SCHEMA_CONTROL_H
#define TANDEM_SCHEMA_CONTROL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "losses.h"

#define TANDEM_CONTROL_MAGIC 0x74646e4154725463ull
#define TANDEM_CONTROL_VERSION 4u
#define TANDEM_CONTROL_VERSION_LEAST 2u /* that can be read: tandem_control_upgrade() */
#define TANDEM_CONTROL_BYTES 4096u

/* Where a traced process finds its session (absolute path of DIR). */
#define TANDEM_ENV_SESSION "TANDEM_SESSION"

enum tandem_args_level { TANDEM_ARGS_NONE, TANDEM_ARGS_BASIC, TANDEM_ARGS_FULL };

enum tandem_session_state {
	TANDEM_STATE_RECORDING = 1,
	TANDEM_STATE_PAUSED,
	TANDEM_STATE_STOPPED, /* for good */
};

#define TANDEM_DOMAINS_MOST 64u
#define TANDEM_JOIN_PLACES 256u

/* What one domain is asked for, and what it has to say. The numbers of choices and
 * notices are its own: a list of each in src/schema/NAME.h, named in its row. */
struct tandem_domain_control {
	uint32_t choices;	  /* 1 << choice: is recorded; fixed for the run */
	uint32_t interval_ms;	  /* how old a device record may be that only memory holds */
	_Atomic uint64_t notices; /* 1 << notice: seen in some process */
};

struct tandem_control {
	/* Read on every call: the mask of domains (1 << number, ids.h) that
	 * record now. 0 = none. */
	_Alignas(TANDEM_CONTROL_BYTES) _Atomic uint64_t recording;
	uint32_t device_timing;	    /* 1: profiling is switched on for queues */
	uint32_t clock_source;	    /* enum tandem_clock_source */
	_Atomic uint32_t statedump; /* +1 at each resume: descriptions made before are stale */
	uint32_t max_string_bytes;  /* strings and arrays are cut at this length */
	uint32_t exit_wait_ms;	    /* bound on waiting for running commands at exit */
	uint32_t subbuffer_bytes;   /* of content, after which a packet ends; a multiple of 4096 */

	uint64_t magic;
	uint32_t version;
	_Atomic uint32_t state; /* enum tandem_session_state */
	uint32_t args_level;	/* enum tandem_args_level, fixed for the run */
	int32_t recorder_pid;

	/* The session's clock: ticks_hz is nominal; exact conversion comes from
	 * the pairs (ticks, CLOCK_MONOTONIC) in the packets. */
	uint64_t ticks_hz;
	uint64_t start_ticks, start_monotonic_ns, start_realtime_ns;

	uint64_t limit_bytes;	     /* 0: no limit */
	_Atomic uint64_t used_bytes; /* that are reserved in stream files */

	_Atomic uint64_t lost[32]; /* by enum tandem_loss */
	_Atomic uint64_t processes, threads;
	_Atomic uint64_t records_flushed; /* in finished packets; a hint for `status` */
	_Atomic uint64_t unfinished;	  /* commands still running when their process ended */
	_Atomic uint64_t untimed_queues;  /* queues without device times */

	char capture[128]; /* what bounds the recording (capture.h); "": nothing */
	struct tandem_domain_control domain[TANDEM_DOMAINS_MOST]; /* by number (ids.h) */
	uint64_t domains; /* the mask that `recording` has when not paused */
	/* 1: another tool's daemons record, and say what. With rings, these are looked at by
	 * `record --snapshot-when` alone, and what is saved is the other tool's. */
	uint32_t external;

	/* A flight recorder: each stream holds its last records, in so many bytes
	 * (format/ring.h). 0: everything is kept; and in what a snapshot has copied. */
	uint64_t ring_bytes;

	/* Programs into which the library was loaded, whether they make calls or not: how many, and
	 * when the last one of each place, its process's number modulo TANDEM_JOIN_PLACES. */
	_Atomic uint64_t joins, joined_ticks[TANDEM_JOIN_PLACES];

	/* When recording was on (CLOCK_MONOTONIC): since when it is, 0: it is not; for how long before
	 * that; and when it was stopped, 0: it was not. */
	_Atomic uint64_t recording_since_ns, recorded_ns, stopped_ns;
};

static inline bool tandem_control_readable(const struct tandem_control *control)
{
	return control->version >= TANDEM_CONTROL_VERSION_LEAST &&
	       control->version <= TANDEM_CONTROL_VERSION;
}

/* A copy of a readable page, as this version would have it up to `untimed_queues`. Masks
 * had 32 bits before version 4, and the level of arguments its place after them. */
static inline void tandem_control_upgrade(struct tandem_control *copy)
{
	uint32_t recording, args_level, domains;

	if (copy->version >= 4)
		return;
	memcpy(&recording, copy, sizeof(recording));
	memcpy(&args_level, (const char *)copy + sizeof(recording), sizeof(args_level));
	domains = copy->args_level;
	copy->recording = recording;
	copy->args_level = args_level;
	copy->domains = domains;
	copy->ring_bytes = 0;
}

_Static_assert(sizeof(struct tandem_control) == TANDEM_CONTROL_BYTES, "one page");
_Static_assert(TANDEM_LOSS_COUNT <= 32, "room for every loss reason");

#endif
