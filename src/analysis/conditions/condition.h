/* SPDX-License-Identifier: MIT */
/* What a flight recorder saves a moment for by itself (`record --snapshot-when`), as its user
 * writes it:
 *
 *	call NAME > BOUND      an API call that takes longer, returned or not
 *	kernel NAME > BOUND    a kernel that executes longer
 *	range NAME > BOUND     a range of the program's that lasts longer, ended or not
 *	error [NAME]           a call that returns an error, a command that ends in one
 *	loss                   something that could not be recorded
 *
 * NAME is a name or a pattern as of the shell; BOUND is a time, `5ms`, or a factor of what is
 * usual, `1.2 × median` (`x` and `*` are taken for `×`). A value; any thread.
 *
 *	struct condition condition;
 *
 *	if (condition_parse(&condition, "call NAME > 5ms", &problem))
 *		... problem.at, problem.text
 */
#ifndef TANDEM_ANALYSIS_CONDITIONS_CONDITION_H
#define TANDEM_ANALYSIS_CONDITIONS_CONDITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONDITION_BYTES 256
#define CONDITIONS_MOST 32 /* of a recording */

enum condition_kind {
	CONDITION_CALL,
	CONDITION_KERNEL,
	CONDITION_RANGE,
	CONDITION_ERROR,
	CONDITION_LOSS,
};

struct condition {
	enum condition_kind kind;
	char text[CONDITION_BYTES]; /* as it was given */
	char name[CONDITION_BYTES]; /* "": any */
	int64_t bound_ns;	    /* 0: by the factor */
	double factor;		    /* of the median; 0: by the time */
};

struct condition_problem {
	size_t at; /* character, from 1 */
	char text[CONDITION_BYTES + 64];
};

/* Returns 0 or -EINVAL. A call has to be one that this build records. */
int condition_parse(struct condition *condition, const char *text,
		    struct condition_problem *problem);

/* Whether it is for what has this name. */
bool condition_names(const struct condition *condition, const char *name);

#endif
