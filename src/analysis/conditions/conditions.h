/* SPDX-License-Identifier: MIT */
/* Conditions on a session that is looked at again and again while it is recorded: which became
 * true since the last look. A look is a session of its own that has the latest events, those of
 * the last look among them or not: each counts once. What is kept from look to look is the place
 * of each stream, the calls and ranges that are not over, and a median of each condition:
 * nothing of it grows with the run. One thread.
 *
 *	conditions_init(&conditions, list, count);
 *	...
 *	status = conditions_look(&conditions, &session, now_ns, overwritten);
 *	for (size_t i = 0; i < conditions.count; i++)
 *		if (conditions.states[i].match.count)
 *			condition_match_text(&text, &list[i], &conditions.states[i].match);
 */
#ifndef TANDEM_ANALYSIS_CONDITIONS_CONDITIONS_H
#define TANDEM_ANALYSIS_CONDITIONS_CONDITIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/conditions/condition.h"
#include "analysis/conditions/open_ranges.h"
#include "analysis/stats/running_median.h"
#include "trace/session/session.h"
#include "util/map.h"
#include "util/text.h"

struct condition_match {
	uint64_t count;	  /* in this look; what follows is of the longest, or the first */
	int64_t ns;	  /* CLOCK_MONOTONIC: when it began; of a loss, when it was seen */
	int64_t value_ns; /* how long it took, or has taken; of a loss, how many events */
	int64_t median_ns;
	bool open; /* it was not over */
	uint64_t pid;
	uint32_t tid;
	int32_t code; /* of an error */
	char code_name[64];
	char name[CONDITION_BYTES]; /* of the call, kernel, range */
};

struct condition_state {
	struct running_median median;
	struct condition_match match;
};

struct conditions {
	const struct condition *list; /* borrowed */
	size_t count;
	struct condition_state *states; /* one for each */
	uint32_t kinds;			/* bits 1 << enum condition_kind: which there are */

	struct map places[2]; /* by stream: ticks of its latest event; the older ones are [1] */
	int64_t turned_ns;    /* when they were turned last */
	/* By stream and begin: calls that had not returned, with a bit for each condition that
	 * was true of it; at the last look, and at this one. */
	struct map open, next_open;
	struct open_ranges ranges;
	uint64_t lost;
	uint64_t events; /* that the latest look had first */

	/* Of the look that goes on. */
	struct trace_session *session;
	int64_t now_ns;
	uint64_t *wanted; /* by event: a bit for each condition on it, and whether that is known */
};

/* 0 or -ENOMEM; at most CONDITIONS_MOST. */
int conditions_init(struct conditions *conditions, const struct condition *list, size_t count);

/* `now_ns`: until when the look goes. `overwritten`: something is missing since the last one.
 * 0 or -errno. */
int conditions_look(struct conditions *conditions, struct trace_session *session, int64_t now_ns,
		    bool overwritten);

void conditions_free(struct conditions *conditions);

/* "NAME took 7.31 ms, thread 1234": without the condition itself. */
void condition_match_text(struct text *text, const struct condition *condition,
			  const struct condition_match *match);

#endif
