/* SPDX-License-Identifier: MIT */
/* Findings: what is wrong in a recorded session, where, what it cost, what caused
 * it, the confidence and a suggestion. Each kind of finding is one file of this
 * folder with one table of operations; one pass over the session feeds them all.
 *
 *	struct findings findings;
 *
 *	if (findings_make(&findings, session, NULL, &error))
 *		return cli_fail(&error);
 *	for (size_t i = 0; i < findings.count; i++)
 *		puts(findings.items[i].what);
 *	findings_free(&findings);
 *
 * Strings belong to the findings and live as long. Memory grows with distinct
 * names, objects and threads, not with the trace. One thread.
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_FINDING_H
#define TANDEM_ANALYSIS_FINDINGS_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/events/event_iterator.h"
#include "analysis/events/event_sequence.h"
#include "analysis/events/pass.h"
#include "analysis/model/graph.h"
#include "analysis/operations/async_reads.h"
#include "analysis/sched/waits.h"
#include "schema/domain.h"
#include "schema/gen/kernel_records.h"
#include "util/arena.h"
#include "util/error.h"

/* Per cent of the run: what costs less is counted, and shown where all is asked for. Two runs of one program
 * differ by more. As in view/web/panel/findings.js. */
#define FINDING_LEAST_PERCENT 2

enum finding_confidence {
	CONFIDENCE_LOW,	   /* it fits, and so may something else */
	CONFIDENCE_MEDIUM, /* it follows from an estimate, which is reported */
	CONFIDENCE_HIGH,   /* it was recorded so */
};

struct finding {
	const char *name;	/* of its kind: "idle-device" */
	const char *cause;	/* within the kind: "synchronisation" */
	const char *what;	/* one sentence */
	const char *suggestion; /* one sentence */
	const char *
		culprit; /* caused it; "" where that is the program itself, and no function of it is known */
	enum finding_confidence confidence;
	const char *why; /* the evidence of the confidence */

	/* What it cost; an estimate of what would be saved without it. Costs of
	 * different findings overlap: they do not add up. */
	uint64_t cost_ns;
	double percent;	    /* of the run */
	bool always_report; /* matters whatever it cost: an error, a doubt */
	bool once;	    /* it is there once in a run, however long that is */
	/* "KIND: CAUSE" of the finding of the same process that is its cause: it goes away
	 * with that one, whose cost holds its own. "": it is a cause. */
	const char *symptom_of;
	uint64_t count; /* how often */

	/* The cost is what the run saves without this cause of the graph (of which the kind
	 * removed calls), shared out by `cost_ns` where several findings have it; a finding
	 * that saves nothing is dropped. GRAPH_NONE: the cost is as the kind says. */
	enum graph_cause removes;
	bool at_least;	   /* ... but no less than `cost_ns` */
	uint64_t stays_ns; /* part of `cost_ns` that what is suggested does not save */
	uint64_t most_ns;  /* what is suggested saves no more than that; 0: not known */

	/* Where: 0 or "" where it is no single place. */
	uint64_t pid, tid, queue;
	const char *process; /* name of pid */
	const char *device;
	const char *object;	  /* function, kernel...; the maker copies what is borrowed */
	int64_t begin_ns, end_ns; /* the longest time, or the first; since the start */
	bool timed;		  /* ... are known */

	/* Of `overlap`: estimated time with 1, 2... queues. */
	const uint64_t *replay_ns;
	size_t replay_count;
};

/* What the replay says of a thread that drives a device on one queue, also where it
 * is not worth a finding. */
struct findings_replay {
	uint64_t pid, tid, queue;
	const char *device;
	uint64_t cycles;    /* enqueue and wait, of all of which these are the times */
	uint64_t took_ns;   /* as recorded */
	const uint64_t *ns; /* estimated with 1, 2... queues */
	size_t count;
};

struct finding_call {
	const struct tandem_event *api; /* NULL: none yet */
	int64_t begin_ns, end_ns;	/* end: INT64_MIN: it did not return */
	uint64_t call;
};

struct findings {
	struct trace_session *session;	 /* borrowed */
	struct event_iterator *iterator; /* the pass's, while findings are made */
	struct waits *waits;		 /* same */
	struct finding_call *calls;	 /* same; by stream, the latest: of the items within it */
	struct graph *graph;		 /* same; NULL: no wanted kind has `graph` */
	struct async_reads async_reads;	 /* same */
	const struct trace_clock_line *line; /* of the latest conversion by findings_ns() */
	struct arena arena;
	struct finding *items; /* the most expensive first */
	size_t count, capacity;
	struct findings_replay *replays;
	size_t replay_count, replay_capacity;
	struct range range;    /* what is examined, on CLOCK_MONOTONIC */
	uint64_t duration_ns;  /* of that part of the run */
	uint64_t recording_ns; /* by which recording made it longer, as far as that is known */
	/* By which the replay of the unchanged run (graph.h) misses what was recorded. */
	uint64_t replay_error_ns;
};

typedef int finding_item(struct findings *findings, void *state, const struct event_item *item);
typedef int finding_event(struct findings *findings, void *state,
			  const struct sequence_event *event);
typedef int finding_interval(struct findings *findings, void *state,
			     const struct wait_thread *thread,
			     const struct states_interval *interval);

/* A record of the kernel's, in the order of items. `inside`: it is in the range that is examined. */
typedef int finding_system(struct findings *findings, void *state, const struct trace_event *event,
			   bool inside);

/* In masks of the kernel's records. */
#define FINDING_SYSTEM(name) \
	(UINT64_C(1) << (TANDEM_KERNEL_EVENT_##name - TANDEM_KERNEL_EVENT_none))

struct finding_ops {
	const char *name;
	const char *words; /* for the manual */
	size_t state_bytes;
	bool waits;	  /* wants findings->waits, which is settled before `end` */
	bool whole;	  /* takes items of the whole run, and chooses by findings->range itself */
	bool graph;	  /* wants findings->graph, to remove calls from in `item` */
	unsigned items;	  /* event_item_kinds that `item` takes, each 1 << kind; 0: all */
	unsigned events;  /* sequence_event_kinds that `event` takes, each 1 << kind */
	uint64_t systems; /* records that `system` takes, each FINDING_SYSTEM() */
	/* Each returns 0 or -errno; NULL is not called. */
	int (*begin)(struct findings *findings, void *state);
	finding_item *item;
	finding_event *event;
	finding_system *system;
	/* What a thread of the session did, by the kernel: needs `waits`. */
	finding_interval *interval;
	int (*end)(struct findings *findings, void *state); /* adds what was found */
	void (*release)(struct findings *findings, void *state);
};

extern const struct finding_ops *const finding_kinds[]; /* ends with NULL */

struct findings_options {
	const char *only;		 /* this kind; NULL: all */
	const struct range *range;	 /* on CLOCK_MONOTONIC: what begins in it; NULL: the run */
	const struct progress *progress; /* may be NULL */
	bool beside; /* in two threads (beside.h), however short the session is: to be tested */
};

/* `options` may be NULL. Returns 0, -ENOENT (there is no such kind) or another -errno, told;
 * on error there is nothing to free. */
int findings_make(struct findings *findings, struct trace_session *session,
		  const struct findings_options *options, struct error *error);

/* The same in a pass that others join too (pass.h), of the pass's range as it is then: made
 * when the pass has run without an error, to be freed either way. Returns 0, -ENOENT or
 * -ENOMEM, told, and then there is nothing to free. */
int findings_join(struct pass *pass, struct findings *findings, const char *only,
		  struct error *error);

void findings_free(struct findings *findings);

/* For the kinds: a new one with all strings "", or NULL without memory. Borrowed
 * until the next one is added. */
struct finding *findings_add(struct findings *findings, const char *name, const char *cause);

/* Text that lives as long as the findings; "" without memory. */
const char *findings_text(struct findings *findings, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The finding's place: process and thread by the index of a stream; a device by its row; a time. */
void finding_place(struct findings *findings, struct finding *finding, uint32_t stream);
void finding_device(struct findings *findings, struct finding *finding, uint32_t device);
void finding_time(struct findings *findings, struct finding *finding, int64_t begin_ns,
		  int64_t end_ns);

/* The row of the domain of a device (a row of devices): its words. */
const struct tandem_domain_row *findings_domain(const struct findings *findings, uint32_t device);

/* The call within which an item was recorded, if it returned and is examined; else NULL. */
const struct finding_call *findings_call(const struct findings *findings,
					 const struct event_item *item);

/* CLOCK_MONOTONIC of ticks in a record. */
static inline int64_t findings_ns(struct findings *findings, uint64_t ticks)
{
	return trace_clock_ns_by(&findings->session->clock, &findings->line, ticks);
}

/* Stream by its index in the session. */
const struct trace_stream *findings_stream(const struct findings *findings, uint32_t index);

/* The pid of its process; 0 of TRACE_NONE, as of a command that belongs to no call. */
uint64_t findings_pid(const struct findings *findings, uint32_t index);

const char *finding_confidence_name(enum finding_confidence sure);

/* The word of version 0.1 for it, which JSON and SQL still have next to the new one. */
const char *finding_confidence_before(enum finding_confidence confidence);

/* Whether so many times are how the program works: eight, or fewer that cost a tenth of the run. */
static inline bool findings_is_habit(const struct findings *findings, uint64_t count,
				     uint64_t cost_ns)
{
	return count >= 8 || (count >= 2 && cost_ns >= findings->duration_ns / 10);
}

#endif
