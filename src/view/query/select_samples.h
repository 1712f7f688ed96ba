/* SPDX-License-Identifier: MIT */
/* Functions of the samples of a stretch of time: how often each was found as the
 * innermost one, and how often on a stack at all. One thread.
 *
 *	struct select_samples samples = {.index = &index};
 *	select_samples_add(&samples, track, item);          any number
 *	select_samples_json(&samples, &json);
 *	select_samples_free(&samples);
 */
#ifndef TANDEM_VIEW_QUERY_SELECT_SAMPLES_H
#define TANDEM_VIEW_QUERY_SELECT_SAMPLES_H

#include "util/json.h"
#include "view/index/index.h"

struct select_samples {
	const struct view_index *index; /* borrowed */
	uint64_t *counts;		/* by stack; NULL: none yet */
};

/* Both return 0 or -ENOMEM. */
int select_samples_add(struct select_samples *samples, const struct view_track *track,
		       uint32_t item);

/* Adds "samples": functions with the most samples of their own first. */
int select_samples_json(const struct select_samples *samples, struct json *json);

void select_samples_free(struct select_samples *samples);

#endif
