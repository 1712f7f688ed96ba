/* SPDX-License-Identifier: MIT */
#include "analysis/model/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

/* Set in a key of `more`: the part's count, else its time. */
#define COUNTS (UINT64_C(1) << 32)

struct path_node { /* at index + 1 */
	uint32_t parent;
	uint32_t refs; /* that hold it, and nodes behind it */
	uint32_t few_count;
	struct path_sum few[PATH_FEW];
	struct map more; /* what `few` has no room for */
};

static struct path_node *node_of(const struct paths *paths, uint32_t at)
{
	return &paths->nodes[at - 1];
}

static int sum_add(struct path_node *node, const struct path_sum *sum)
{
	for (uint32_t i = 0; i < node->few_count; i++) {
		if (node->few[i].part != sum->part)
			continue;
		node->few[i].ns += sum->ns;
		node->few[i].count += sum->count;
		return 0;
	}
	if (!node->more.count && node->few_count < PATH_FEW) {
		node->few[node->few_count++] = *sum;
		return 0;
	}
	return map_count(&node->more, sum->part, sum->ns) ||
			       map_count(&node->more, COUNTS | sum->part, sum->count)
		       ? -ENOMEM
		       : 0;
}

static void node_free(struct paths *paths, uint32_t at)
{
	struct path_node *node = node_of(paths, at);

	map_free(&node->more);
	node->parent = paths->free_list;
	paths->free_list = at;
}

/* What lies before and nobody else holds becomes part of it. */
static int absorb(struct paths *paths, uint32_t at)
{
	struct path_node *node = node_of(paths, at);
	int status = 0;

	while (!status && node->parent && node_of(paths, node->parent)->refs == 1) {
		uint32_t before = node->parent;
		struct path_node *parent = node_of(paths, before);
		struct path_node own = *node;

		node->parent = parent->parent;
		node->few_count = parent->few_count;
		memcpy(node->few, parent->few, sizeof(node->few));
		node->more = parent->more;
		parent->more = own.more; /* goes with it */
		for (uint32_t i = 0; !status && i < own.few_count; i++)
			status = sum_add(node, &own.few[i]);
		if (!status && own.more.count) {
			uint64_t key, value;
			size_t slot = 0;

			while (!status && map_next(&own.more, &slot, &key, &value))
				status = map_count(&node->more, key, value);
		}
		node_free(paths, before);
	}
	return status;
}

static int node_make(struct paths *paths, uint32_t parent, uint32_t *at)
{
	*at = paths->free_list;
	if (*at) {
		paths->free_list = node_of(paths, *at)->parent;
	} else {
		if (array_reserve(&paths->nodes, &paths->capacity, paths->count + 1,
				  sizeof(*paths->nodes)))
			return -ENOMEM;
		*at = (uint32_t)++paths->count;
	}
	*node_of(paths, *at) = (struct path_node){.parent = parent, .refs = 1};
	return 0;
}

int path_extend(struct paths *paths, uint32_t *at, uint32_t part, uint64_t ns)
{
	const struct path_sum sum = {.part = part, .ns = ns, .count = 1};
	uint32_t made;

	if (paths->failed || (*at && absorb(paths, *at)))
		return -ENOMEM;
	if (*at && node_of(paths, *at)->refs == 1)
		return sum_add(node_of(paths, *at), &sum);
	/* The new one takes over what was held. */
	if (node_make(paths, *at, &made))
		return -ENOMEM;
	*at = made;
	return sum_add(node_of(paths, made), &sum);
}

uint32_t path_hold(struct paths *paths, uint32_t at)
{
	if (at)
		node_of(paths, at)->refs++;
	return at;
}

void path_drop(struct paths *paths, uint32_t at)
{
	while (at && !--node_of(paths, at)->refs) {
		uint32_t before = node_of(paths, at)->parent;

		node_free(paths, at);
		at = before;
	}
	/* What lies before a node that has lost a branch may be its own now. */
	if (at && absorb(paths, at))
		paths->failed = -ENOMEM;
}

void path_sums(const struct paths *paths, uint32_t at, struct path_sum *sums, size_t count)
{
	for (; at; at = node_of(paths, at)->parent) {
		const struct path_node *node = node_of(paths, at);
		uint64_t key, value;
		size_t slot = 0;

		for (uint32_t i = 0; i < node->few_count; i++) {
			if (node->few[i].part >= count)
				continue;
			sums[node->few[i].part].ns += node->few[i].ns;
			sums[node->few[i].part].count += node->few[i].count;
		}
		while (map_next(&node->more, &slot, &key, &value)) {
			uint32_t part = (uint32_t)key;

			if (part < count)
				*(key & COUNTS ? &sums[part].count : &sums[part].ns) += value;
		}
	}
}

void paths_free(struct paths *paths)
{
	/* Free ones have an empty map. */
	for (size_t i = 0; i < paths->count; i++)
		map_free(&paths->nodes[i].more);
	free(paths->nodes);
	memset(paths, 0, sizeof(*paths));
}
