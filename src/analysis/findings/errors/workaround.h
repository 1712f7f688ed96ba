/* SPDX-License-Identifier: MIT */
/* What a thread does until it launches its next kernel, after a call that failed and after the same one
 * where it succeeded: the difference is what it does instead. One struct for each thread; a call as it
 * returns, in the thread's order.
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_WORKAROUND_H
#define TANDEM_ANALYSIS_FINDINGS_WORKAROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_item;
struct operation;

struct workaround {
	bool begun, failed;
	size_t of; /* that error: the caller's */
	int64_t from_ns;
	uint64_t ns;	     /* once it has ended */
	uint64_t kernels_ns; /* of it, that kernels ran which the thread had launched before */
};

struct workaround_sum {
	uint64_t count, ns;
};

/* A call failed, or it is one that fails at other times; `of` is what the caller knows of it. */
void workaround_begin(struct workaround *thread, const struct event_item *item, size_t of,
		      bool failed);

/* A call succeeded. True where it launches a kernel, and one had begun: `ns`, `of` and `failed` hold until the
 * next one. */
bool workaround_ended(struct workaround *thread, const struct event_item *item);

/* A command of the thread's is complete. */
void workaround_command(struct workaround *thread, const struct operation *operation);

/* By which those after errors were longer; 0: they were not, or too few are known. */
uint64_t workaround_extra_ns(const struct workaround_sum *failed,
			     const struct workaround_sum *succeeded);

#endif
