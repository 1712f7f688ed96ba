/* SPDX-License-Identifier: MIT */
/* Which events `tandem print` shows: of some processes, threads, names, and a
 * stretch of time. An empty list takes all. One thread. */
#ifndef TANDEM_CLI_PRINT_FILTER_H
#define TANDEM_CLI_PRINT_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"
#include "trace/objects.h"

#define FILTER_MOST 64

struct filter {
	uint64_t pids[FILTER_MOST], tids[FILTER_MOST];
	size_t pid_count, tid_count;
	const char *names[FILTER_MOST]; /* patterns of the shell */
	size_t name_count;
	int64_t from_ns, to_ns; /* since the session's start; to_ns exclusive */
	uint8_t *verdicts;	/* by the layouts' index: 0 not asked yet, 1 no, 2 yes */
};

/* Everything. */
void filter_init(struct filter *filter);

/* Returns 0, -EINVAL (no number) or -E2BIG (too many). */
int filter_add_number(uint64_t *list, size_t *count, const char *text);
int filter_add_name(struct filter *filter, const char *pattern);

/* Whether the event is to be shown. A name matches the event's, and of an
 * operation also that of its kernel or its call, of a GPU driver's tracepoint also
 * its own, plain or as "system:name". Time is not asked here. */
bool filter_takes(struct filter *filter, const struct trace_event *event,
		  const struct trace_objects *objects);

void filter_free(struct filter *filter);

#endif
