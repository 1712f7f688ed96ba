/* SPDX-License-Identifier: MIT */
/* One pass over a session in the order of time, for all that want something of it:
 * the report's tables, metrics and findings each join a pass, and the session is read
 * once for all of them. One thread.
 *
 *	struct pass pass;
 *
 *	pass_init(&pass, session, &progress);
 *	status = report_join(&pass, &report, &options);
 *	if (!status)
 *		status = findings_join(&pass, &findings, NULL);
 *	status = pass_run(&pass, status);
 *
 * Who needs operations on the host's clock makes the pass read the traced processes'
 * streams before (event_iterator.h).
 */
#ifndef TANDEM_ANALYSIS_EVENTS_PASS_H
#define TANDEM_ANALYSIS_EVENTS_PASS_H

#include "analysis/events/event_iterator.h"
#include "analysis/events/progress.h"
#include "analysis/events/range.h"
#include "analysis/sched/waits.h"
#include "util/error.h"

#define PASS_CONSUMERS 4u

struct pass;

struct pass_consumer { /* each returns 0 or -errno; NULL is not called */
	/* The iterator is open; items come next. */
	int (*begin)(void *user, struct pass *pass);
	int (*item)(void *user, const struct event_item *item);
	/* No more items come. Clocks are fitted, and waits are complete. */
	int (*end)(void *user, struct pass *pass);
	/* Always called, once, also where nothing was begun. */
	void (*free)(void *user);
};

struct pass {
	struct trace_session *session; /* borrowed */
	const struct progress *progress;
	struct range range; /* what is counted, on CLOCK_MONOTONIC */
	unsigned flags;	    /* of the iterator */
	bool with_waits;    /* somebody wants `waits` */
	bool beside;	    /* a consumer may have a thread of its own */
	bool waits_beside;  /* ... and feeds and settles them itself, from `begin` on */
	struct event_iterator iterator;
	struct waits waits;
	struct {
		const struct pass_consumer *consumer;
		int (*item)(void *user, const struct event_item *item); /* the consumer's */
		void *user;
	} consumers[PASS_CONSUMERS];
	unsigned count;
};

/* `progress` may be NULL. */
void pass_init(struct pass *pass, struct trace_session *session, const struct progress *progress);

/* For those that join: from now on the pass owns `user`. Its flags, range and
 * with_waits may be changed with it. */
void pass_join(struct pass *pass, const struct pass_consumer *consumer, void *user);

/* Runs it, unless `status` says that it can't, and frees all consumers. Returns 0,
 * -ENOMEM, or what a consumer returned. */
int pass_run(struct pass *pass, int status);

/* The same, for who reads the session for one thing alone: an error is appended. */
int pass_run_alone(struct pass *pass, int status, struct error *error);

#endif
