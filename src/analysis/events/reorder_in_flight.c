#include "analysis/events/reorder_in_flight.h"

#include <errno.h>
#include <stdlib.h>

#include "util/array.h"

void order_flight_init(struct order_flight *flight)
{
	*flight = (struct order_flight){
		.oldest = ORDER_FLIGHT_NONE,
		.newest = ORDER_FLIGHT_NONE,
		.free = ORDER_FLIGHT_NONE,
	};
}

void order_flight_free(struct order_flight *flight)
{
	for (size_t i = 0; i < flight->process_count; i++)
		map_free(&flight->processes[i]);
	free(flight->processes);
	free(flight->commands);
	order_flight_init(flight);
}

static int make_process(struct order_flight *flight, uint32_t process)
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

/* A place for one more; ORDER_FLIGHT_NONE if there is no memory. */
static uint32_t take_place(struct order_flight *flight)
{
	uint32_t place = flight->free;

	if (place != ORDER_FLIGHT_NONE) {
		flight->free = flight->commands[place].newer;
		return place;
	}
	if (flight->command_count == ORDER_FLIGHT_NONE ||
	    array_reserve(&flight->commands, &flight->command_capacity, flight->command_count + 1,
			  sizeof(*flight->commands)) < 0)
		return ORDER_FLIGHT_NONE;
	return (uint32_t)flight->command_count++;
}

static void give_place(struct order_flight *flight, uint32_t place)
{
	flight->commands[place].newer = flight->free;
	flight->free = place;
}

/* The link that leads to a command from the older or the newer side. */
static uint32_t *link_from_older(struct order_flight *flight, uint32_t older)
{
	return older == ORDER_FLIGHT_NONE ? &flight->oldest : &flight->commands[older].newer;
}

static uint32_t *link_from_newer(struct order_flight *flight, uint32_t newer)
{
	return newer == ORDER_FLIGHT_NONE ? &flight->newest : &flight->commands[newer].older;
}

int order_flight_begin(struct order_flight *flight, uint32_t process, uint64_t op,
		       int64_t since_ns)
{
	struct order_command *command;
	uint32_t place, older = flight->newest;

	if (make_process(flight, process) < 0)
		return -ENOMEM;
	if (map_get(&flight->processes[process], op) != MAP_NONE)
		return -EEXIST;
	place = take_place(flight);
	if (place == ORDER_FLIGHT_NONE)
		return -ENOMEM;
	if (map_set(&flight->processes[process], op, place) < 0) {
		give_place(flight, place);
		return -ENOMEM;
	}
	while (older != ORDER_FLIGHT_NONE && flight->commands[older].since_ns > since_ns)
		older = flight->commands[older].older;
	command = &flight->commands[place];
	command->since_ns = since_ns;
	command->older = older;
	command->newer = *link_from_older(flight, older);
	*link_from_older(flight, older) = place;
	*link_from_newer(flight, command->newer) = place;
	flight->count++;
	return 0;
}

bool order_flight_end(struct order_flight *flight, uint32_t process, uint64_t op,
		      int64_t *since_ns)
{
	const struct order_command *command;
	uint64_t place;

	if (process >= flight->process_count)
		return false;
	place = map_remove(&flight->processes[process], op);
	if (place == MAP_NONE)
		return false;
	command = &flight->commands[place];
	*since_ns = command->since_ns;
	*link_from_older(flight, command->older) = command->newer;
	*link_from_newer(flight, command->newer) = command->older;
	give_place(flight, (uint32_t)place);
	flight->count--;
	return true;
}

int64_t order_flight_oldest_ns(const struct order_flight *flight)
{
	return flight->oldest == ORDER_FLIGHT_NONE ? INT64_MAX
						   : flight->commands[flight->oldest].since_ns;
}
