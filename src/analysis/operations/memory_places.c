/* SPDX-License-Identifier: MIT */
#include "analysis/operations/memory_places.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/keyed_row.h"

#define PLACES 64u

/* So often has a place to be used before it counts, or there are so many, each of another queue; and one of
 * so many uses may be another queue's. */
#define PLACE_USES 3u
#define PLACE_QUEUES 4u
#define STRANGERS 8u

/* So often each of a queue's own is used, in turn. */
#define TURN_USES 8u

struct place {
	uint64_t address;
	uint32_t queue, uses;
};

struct memory_places_row {
	struct place places[PLACES];
	uint32_t count;
	uint32_t queues; /* that have one */
	uint64_t uses, strangers;
};

static struct place *place_find(struct memory_places_row *row, uint64_t address)
{
	for (unsigned i = 0; i < row->count; i++) {
		if (row->places[i].address == address)
			return &row->places[i];
	}
	return NULL;
}

static bool has_queue(const struct memory_places_row *row, uint32_t queue)
{
	for (unsigned i = 0; i < row->count; i++) {
		if (row->places[i].queue == queue)
			return true;
	}
	return false;
}

static uint32_t queue_count(const struct memory_places_row *row)
{
	uint32_t count = 0;

	for (unsigned i = 0; i < row->count; i++) {
		unsigned before = 0;

		while (row->places[before].queue != row->places[i].queue)
			before++;
		count += before == i;
	}
	return count;
}

int memory_places_used(struct memory_places *places, uint64_t key, uint64_t address, uint32_t queue)
{
	static const struct memory_places_row fresh;
	struct memory_places_row *row;
	struct place *place;

	if (places->count == MEMORY_PLACES_MOST && map_get(&places->row_of, key) == MAP_NONE)
		return 0;
	row = keyed_row(&places->row_of, key, &places->rows, &places->capacity, &places->count,
			&fresh, sizeof(fresh));
	if (!row)
		return -ENOMEM;
	row->uses++;
	place = place_find(row, address);
	if (!place && row->count == PLACES) {
		row->strangers++;
		return 0;
	}
	if (!place) {
		row->queues += !has_queue(row, queue);
		place = &row->places[row->count++];
		*place = (struct place){.address = address, .queue = queue};
	}
	if (place->queue == queue) {
		place->uses++;
		return 0;
	}
	/* It is the queue's that uses it most: one may have filled it before. */
	if (!place->uses) {
		place->queue = queue;
		place->uses = 1;
		row->queues = queue_count(row);
		return 0;
	}
	place->uses--;
	row->strangers++;
	return 0;
}

static const struct memory_places_row *row_of(const struct memory_places *places, uint64_t key)
{
	uint64_t index = map_get(&places->row_of, key);

	return index == MAP_NONE ? NULL : &places->rows[index];
}

static uint32_t number_of(const struct memory_places *places, const struct memory_places_row *row,
			  const struct place *place)
{
	size_t number = (size_t)(row - places->rows) * PLACES + (size_t)(place - row->places);

	return MEMORY_PLACE + (uint32_t)number;
}

uint32_t memory_places_find(const struct memory_places *places, uint64_t key, uint64_t address,
			    uint32_t queue)
{
	const struct memory_places_row *row = row_of(places, key);

	for (unsigned i = 0; row && i < row->count; i++) {
		if (row->places[i].address == address)
			return row->places[i].queue == queue
				       ? number_of(places, row, &row->places[i])
				       : 0;
	}
	return 0;
}

uint32_t memory_places_within(const struct memory_places *places, uint64_t key, uint64_t from,
			      uint64_t bytes)
{
	const struct memory_places_row *row = row_of(places, key);
	const struct place *place = NULL;

	for (unsigned i = 0; row && i < row->count; i++) {
		uint64_t address = row->places[i].address;

		if (address > from && address - from < bytes)
			return 0;
		if (address <= from && (!place || address > place->address))
			place = &row->places[i];
	}
	return place ? number_of(places, row, place) : 0;
}

/* Elements of an array, on which one queue works in turn: they lie at equal distances, and each is used
 * about as often as the others. Addresses differ: as many multiples of one distance as fit leave none out. */
static bool are_elements(const struct memory_places_row *row)
{
	uint64_t least = UINT64_MAX, most = 0, first = UINT64_MAX, last = 0, distance;

	if (row->count < PLACE_QUEUES)
		return false;
	for (unsigned i = 0; i < row->count; i++) {
		const struct place *place = &row->places[i];

		least = place->uses < least ? place->uses : least;
		most = place->uses > most ? place->uses : most;
		first = place->address < first ? place->address : first;
		last = place->address > last ? place->address : last;
	}
	distance = (last - first) / (row->count - 1);
	if (least < TURN_USES || most >= 2 * least || distance * (row->count - 1) != last - first)
		return false;
	for (unsigned i = 0; i < row->count; i++) {
		if ((row->places[i].address - first) % distance)
			return false;
	}
	return true;
}

bool memory_places_is_part(const struct memory_places *places, uint32_t id)
{
	size_t number = id - MEMORY_PLACE;
	const struct memory_places_row *row;

	if (id < MEMORY_PLACE || number / PLACES >= places->count)
		return false;
	row = &places->rows[number / PLACES];
	/* One adds up what all made. */
	if (row->strangers > 1 && STRANGERS * row->strangers > row->uses)
		return false;
	if (row->queues < 2)
		return are_elements(row);
	return row->places[number % PLACES].uses >= PLACE_USES ||
	       (row->count >= PLACE_QUEUES && row->queues == row->count && row->strangers <= 1);
}

void memory_places_free(struct memory_places *places)
{
	map_free(&places->row_of);
	free(places->rows);
	memset(places, 0, sizeof(*places));
}
