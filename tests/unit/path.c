/* SPDX-License-Identifier: MIT */
/* Paths that share what lies before, against sums that are kept for each of them. */
#include "analysis/model/path.h"

#include <stdio.h>
#include <string.h>

#include "check.h"

#define HELD 16u
#define PARTS 40u
#define STEPS 200000u

struct plain {
	uint64_t ns[PARTS], count[PARTS];
};

static unsigned next(unsigned *seed, unsigned below)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 8) % below;
}

static bool is_same(const struct paths *paths, uint32_t at, const struct plain *plain)
{
	struct path_sum sums[PARTS] = {{.part = 0}};

	path_sums(paths, at, sums, PARTS);
	for (unsigned i = 0; i < PARTS; i++) {
		if (sums[i].ns != plain->ns[i] || sums[i].count != plain->count[i])
			return false;
	}
	return true;
}

/* Paths go on, and begin again where others are. */
static void sums_hold(unsigned parts)
{
	static struct plain plain[HELD];
	struct paths paths = {0};
	uint32_t at[HELD] = {PATH_START};
	unsigned seed = parts;

	memset(plain, 0, sizeof(plain));
	for (unsigned step = 0; step < STEPS; step++) {
		unsigned one = next(&seed, HELD), other = next(&seed, HELD);
		unsigned part = next(&seed, parts), ns = next(&seed, 1000);

		if (next(&seed, 4) == 0 && one != other) {
			uint32_t held = path_hold(&paths, at[other]);

			path_drop(&paths, at[one]);
			at[one] = held;
			plain[one] = plain[other];
		} else {
			CHECK(path_extend(&paths, &at[one], part, ns) == 0);
			plain[one].ns[part] += ns;
			plain[one].count[part]++;
		}
		if (step % 1000 == 0)
			CHECK(is_same(&paths, at[one], &plain[one]));
	}
	for (unsigned i = 0; i < HELD; i++)
		CHECK(is_same(&paths, at[i], &plain[i]));
	CHECK(paths.count < 8 * HELD);
	for (unsigned i = 0; i < HELD; i++)
		path_drop(&paths, at[i]);
	paths_free(&paths);
}

/* One that is held for long keeps nothing of what comes after it. */
static void memory_is_bounded(void)
{
	struct paths paths = {0};
	uint32_t at = PATH_START, command = PATH_START, idle;

	CHECK(path_extend(&paths, &at, 0, 1) == 0);
	idle = path_hold(&paths, at);
	for (unsigned i = 0; i < STEPS; i++) {
		CHECK(path_extend(&paths, &at, i % 3, 2) == 0);
		path_drop(&paths, command);
		command = path_hold(&paths, at);
		CHECK(path_extend(&paths, &command, 3, 5) == 0);
	}
	CHECK(paths.count <= 8);
	path_drop(&paths, idle);
	path_drop(&paths, command);
	path_drop(&paths, at);
	paths_free(&paths);
}

int main(void)
{
	sums_hold(3);
	sums_hold(PARTS);
	memory_is_bounded();
	return check_status();
}
