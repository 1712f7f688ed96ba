/* SPDX-License-Identifier: MIT */
#include "analysis/conditions/open_ranges.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"

static void take_out(struct open_ranges *ranges, size_t at)
{
	ranges->count--;
	memmove(&ranges->of[at], &ranges->of[at + 1], (ranges->count - at) * sizeof(*ranges->of));
}

int open_ranges_begin(struct open_ranges *ranges, const struct open_range *range, const char *name,
		      size_t length)
{
	struct open_range *open;
	int error;

	if (ranges->count == OPEN_RANGES_MOST)
		take_out(ranges, 0);
	error = array_reserve(&ranges->of, &ranges->capacity, ranges->count + 1,
			      sizeof(*ranges->of));
	if (error)
		return error;
	open = &ranges->of[ranges->count++];
	*open = *range;
	if (length >= sizeof(open->name))
		length = sizeof(open->name) - 1;
	memcpy(open->name, name, length);
	open->name[length] = '\0';
	return 0;
}

bool open_ranges_end(struct open_ranges *ranges, uint64_t owner, uint32_t scope, uint64_t number,
		     struct open_range *range)
{
	for (size_t i = ranges->count; i--;) {
		const struct open_range *open = &ranges->of[i];

		if (open->owner != owner || open->number != number ||
		    (!number && open->scope != scope))
			continue;
		*range = *open;
		take_out(ranges, i);
		return true;
	}
	return false;
}

void open_ranges_clear(struct open_ranges *ranges)
{
	ranges->count = 0;
}

void open_ranges_free(struct open_ranges *ranges)
{
	free(ranges->of);
	*ranges = (struct open_ranges){.of = NULL};
}
