/* SPDX-License-Identifier: MIT */
/* Where spans of some labels lie. The page tells by a pattern which labels are
 * meant; here they are a set. Any thread.
 *
 *	struct view_search search;
 *	view_search_init(&search, &index);
 *	view_search_add(&search, 3, 7);               labels 3 to 7
 *	uint64_t total = view_search_count(&search);
 *	bool found = view_search_step(&search, &hit, false);
 *	view_search_free(&search);
 */
#ifndef TANDEM_VIEW_QUERY_SEARCH_H
#define TANDEM_VIEW_QUERY_SEARCH_H

#include <stdbool.h>

#include "view/index/index.h"

struct view_search {
	const struct view_index *index; /* borrowed */
	uint8_t *labels;		/* by label: 1 is wanted */
	uint64_t mask;			/* as struct view_node has them */
};

/* A place in the order of all spans: by begin, then track, then item. */
struct view_hit {
	int64_t begin_ns;
	uint32_t track, item;
};

/* Returns 0 or -ENOMEM; on error there is nothing to free. */
int view_search_init(struct view_search *search, const struct view_index *index);

/* Labels that are not there are left out. */
void view_search_add(struct view_search *search, uint64_t first, uint64_t last);

/* Number of spans, in all tracks that count. */
uint64_t view_search_count(const struct view_search *search);

/* The next one behind *hit, or the one before it. Returns whether there is one. */
bool view_search_step(const struct view_search *search, struct view_hit *hit, bool back);

/* For each of `bins` equal stretches of from_ns..to_ns whether any is there. */
void view_search_marks(const struct view_search *search, int64_t from_ns, int64_t to_ns,
		       uint32_t bins, uint8_t *marks);

/* Whether spans of this label are meant. */
static inline bool view_search_wants(const struct view_search *search, uint32_t label)
{
	return label < search->index->labels_count && search->labels[label];
}

/* Calls add(user, label, number of spans) for each label that has any. */
int view_search_counts(const struct view_search *search,
		       void (*add)(void *user, uint32_t label, uint64_t count), void *user);

void view_search_free(struct view_search *search);

#endif
