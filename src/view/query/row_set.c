/* SPDX-License-Identifier: MIT */
#include "view/query/row_set.h"

#include <errno.h>
#include <stdlib.h>

enum { OUT, IN, SHARED };

int row_set_init(struct row_set *set, const struct view_index *index)
{
	*set = (struct row_set){.index = index, .rows = calloc(index->rows_count + 1, 1)};
	return set->rows ? 0 : -ENOMEM;
}

void row_set_free(struct row_set *set)
{
	free(set->rows);
	set->rows = NULL;
}

static void add_row(struct row_set *set, uint32_t first)
{
	const struct view_index *index = set->index;
	const struct view_row *rows = index->rows;
	uint8_t how = rows[first].kind == VIEW_ROW_session || rows[first].process != VIEW_NONE
			      ? IN
			      : SHARED;
	uint32_t last = first;

	/* The rows below a row follow it. */
	do {
		if (set->rows[last] < how)
			set->rows[last] = how;
		last++;
	} while (last < index->rows_count && rows[last].parent != VIEW_NONE &&
		 rows[last].parent >= first);
}

void row_set_add(struct row_set *set, uint64_t first, uint64_t last)
{
	for (uint64_t i = first; i <= last && i < set->index->rows_count; i++)
		add_row(set, (uint32_t)i);
}

void row_set_add_all(struct row_set *set)
{
	for (uint64_t i = 0; i < set->index->rows_count; i++)
		set->rows[i] = IN;
}

int row_set_visit(const struct row_set *set,
		  int (*visit)(void *user, const struct view_row *row, uint32_t track), void *user)
{
	int status = 0;

	for (uint64_t i = 0; i < set->index->rows_count && !status; i++) {
		const struct view_row *row = &set->index->rows[i];

		for (uint32_t k = 0; k < row->track_count && set->rows[i] && !status; k++) {
			uint32_t number = row->first_track + k;
			const struct view_track *track = &set->index->tracks[number];

			if (view_track_named(track) && (!track->again || set->rows[i] == SHARED))
				status = visit(user, row, number);
		}
	}
	return status;
}
