/* SPDX-License-Identifier: MIT */
/* A sampled stack for a reader: by the names of its functions. One thread.
 *
 *	event_samples_feed(&stacks, event);       every event, before it is shown
 */
#ifndef TANDEM_CLI_PRINT_EVENT_SAMPLE_H
#define TANDEM_CLI_PRINT_EVENT_SAMPLE_H

#include <stdbool.h>

#include "analysis/profile/samples.h"
#include "util/json.h"
#include "util/text.h"

struct event_samples {
	struct samples samples;
	const struct tandem_record *record; /* the sample that was fed last; NULL: none */
	uint32_t node;
};

void event_samples_init(struct event_samples *stacks);

/* Returns 0 or -ENOMEM. */
int event_samples_feed(struct event_samples *stacks, const struct trace_event *event);

/* "sample(tid=12, leaf < work < main)". False: the event is no sample. */
bool event_sample_text(struct text *out, const struct event_samples *stacks,
		       const struct trace_event *event);

/* As a member "stack" of the object that was begun: the innermost function first. */
void event_sample_json(struct json *json, const struct event_samples *stacks,
		       const struct trace_event *event);

void event_samples_free(struct event_samples *stacks);

#endif
