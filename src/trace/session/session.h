/* SPDX-License-Identifier: MIT */
/* A recorded session, open (session_open.h): the directory that `tandem record` made, its
 * control page, what was run, its processes and their streams, and its clock. What it
 * holds belongs to it. One thread.
 */
#ifndef TANDEM_TRACE_SESSION_H
#define TANDEM_TRACE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/control.h"
#include "trace/clock.h"
#include "trace/schema/layout.h"
#include "trace/session/process.h"
#include "trace/session/run.h"
#include "trace/stream/file.h"
#include "trace/stream/problems.h"

struct trace_session {
	char *path;
	const char
		*given; /* as its user knows it; borrowed: the path, unless it was made of that */
	struct trace_run run; /* session.json, else from the control page */

	bool has_control;
	bool has_rings; /* a flight recorder's: its streams are no plain ones */
	enum tandem_args_level args_level;
	bool ticks_monotonic;		  /* ticks are CLOCK_MONOTONIC; else a counter's */
	uint64_t lost[TANDEM_LOSS_COUNT]; /* as the control page counts them */
	uint64_t untimed_queues;
	uint64_t unfinished; /* operations, as the processes counted at their ends */

	/* By pid, then instance; behind those that were traced, the kernel's. */
	struct trace_process *processes;
	size_t process_count, traced_count;
	uint64_t streams_held; /* files of streams with something in them (run.streams) */
	size_t stream_count;
	char *kernel_from;	/* where the kernel's side was taken from instead; NULL: its own */
	uint64_t content_bytes; /* of all packets: the work of a full pass */

	struct trace_clock clock;
	int64_t start_ns; /* CLOCK_MONOTONIC at the session's start */
	uint64_t start_ticks;
	uint64_t last_ticks; /* of the latest record, by the packets' headers */
	/* From the end of the run to the last record of processes that outlived it; 0: none. */
	uint64_t outlived_ns;

	struct trace_files files;
	struct trace_files kernel_files;  /* where kernel_from is given */
	struct trace_problems *problems;  /* borrowed; NULL: problems are discarded */
	struct trace_schema schema;	  /* the events that its streams hold */
	struct trace_layouts *layouts[3]; /* of the schema; made when first asked for */
	struct trace_layouts *builtin;	  /* of this build; NULL: not needed */
	unsigned event_count;		  /* the layouts' indices are below this */
};

/* Borrowed, or NULL when memory ran out. */
const struct trace_layouts *trace_session_layouts(struct trace_session *session,
						  enum tandem_args_level level);

/* The event of an id, as the session describes it; NULL: there is none. */
static inline const struct tandem_event *trace_session_event(const struct trace_session *session,
							     unsigned id)
{
	return trace_schema_event(&session->schema, id);
}

/* The row of a domain by its number; never NULL. */
static inline const struct tandem_domain_row *
trace_session_domain(const struct trace_session *session, unsigned number)
{
	return trace_schema_row(&session->schema, number);
}

/* The number of the domain of an event; core's where none has it. */
static inline unsigned trace_session_domain_of(const struct trace_session *session, unsigned id)
{
	return trace_schema_domain_of(&session->schema, id) % TRACE_DOMAINS;
}

/* The row of the domain of an event of this session. */
static inline const struct tandem_domain_row *
trace_session_event_domain(const struct trace_session *session, const struct tandem_event *event)
{
	return trace_session_domain(session, trace_session_domain_of(session, event->id));
}

/* The event whose layouts have that index. */
const struct tandem_event *trace_session_event_at(const struct trace_session *session,
						  unsigned index);

/* ns from the session's start to the end of the run, or to when recording was stopped, or to the latest
 * record where no end was written, or where processes outlived the run (outlived_ns). */
uint64_t trace_session_duration_ns(struct trace_session *session);

#endif
