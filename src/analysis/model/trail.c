/* SPDX-License-Identifier: MIT */
#include "analysis/model/trail.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

/* So many undecided pieces are looked through for the first time; beyond so many, more are
 * joined. */
#define LOOK_FIRST 65536u
#define EXACT_MOST (1u << 20)

struct trail_node { /* at index + 1 */
	struct trail_piece piece;
	int64_t longest_ns; /* of those that were joined */
	uint32_t parent;
	uint32_t refs; /* that hold it, and nodes behind it */
};

static struct trail_node *node_of(const struct trail *trail, uint32_t at)
{
	return &trail->nodes[at - 1];
}

void trail_open(struct trail *trail, uint64_t duration_ns, trail_emit *emit, void *user)
{
	*trail = (struct trail){
		.look_at = LOOK_FIRST,
		.joined_ns = (int64_t)(duration_ns / EXACT_MOST) + 1,
		.emit = emit,
		.user = user,
	};
}

static void node_free(struct trail *trail, uint32_t at)
{
	struct trail_node *node = node_of(trail, at);

	trail->live--;
	trail->roots -= !node->parent;
	node->parent = trail->free_list;
	trail->free_list = at;
}

static int node_make(struct trail *trail, uint32_t parent, const struct trail_piece *piece,
		     uint32_t *at)
{
	*at = trail->free_list;
	if (*at) {
		trail->free_list = node_of(trail, *at)->parent;
	} else {
		if (array_reserve(&trail->nodes, &trail->capacity, trail->count + 1,
				  sizeof(*trail->nodes)))
			return -ENOMEM;
		*at = (uint32_t)++trail->count;
	}
	*node_of(trail, *at) = (struct trail_node){
		.piece = *piece,
		.longest_ns = piece->end_ns - piece->begin_ns,
		.parent = parent,
		.refs = 1,
	};
	trail->live++;
	trail->roots += !parent;
	return 0;
}

/* The nodes up to `at`, the first one first; NULL without memory. */
static uint32_t *chain_of(const struct trail *trail, uint32_t at, size_t *count)
{
	uint32_t *chain, i = at;

	for (*count = 0; i; i = node_of(trail, i)->parent)
		++*count;
	chain = malloc((*count + 1) * sizeof(*chain));
	for (size_t left = *count; chain && left--; at = node_of(trail, at)->parent)
		chain[left] = at;
	return chain;
}

/* Hands out what every path that is held has in common. */
static int emit_common(struct trail *trail, uint32_t at)
{
	size_t count, i;
	uint32_t *chain;
	int status = 0;

	if (trail->roots != 1)
		return 0;
	chain = chain_of(trail, at, &count);
	if (!chain)
		return -ENOMEM;
	/* Only what follows holds it. */
	for (i = 0; i + 1 < count && node_of(trail, chain[i])->refs == 1 && !status; i++) {
		status = trail->emit(trail->user, &node_of(trail, chain[i])->piece);
		node_of(trail, chain[i + 1])->parent = 0;
		trail->roots++;
		node_free(trail, chain[i]);
	}
	free(chain);
	return status;
}

/* Now and then, so that each piece is looked at a few times at most. */
static int look(struct trail *trail, uint32_t at)
{
	int status;

	if (trail->live < trail->look_at)
		return 0;
	status = emit_common(trail, at);
	trail->look_at = 2 * trail->live > LOOK_FIRST ? 2 * trail->live : LOOK_FIRST;
	trail->joining = trail->live > EXACT_MOST;
	return status;
}

/* Whether it went into the piece before, which nobody else holds. */
static bool join(const struct trail *trail, uint32_t at, const struct trail_piece *piece)
{
	struct trail_node *node = node_of(trail, at);
	struct trail_piece *before = &node->piece;
	int64_t ns = piece->end_ns - piece->begin_ns;
	/* What has a name is one thing each time. */
	bool same = !*piece->name && !before->mixed && before->kind == piece->kind &&
		    before->name == piece->name && before->stream == piece->stream;

	if (node->refs != 1 ||
	    (!same && (!trail->joining || piece->end_ns - before->begin_ns > trail->joined_ns)))
		return false;
	if (!same && ns > node->longest_ns) {
		before->kind = piece->kind;
		before->name = piece->name;
		before->stream = piece->stream;
		node->longest_ns = ns;
	}
	before->mixed |= !same;
	before->end_ns = piece->end_ns;
	return true;
}

int trail_extend(struct trail *trail, uint32_t *at, const struct trail_piece *piece)
{
	int status;

	if (*at && join(trail, *at, piece))
		return 0;
	/* The new one takes over what was held. */
	status = node_make(trail, *at, piece, at);
	return status ? status : look(trail, *at);
}

uint32_t trail_hold(struct trail *trail, uint32_t at)
{
	if (at)
		node_of(trail, at)->refs++;
	return at;
}

void trail_drop(struct trail *trail, uint32_t at)
{
	while (at && !--node_of(trail, at)->refs) {
		uint32_t before = node_of(trail, at)->parent;

		node_free(trail, at);
		at = before;
	}
}

int trail_finish(struct trail *trail, uint32_t at)
{
	size_t count;
	uint32_t *chain = chain_of(trail, at, &count);
	int status = chain ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !status; i++)
		status = trail->emit(trail->user, &node_of(trail, chain[i])->piece);
	free(chain);
	return status;
}

void trail_close(struct trail *trail)
{
	free(trail->nodes);
	memset(trail, 0, sizeof(*trail));
}
