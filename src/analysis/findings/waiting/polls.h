/* SPDX-License-Identifier: MIT */
/* Threads that ask again and again whether a command is over: without a break, or asleep in
 * between; or once, after a sleep in which it ended. Who works in between only looks how far it
 * is, and is left alone. One thread.
 *
 *	polls_begin(&polls, session);
 *	polls_interval(&polls, waiter, interval);	what threads did, by the kernel; or never
 *	if (!polls_question(&polls, item))		each call
 *		... it is none
 *	polls_operation(&polls, &item->operation);	each operation
 *	polls_add(&polls, findings);
 *	polls_release(&polls);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_WAITING_POLLS_H
#define TANDEM_ANALYSIS_FINDINGS_WAITING_POLLS_H

#include "analysis/findings/finding.h"
#include "analysis/sched/recent.h"
#include "util/map.h"

enum poll_kind { POLL_NONE, POLL_BUSY, POLL_ASLEEP, POLL_KINDS };

struct poll_sum {
	uint64_t count, questions, asked_ns, ns;
	uint64_t longest_ns;
	int64_t begin_ns, end_ns; /* of the longest */
	const struct tandem_event *api;
};

#define POLL_ROUND 256u

struct poll_thread {		     /* of a stream */
	uint64_t latest;	     /* operation that it enqueued; 0: none */
	uint64_t op;		     /* that is asked for now; 0: none */
	uint64_t round[POLL_ROUND];  /* that were asked for since it waited or enqueued */
	unsigned in_round, round_at; /* at: where it asked last */
	bool rounds;		     /* it asks for these in turns: one poll */
	uint64_t questions;
	int64_t begin_ns, end_ns;    /* of the first question, of the latest one */
	int64_t worked_ns, slept_ns; /* between them */
	int64_t op_end_ns;	     /* of the command; INT64_MIN: not known yet */
	enum poll_kind ended;	     /* how was asked for the one that ended last */
	int64_t ended_ns, seen_ns;   /* when it ended, and when that was seen */
	int64_t returned_ns;	     /* from its latest call */
	/* Its latest sleep between calls, that nobody ended; and the end of the last command that it asked
	 * for behind it. */
	int64_t nap_from_ns, nap_to_ns, nap_op_end_ns;
	struct recent slept, preempted, napped;
	struct poll_sum sums[POLL_KINDS];
};

struct polls {
	struct poll_thread *threads; /* by stream */
	/* Stream and operation that was asked for, and of which the end is not known yet -> how, and when that
	 * was seen. */
	struct map closed;
	size_t count;
};

/* Return 0 or -ENOMEM; after an error polls_release() is called as well. */
int polls_begin(struct polls *polls, const struct trace_session *session);
int polls_interval(struct polls *polls, const struct wait_thread *waiter,
		   const struct states_interval *interval);

/* One in which it waited for the recorder. */
int polls_recorder(struct polls *polls, const struct wait_thread *waiter,
		   const struct states_interval *interval);
int polls_add(struct polls *polls, struct findings *findings);

/* Whether the call asks how far a command has come; another call that enqueues or waits ends
 * the poll. Returns 1, 0 or -ENOMEM. */
int polls_question(struct polls *polls, const struct event_item *item);

void polls_operation(struct polls *polls, const struct operation *operation);
void polls_release(struct polls *polls);

#endif
