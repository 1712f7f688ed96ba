/* SPDX-License-Identifier: MIT */
/* One of a session's ranges by its name, as Nsight Systems writes it:
 *
 *	NAME[@SCOPE][/N]
 *
 * of all ranges of that name (and of that NVTX domain) the one with number N in the order
 * of begins, from 0. A name that has these signs in it is found by all of its text. Reads
 * the traced processes' streams once. One thread.
 *
 *	struct range_found found;
 *
 *	if (!range_find(session, "step/3", &found, &error))
 *		found.begin_ns ... found.end_ns
 */
#ifndef TANDEM_ANALYSIS_RANGES_RANGE_FIND_H
#define TANDEM_ANALYSIS_RANGES_RANGE_FIND_H

#include <stdint.h>

#include "trace/session/session.h"
#include "util/error.h"

struct range_found {
	int64_t begin_ns, end_ns; /* CLOCK_MONOTONIC; INT64_MAX: its end was not recorded */
	uint64_t others;	  /* of the same name, where `text` has no number; else 0 */
};

/* Returns 0; -ENOENT: there is none, and the error says which there are; or -ENOMEM. */
int range_find(struct trace_session *session, const char *text, struct range_found *found,
	       struct error *error);

#endif
