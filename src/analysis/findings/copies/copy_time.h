/* SPDX-License-Identifier: MIT */
/* How many transfers of one kind there were, and what they took (analysis/findings/exposed.h).
 *
 *	copy_time_add(&time, operation->api, bytes, ns);	each of them
 *	finding->object = copy_time_api(&time, findings);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_COPIES_COPY_TIME_H
#define TANDEM_ANALYSIS_FINDINGS_COPIES_COPY_TIME_H

#include "analysis/findings/finding.h"

/* Fewer are no habit. */
#define COPY_HABIT_COUNT 8u

struct copy_time {
	uint64_t count, bytes, ns, most_ns; /* most: of one */
	uint64_t moved_ns;		    /* by the device; of a buffer's */
	uint64_t unread;		    /* of these: to the host, not looked at (unread.h) */
	uint16_t api;			    /* event id of the call */
};

void copy_time_add(struct copy_time *time, uint16_t api, uint64_t bytes, uint64_t ns);

/* The name of the call; "" where it is not known. Valid as long as the session. */
const char *copy_time_api(const struct copy_time *time, const struct findings *findings);

/* " (CALL, mean SIZE)", of which the findings own the text. */
const char *copy_time_words(const struct copy_time *time, struct findings *findings);

#endif
