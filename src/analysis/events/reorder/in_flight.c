/* SPDX-License-Identifier: MIT */
#include "analysis/events/reorder/in_flight.h"

#include <errno.h>
#include <stdlib.h>

#include "util/array.h"

/* What an operation of a graph's launch may be behind the one before: so many others, which a runtime
 * hands over in between, and so long. */
#define OTHERS_MOST 4096u
#define APART_MOST_NS INT64_C(1000000000)

void reorder_in_flight_init(struct reorder_in_flight *flight)
{
	*flight = (struct reorder_in_flight){
		.oldest = REORDER_FLIGHT_NONE,
		.newest = REORDER_FLIGHT_NONE,
		.free = REORDER_FLIGHT_NONE,
	};
}

void reorder_in_flight_free(struct reorder_in_flight *flight)
{
	for (size_t i = 0; i < flight->process_count; i++)
		map_free(&flight->processes[i]);
	free(flight->processes);
	free(flight->operations);
	reorder_in_flight_init(flight);
}

static int make_process(struct reorder_in_flight *flight, uint32_t process)
{
	if (process < flight->process_count)
		return 0;
	if (array_reserve(&flight->processes, &flight->process_capacity, (size_t)process + 1,
			  sizeof(*flight->processes)) < 0)
		return -ENOMEM;
	while (flight->process_count <= process)
		flight->processes[flight->process_count++] = (struct map){0};
	return 0;
}

/* A place for one more; REORDER_FLIGHT_NONE if there is no memory. */
static uint32_t take_place(struct reorder_in_flight *flight)
{
	uint32_t place = flight->free;

	if (place != REORDER_FLIGHT_NONE) {
		flight->free = flight->operations[place].newer;
		return place;
	}
	if (flight->operation_count == REORDER_FLIGHT_NONE ||
	    array_reserve(&flight->operations, &flight->operation_capacity,
			  flight->operation_count + 1, sizeof(*flight->operations)) < 0)
		return REORDER_FLIGHT_NONE;
	return (uint32_t)flight->operation_count++;
}

static void give_place(struct reorder_in_flight *flight, uint32_t place)
{
	flight->operations[place].newer = flight->free;
	flight->free = place;
}

/* The link that leads to a command from the older or the newer side. */
static uint32_t *link_from_older(struct reorder_in_flight *flight, uint32_t older)
{
	return older == REORDER_FLIGHT_NONE ? &flight->oldest : &flight->operations[older].newer;
}

static uint32_t *link_from_newer(struct reorder_in_flight *flight, uint32_t newer)
{
	return newer == REORDER_FLIGHT_NONE ? &flight->newest : &flight->operations[newer].older;
}

int reorder_in_flight_begin(struct reorder_in_flight *flight, uint32_t process, uint64_t op,
			    int64_t since_ns)
{
	struct reorder_operation *operation;
	uint32_t place, older = flight->newest;

	if (make_process(flight, process) < 0)
		return -ENOMEM;
	if (map_get(&flight->processes[process], op) != MAP_NONE)
		return -EEXIST;
	place = take_place(flight);
	if (place == REORDER_FLIGHT_NONE)
		return -ENOMEM;
	if (map_set(&flight->processes[process], op, place) < 0) {
		give_place(flight, place);
		return -ENOMEM;
	}
	while (older != REORDER_FLIGHT_NONE && flight->operations[older].since_ns > since_ns)
		older = flight->operations[older].older;
	operation = &flight->operations[place];
	*operation = (struct reorder_operation){
		.since_ns = since_ns, .op = op, .process = process, .older = older};
	operation->newer = *link_from_older(flight, older);
	*link_from_older(flight, older) = place;
	*link_from_newer(flight, operation->newer) = place;
	flight->count++;
	return 0;
}

int reorder_in_flight_begin_many(struct reorder_in_flight *flight, uint32_t process, uint64_t op,
				 int64_t since_ns)
{
	int error = reorder_in_flight_begin(flight, process, op, since_ns);

	if (!error)
		flight->operations[map_get(&flight->processes[process], op)].many = true;
	return error;
}

bool reorder_in_flight_operation(struct reorder_in_flight *flight, uint32_t process, uint64_t op,
				 int64_t now_ns, int64_t *since_ns)
{
	uint64_t place = process < flight->process_count ? map_get(&flight->processes[process], op)
							 : MAP_NONE;
	struct reorder_operation *operation;

	flight->come++;
	if (place == MAP_NONE)
		return false;
	operation = &flight->operations[place];
	if (!operation->many)
		return reorder_in_flight_end(flight, process, op, since_ns);
	*since_ns = operation->since_ns;
	operation->come = flight->come;
	operation->come_ns = now_ns;
	return true;
}

void reorder_in_flight_settle(struct reorder_in_flight *flight, int64_t now_ns)
{
	while (flight->oldest != REORDER_FLIGHT_NONE) {
		const struct reorder_operation *oldest = &flight->operations[flight->oldest];
		int64_t since_ns;

		if (!oldest->come || (flight->come - oldest->come < OTHERS_MOST &&
				      now_ns - oldest->come_ns < APART_MOST_NS))
			return;
		reorder_in_flight_end(flight, oldest->process, oldest->op, &since_ns);
	}
}

bool reorder_in_flight_end(struct reorder_in_flight *flight, uint32_t process, uint64_t op,
			   int64_t *since_ns)
{
	const struct reorder_operation *operation;
	uint64_t place;

	if (process >= flight->process_count)
		return false;
	place = map_remove(&flight->processes[process], op);
	if (place == MAP_NONE)
		return false;
	operation = &flight->operations[place];
	*since_ns = operation->since_ns;
	*link_from_older(flight, operation->older) = operation->newer;
	*link_from_newer(flight, operation->newer) = operation->older;
	give_place(flight, (uint32_t)place);
	flight->count--;
	return true;
}

int64_t reorder_in_flight_oldest_ns(const struct reorder_in_flight *flight)
{
	return flight->oldest == REORDER_FLIGHT_NONE ? INT64_MAX
						     : flight->operations[flight->oldest].since_ns;
}
