/* SPDX-License-Identifier: MIT */
/* Objects that have no number in the session, as CUDA's events and graphs: their calls alone tell
 * that they are made and released in a loop, or made and not released. Which release is whose is not
 * known: those of a domain in a process are taken together. Memory grows with functions. One thread.
 *
 *	struct unnumbered unnumbered = {0};
 *
 *	unnumbered_known(&unnumbered, api);		what it makes has a number, or is code
 *	unnumbered_made(&unnumbered, findings, item);	a call that makes something
 *	unnumbered_released(&unnumbered, findings, item);
 *	unnumbered_sample(&unnumbered, process);		each call of the process, by its index
 *	unnumbered_add(&unnumbered, findings);
 *	unnumbered_free(&unnumbered);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_UNNUMBERED_H
#define TANDEM_ANALYSIS_FINDINGS_UNNUMBERED_H

#include "analysis/findings/finding.h"
#include "analysis/findings/leaks/growth.h"
#include "util/map.h"

struct unnumbered_calls { /* of a function in a process */
	const struct tandem_event *api;
	uint32_t stream;
	size_t live; /* its row in `live` */
	uint64_t count, ns, first_ns;
	int64_t begin_ns, end_ns; /* of the second */
};

struct unnumbered_live { /* of a domain in a process */
	uint32_t process;
	uint64_t made, released, live, most_live, released_ns;
	struct growth growth; /* of those that live */
};

struct unnumbered {
	struct map known;
	struct map calls_of, live_of;
	struct unnumbered_calls *calls;
	struct unnumbered_live *live;
	size_t call_count, call_capacity, live_count, live_capacity;
};

/* Return 0 or -ENOMEM; after an error unnumbered_free() is called as well. */
int unnumbered_known(struct unnumbered *unnumbered, const struct tandem_event *api);
int unnumbered_made(struct unnumbered *unnumbered, struct findings *findings,
		    const struct event_item *item);
int unnumbered_released(struct unnumbered *unnumbered, struct findings *findings,
			const struct event_item *item);
void unnumbered_sample(struct unnumbered *unnumbered, uint32_t process);
int unnumbered_add(const struct unnumbered *unnumbered, struct findings *findings);
void unnumbered_free(struct unnumbered *unnumbered);

#endif
