/* SPDX-License-Identifier: MIT */
/* Paths through a run, by what they are made of: each is as long as the time since the run
 * began, and says how much of it went into which part (a number of the caller's). A path
 * that is held at a moment and another one that goes on from there share what lies before;
 * what only one of them holds any more becomes part of it. So memory grows with the paths
 * that are held at once and with the parts, not with the run. One thread.
 *
 *	struct paths paths = {0};
 *	uint32_t at = PATH_START;
 *
 *	path_extend(&paths, &at, part, ns);	goes on from `at`
 *	uint32_t held = path_hold(&paths, at);	the moment, for another one to go on from
 *	path_sums(&paths, at, sums, count);
 *	path_drop(&paths, at);
 *	paths_free(&paths);
 */
#ifndef TANDEM_ANALYSIS_MODEL_PATH_H
#define TANDEM_ANALYSIS_MODEL_PATH_H

#include <stddef.h>
#include <stdint.h>

#include "util/map.h"

#define PATH_START 0u /* the path of no length */
#define PATH_FEW 4u

struct path_sum {
	uint32_t part;
	uint64_t ns, count;
};

struct path_node; /* a piece of a path, and what lies before */

struct paths {
	struct path_node *nodes;
	size_t count, capacity;
	uint32_t free_list; /* + 1 */
	int failed;	    /* -ENOMEM in path_drop(): told by the next path_extend() */
};

/* Goes on for so long in this part; *at is replaced. Returns 0 or -ENOMEM. */
int path_extend(struct paths *paths, uint32_t *at, uint32_t part, uint64_t ns);

/* The same moment, held once more. */
uint32_t path_hold(struct paths *paths, uint32_t at);

void path_drop(struct paths *paths, uint32_t at);

/* Adds the path's parts to sums[part], of so many parts. */
void path_sums(const struct paths *paths, uint32_t at, struct path_sum *sums, size_t count);

void paths_free(struct paths *paths);

#endif
