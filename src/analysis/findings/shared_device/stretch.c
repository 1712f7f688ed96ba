/* SPDX-License-Identifier: MIT */
#include "analysis/findings/shared_device/stretch.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "util/array.h"

/* Less may be what memory that both use costs, or chance. */
#define LEAST_PART (1.0 / 3)

#define LEAST_BESIDE 20u

int stretch_begin(struct stretch *stretch, uint64_t operation, uint64_t beside_ns)
{
	return map_set(&stretch->running, operation, beside_ns);
}

static struct stretch_kind *kind_find(struct stretch *stretch, uint64_t kind)
{
	uint64_t known = map_get(&stretch->kind_of, kind);

	if (known != MAP_NONE)
		return &stretch->kinds[known];
	if (array_reserve(&stretch->kinds, &stretch->kind_capacity, stretch->kind_count + 1,
			  sizeof(*stretch->kinds)) ||
	    map_set(&stretch->kind_of, kind, stretch->kind_count))
		return NULL;
	stretch->kinds[stretch->kind_count] = (struct stretch_kind){0};
	return &stretch->kinds[stretch->kind_count++];
}

static bool is_near(const struct stretch_kind *kind, uint64_t ns)
{
	return ns - kind->least_ns <= kind->least_ns / 2;
}

/* What one takes without others; 0: not known. */
static double alone_ns(const struct stretch_kind *kind)
{
	bool differs = kind->alone || kind->near < kind->beside;

	if (differs && 2 * kind->near > kind->beside && 2 * kind->near_alone >= kind->alone)
		return (double)kind->least_ns;
	return kind->alone ? (double)kind->alone_ns / (double)kind->alone : 0;
}

int stretch_end(struct stretch *stretch, uint64_t operation, uint64_t kind, uint64_t took_ns,
		uint64_t beside_ns)
{
	uint64_t begun = map_remove(&stretch->running, operation);
	struct stretch_kind *of;

	if (begun == MAP_NONE)
		return 0;
	of = kind_find(stretch, kind);
	if (!of)
		return -ENOMEM;
	beside_ns -= begun;
	if (!of->least_ns || took_ns < of->least_ns)
		of->least_ns = took_ns;
	if (beside_ns >= took_ns - took_ns / 10) {
		of->beside++;
		of->beside_ns += took_ns;
		of->near += is_near(of, took_ns);
	} else if (beside_ns <= took_ns / 20) {
		of->alone++;
		of->alone_ns += took_ns;
		of->near_alone += is_near(of, took_ns);
	}
	return 0;
}

double stretch_part(const struct stretch *stretch)
{
	double took = 0, longer = 0;
	uint64_t count = 0;

	for (size_t i = 0; i < stretch->kind_count; i++) {
		const struct stretch_kind *kind = &stretch->kinds[i];
		double alone = alone_ns(kind) * (double)kind->beside;

		if (!(alone > 0))
			continue;
		count += kind->beside;
		took += (double)kind->beside_ns;
		if (alone < (double)kind->beside_ns)
			longer += (double)kind->beside_ns - alone;
	}
	return count >= LEAST_BESIDE && longer >= LEAST_PART * took ? longer / took : 0;
}

void stretch_free(struct stretch *stretch)
{
	map_free(&stretch->running);
	map_free(&stretch->kind_of);
	free(stretch->kinds);
}
