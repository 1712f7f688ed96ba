#include "analysis/operations/launch_table.h"

#include "trace/operation.h"

/* A value: whether an operation was found, the call, and three days in ns. */
#define FOUND ((uint64_t)1 << 63)
#define TIME_BITS 48
#define TIME_MASK (((uint64_t)1 << TIME_BITS) - 1)
#define API_MASK 0x7fffu /* domains beyond 31 have no calls */

static uint64_t key_of(uint32_t process, uint64_t op)
{
	return (uint64_t)process << 40 ^ trace_operation_number(op);
}

int launches_add(struct launches *launches, uint32_t process, uint64_t op, uint16_t api,
		 uint64_t begin_ns)
{
	if (launches->recent.count >= LAUNCHES_MOST) {
		struct map older = launches->older;

		map_clear(&older);
		launches->older = launches->recent;
		launches->recent = older;
	}
	return map_set(&launches->recent, key_of(process, op),
		       (uint64_t)(api & API_MASK) << TIME_BITS |
			       (begin_ns < TIME_MASK ? begin_ns : TIME_MASK));
}

bool launches_find(struct launches *launches, uint32_t process, uint64_t op,
		   struct launch *launch)
{
	uint64_t key = key_of(process, op);
	struct map *map = &launches->recent;
	uint64_t value = map_get(map, key);

	if (value == MAP_NONE) {
		map = &launches->older;
		value = map_get(map, key);
	}
	if (value == MAP_NONE)
		return false;
	launch->first = !(value & FOUND);
	launch->api = (uint16_t)(value >> TIME_BITS & API_MASK);
	launch->begin_ns = value & TIME_MASK;
	if (launch->first)
		map_set(map, key, value | FOUND); /* is there: needs no memory */
	return true;
}

void launches_free(struct launches *launches)
{
	map_free(&launches->recent);
	map_free(&launches->older);
}
