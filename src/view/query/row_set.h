/* SPDX-License-Identifier: MIT */
/* Rows that a question is about: those that were named, and all below them. Rows that
 * show what other rows show, too (of devices), are left out unless one of them, or one
 * above it, was named: then what they show counts, and where a row of a process was named
 * as well, it counts there again. One thread.
 *
 *	struct row_set rows;
 *	row_set_init(&rows, &index);
 *	row_set_add(&rows, 3, 3);
 *	row_set_visit(&rows, visit, user);
 *	row_set_free(&rows);
 */
#ifndef TANDEM_VIEW_QUERY_ROW_SET_H
#define TANDEM_VIEW_QUERY_ROW_SET_H

#include "view/index/index.h"

struct row_set {
	const struct view_index *index; /* borrowed */
	uint8_t *rows;			/* by row: 1: in it; 2: with what others show, too */
};

/* An empty one. Returns 0 or -ENOMEM; on error there is nothing to free. */
int row_set_init(struct row_set *set, const struct view_index *index);

/* Rows that are not there are left out. */
void row_set_add(struct row_set *set, uint64_t first, uint64_t last);
void row_set_add_all(struct row_set *set);

/* Tracks of these rows whose spans are events with names. Returns 0, or what `visit` returned
 * if that was not 0. */
int row_set_visit(const struct row_set *set,
		  int (*visit)(void *user, const struct view_row *row, uint32_t track), void *user);

void row_set_free(struct row_set *set);

#endif
