/* SPDX-License-Identifier: MIT */
/* A function, or kind of command, and one error of it: what it cost, and what is said of it. */
#ifndef TANDEM_ANALYSIS_FINDINGS_ERROR_ROW_H
#define TANDEM_ANALYSIS_FINDINGS_ERROR_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/findings/errors/workaround.h"

struct finding;
struct findings;
struct other_way;
struct tandem_event;
struct tandem_names;

struct error_row {
	const char *name;
	const struct tandem_event *api; /* NULL: a command's */
	const struct tandem_names *names;
	int32_t code;
	bool operation;
	bool waits; /* a wait, which tells of the command that it was for */
	uint32_t process;
	uint64_t count, ns;
	uint64_t retries, retry_ns;	 /* from their ends to where the one that succeeded began */
	uint64_t fallbacks, fallback_ns; /* after which the host worked, and for how long */
	bool moved;			 /* ... in which it moved what was not copied */
	struct workaround_sum workarounds, direct; /* after errors, and where it succeeded */
	uint32_t stream;
	int64_t begin_ns, end_ns; /* of the first */
	const char *said;	  /* by the compiler, of the first with a log; NULL: nothing */
};

/* Of the calls, until they succeed, and of what the thread does in their place. */
uint64_t error_row_ns(const struct error_row *row);

/* Adds the finding; NULL without memory. `way`: that costs more, `way_ns`; NULL: none does. */
struct finding *error_row_report(const struct error_row *row, struct findings *findings,
				 const struct other_way *way, uint64_t way_ns);

#endif
