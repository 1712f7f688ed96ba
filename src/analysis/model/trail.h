/* SPDX-License-Identifier: MIT */
/* A critical path piece by piece, where path.h has its sums: for whoever draws it. Paths that
 * are held at once share what lies before. What all of them have in common is handed out,
 * chronologically, and forgotten; so memory grows with what is still undecided. Where that is
 * much, as while a thread does nothing for long, pieces that follow are joined to the length
 * of the trail's millionth part, and say so (`mixed`). One thread.
 *
 *	trail_open(&trail, duration_ns, emit, user);
 *	uint32_t at = TRAIL_START;
 *	trail_extend(&trail, &at, &piece);	goes on from `at`
 *	uint32_t held = trail_hold(&trail, at);	the moment, for another one to go on from
 *	trail_drop(&trail, at);
 *	trail_finish(&trail, held);		the rest of this one is handed out
 *	trail_close(&trail);
 */
#ifndef TANDEM_ANALYSIS_MODEL_TRAIL_H
#define TANDEM_ANALYSIS_MODEL_TRAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRAIL_START 0u

struct trail_piece {
	int64_t begin_ns, end_ns;
	const char *name; /* borrowed */
	uint32_t stream;  /* of whose thread it is, or which enqueued the command */
	uint8_t kind;	  /* the caller's; of several the longest one's */
	bool mixed;	  /* several that were joined */
};

/* Takes the next piece, which begins where the one before ended. Returns 0 or -errno. */
typedef int trail_emit(void *user, const struct trail_piece *piece);

struct trail_node;

struct trail {
	struct trail_node *nodes;
	size_t count, capacity;
	uint32_t free_list; /* + 1 */
	size_t live, roots; /* nodes that are held; of these, that nothing lies before */
	size_t look_at;	    /* so many of them: time to see what is decided */
	int64_t joined_ns;  /* the length to which pieces are joined, if need be */
	bool joining;
	trail_emit *emit;
	void *user;
};

void trail_open(struct trail *trail, uint64_t duration_ns, trail_emit *emit, void *user);

/* Goes on with this piece; *at is replaced. Returns 0, -ENOMEM or what `emit` returned. */
int trail_extend(struct trail *trail, uint32_t *at, const struct trail_piece *piece);

/* The same moment, held once more. */
uint32_t trail_hold(struct trail *trail, uint32_t at);

void trail_drop(struct trail *trail, uint32_t at);

/* Hands out what is left of the path that ends there. Returns as trail_extend(). */
int trail_finish(struct trail *trail, uint32_t at);

void trail_close(struct trail *trail);

#endif
