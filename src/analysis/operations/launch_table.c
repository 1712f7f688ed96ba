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

int launch_table_add(struct launch_table *launch_table, uint32_t process, uint64_t op, uint16_t api,
		     uint64_t begin_ns)
{
	if (launch_table->recent.count >= LAUNCH_TABLE_MOST) {
		struct map older = launch_table->older;

		map_clear(&older);
		launch_table->older = launch_table->recent;
		launch_table->recent = older;
	}
	return map_set(&launch_table->recent, key_of(process, op),
		       (uint64_t)(api & API_MASK) << TIME_BITS |
			       (begin_ns < TIME_MASK ? begin_ns : TIME_MASK));
}

bool launch_table_find(struct launch_table *launch_table, uint32_t process, uint64_t op,
		       struct launch *launch)
{
	uint64_t key = key_of(process, op);
	struct map *map = &launch_table->recent;
	uint64_t value = map_get(map, key);

	if (value == MAP_NONE) {
		map = &launch_table->older;
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

void launch_table_free(struct launch_table *launch_table)
{
	map_free(&launch_table->recent);
	map_free(&launch_table->older);
}
