/* SPDX-License-Identifier: MIT */
/* A critical path that is handed out piece by piece, against one that is kept whole; and how much
 * of it is held where others stay behind. */
#include "analysis/model/trail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#define HELD 8u
#define STEPS 300000u

struct plain { /* what `at` stands for: pieces, of which others share the first ones */
	struct trail_piece *pieces;
	size_t count;
};

struct taken {
	const struct plain *plain;
	size_t count;
	int64_t end_ns;
	bool wrong;
	unsigned mixed, fails_at;
};

static unsigned next(unsigned *seed, unsigned below)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 8) % below;
}

/* Whether each comes once, in order, with what was given of it. */
static int take(void *user, const struct trail_piece *piece)
{
	struct taken *taken = user;
	const struct trail_piece *plain = NULL;

	if (taken->fails_at && taken->count == taken->fails_at)
		return -28;
	if (taken->plain && taken->count < taken->plain->count)
		plain = &taken->plain->pieces[taken->count];
	taken->wrong |= taken->count && piece->begin_ns != taken->end_ns;
	taken->wrong |=
		plain && (plain->begin_ns != piece->begin_ns || plain->end_ns != piece->end_ns ||
			  plain->kind != piece->kind || plain->stream != piece->stream ||
			  strcmp(plain->name, piece->name));
	taken->mixed += piece->mixed;
	taken->end_ns = piece->end_ns;
	taken->count++;
	return 0;
}

/* All begin again from where the one is that goes on the longest, now and then, as threads do
 * that wait for each other. */
static void pieces_come_in_order(void)
{
	struct plain plain = {.pieces = calloc(STEPS, sizeof(*plain.pieces))};
	struct taken taken = {.plain = &plain};
	uint32_t at[HELD] = {TRAIL_START};
	unsigned seed = 7;
	struct trail trail;

	CHECK(plain.pieces != NULL);
	trail_open(&trail, 1000000000, take, &taken);
	for (unsigned step = 0; step < STEPS; step++) {
		unsigned ns = 1 + next(&seed, 1000), other = 1 + next(&seed, HELD - 1);
		int64_t now = plain.count ? plain.pieces[plain.count - 1].end_ns : 0;
		struct trail_piece piece = {.begin_ns = now,
					    .end_ns = now + ns,
					    .name = "call",
					    .stream = next(&seed, 5),
					    .kind = (uint8_t)next(&seed, 4)};
		struct trail_piece wrong = piece;

		plain.pieces[plain.count++] = piece;
		CHECK(trail_extend(&trail, &at[0], &piece) == 0);
		/* What leads nowhere. */
		wrong.name = "branch";
		trail_drop(&trail, at[other]);
		at[other] = trail_hold(&trail, at[0]);
		CHECK(trail_extend(&trail, &at[other], &wrong) == 0);
	}
	/* Most of it was handed out already: memory does not grow with the path. */
	CHECK(taken.count > STEPS / 2 && trail.count < STEPS / 2);
	CHECK(trail_finish(&trail, at[0]) == 0);
	CHECK(taken.count == STEPS && !taken.wrong && !taken.mixed);
	trail_close(&trail);
	free(plain.pieces);
}

/* One that stays behind at the beginning leaves all undecided: then pieces are joined. */
static void one_stays_behind(void)
{
	const unsigned steps = 6000000, ns = 10;
	struct taken taken = {.plain = NULL};
	uint32_t at = TRAIL_START, behind = TRAIL_START;
	struct trail trail;

	trail_open(&trail, (uint64_t)steps * ns, take, &taken);
	for (unsigned step = 0; step < steps; step++) {
		struct trail_piece piece = {.begin_ns = (int64_t)step * ns,
					    .end_ns = (int64_t)(step + 1) * ns,
					    .name = "call",
					    .kind = step % 3};

		CHECK(trail_extend(&trail, &at, &piece) == 0);
		if (!step)
			behind = trail_hold(&trail, at);
	}
	CHECK(trail.count < 3000000 && taken.count == 0);
	trail_drop(&trail, behind);
	CHECK(trail_finish(&trail, at) == 0);
	CHECK(!taken.wrong && taken.mixed > 0 && taken.end_ns == (int64_t)steps * ns);
	trail_close(&trail);
}

/* What took it could not write it: that comes back. */
static void an_error_comes_back(void)
{
	struct taken taken = {.fails_at = 10};
	uint32_t at = TRAIL_START;
	struct trail trail;

	trail_open(&trail, 1000, take, &taken);
	for (int64_t i = 0; i < 20; i++) {
		struct trail_piece piece = {.begin_ns = i, .end_ns = i + 1, .name = "call"};

		CHECK(trail_extend(&trail, &at, &piece) == 0);
	}
	CHECK(trail_finish(&trail, at) == -28 && taken.count == 10);
	trail_close(&trail);
}

int main(void)
{
	pieces_come_in_order();
	one_stays_behind();
	an_error_comes_back();
	return check_status();
}
