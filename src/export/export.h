/* SPDX-License-Identifier: MIT */
/* Turns recorded sessions into other tools' formats. A format is one table of
 * operations in a file of its own; the driver goes once through each session and
 * calls them, so that a format knows nothing of streams, clocks and matching
 * (doc/HOWTO_ADD_EXPORT.md).
 *
 *	struct export_request request = {.ops = export_find("chrome"), .out = "t.json",
 *					 .sessions = &session, .session_count = 1};
 *	struct export_result result;
 *
 *	status = export_make(&request, &result, &error);
 *
 * Nothing is kept but what is in flight: memory does not grow with the trace. One
 * thread.
 */
#ifndef TANDEM_EXPORT_EXPORT_H
#define TANDEM_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "analysis/events/event_iterator.h"
#include "analysis/events/item_range.h"
#include "analysis/ranges/ranges.h"
#include "export/output.h"
#include "util/error.h"

struct export;
struct findings;

/* Each returns 0 or -errno; one that is NULL is not called. In the order of
 * their first calls: */
struct export_ops {
	const char *name;   /* of --format */
	const char *words;  /* for --help */
	const char *suffix; /* of the output's name */
	bool own_output;    /* makes export->out itself: a folder, a database */
	bool own_process;   /* its library may crash: child.h */
	bool with_findings; /* wants export->findings */
	size_t state_bytes; /* of export->state, zeroed */

	int (*begin)(struct export *export);
	/* For each session: export->iterator is open. */
	int (*session)(struct export *export);
	int (*process)(struct export *export, const struct trace_process *process);
	int (*thread)(struct export *export, const struct trace_stream *stream);
	int (*call)(struct export *export, const struct event_item *item);
	int (*operation)(struct export *export, const struct event_item *item);
	int (*unfinished)(struct export *export, const struct event_item *item);
	int (*memory)(struct export *export, const struct event_item *item);
	int (*build)(struct export *export, const struct event_item *item);
	int (*object)(struct export *export, const struct event_item *item);
	int (*lost)(struct export *export, const struct event_item *item);
	/* A range or a marker of the program's own: when it has ended and all that was
	 * enqueued inside has. Its number is export_range(). */
	int (*range)(struct export *export, const struct range_instance *range);
	int (*engines)(struct export *export, const struct event_item *item);
	/* Every item of the iterator, also those that have no operation above and those that
	 * are not in the part which is asked for (export_holds()); after its own operation. */
	int (*any)(struct export *export, const struct event_item *item);
	int (*session_end)(struct export *export);
	/* Everything was said. */
	int (*end)(struct export *export);
	/* Also after an error: frees what the state holds, drops an own output. */
	void (*release)(struct export *export);
	/* The own process was killed: drops what it had made. */
	void (*killed)(const char *out, pid_t process);
};

struct export
{
	const struct export_ops *ops;
	void *state;
	const char *out;
	struct output output; /* unless ops->own_output */
	struct error *error;  /* for causes; may be NULL */

	struct event_iterator *iterator; /* of the current session */
	/* Of the current session, complete from session_end on; NULL: nobody wants them. */
	const struct findings *findings;
	struct range range;	/* what is exported of the current session, on CLOCK_MONOTONIC */
	const char *range_name; /* that chose it, as it was asked for; NULL: none */
	size_t session;		/* its index */
	uint32_t machine;	/* the index of the first one of this machine and boot */
	bool apart;		/* it is not on the first one's clock */
	int64_t origin_ns;	/* the first session's start, on its own clock */
	int64_t shift_ns;	/* what export_time() adds in this session */
	/* What earlier sessions have used up. */
	uint64_t process_base, thread_base, call_base, device_base, range_base;
	uint64_t operation_count; /* so far: of commands, ended or not; the current one's id */
};

/* Time on the axis that all sessions share. */
static inline int64_t export_time(const struct export *export, int64_t monotonic_ns)
{
	return (int64_t)((uint64_t)monotonic_ns + (uint64_t) export->shift_ns);
}

/* Whether what begins then is in the part of the session that is asked for. */
static inline bool export_holds(const struct export *export, int64_t monotonic_ns)
{
	return range_holds(&export->range, monotonic_ns);
}

/* Whether the item is, or describes what may be. */
static inline bool export_wants(const struct export *export, const struct event_item *item)
{
	return range_is_whole(&export->range) || item_is_description(item) ||
	       item_in_range(item, &export->range);
}

/* Ids that are unique over all sessions, from 1. */
static inline uint64_t export_process(const struct export *export, uint32_t index)
{
	return export->process_base + index + 1;
}

static inline uint64_t export_thread(const struct export *export, uint32_t stream)
{
	return export->thread_base + stream + 1;
}

static inline uint64_t export_device(const struct export *export, uint32_t device)
{
	return export->device_base + device + 1;
}

static inline uint64_t export_call(const struct export *export, uint64_t call)
{
	return export->call_base + call;
}

static inline uint64_t export_range(const struct export *export, uint64_t number)
{
	return export->range_base + number;
}

/* The process's pid, moved where a session from elsewhere may have the same. */
int32_t export_pid(const struct export *export, uint64_t pid);

/* The row of a timeline for records of activity with this role (enum tandem_record_role), or
 * NULL; and when one was, on CLOCK_MONOTONIC: end_ns is begin_ns of a moment. */
const char *export_activity_row(unsigned role);
void export_activity_times(const struct export *export, const struct trace_event *event,
			   int64_t *begin_ns, int64_t *end_ns);

/* The formats, in the order of --help; ends with NULL. */
extern const struct export_ops *const export_formats[];

/* NULL where there is no such format. */
const struct export_ops *export_find(const char *name);

struct export_request {
	const struct export_ops *ops;
	const char *out; /* a path; "-" is the standard output, unless ops->own_output */
	struct trace_session *const *sessions;
	size_t session_count;
	/* One for each session, on CLOCK_MONOTONIC: what begins there is exported, whole
	 * (item_range.h); NULL: all. */
	const struct range *ranges;
	/* The name by which they were chosen, for the formats that say so; NULL: none. */
	const char *range_name;
	/* Put sessions of different machines or boots on one axis by the time of
	 * day; else each begins where the first one does. */
	bool join;
	const struct progress *progress;
};

struct export_result {
	uint64_t bytes; /* of the file; 0 of a folder */
	size_t apart;	/* sessions that have a clock of their own */
};

/* Returns 0 or -errno, told: then nothing new lies at `out`. */
int export_make(const struct export_request *request, struct export_result *result,
		struct error *error);

#endif
