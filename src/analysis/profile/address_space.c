/* SPDX-License-Identifier: MIT */
#include "analysis/profile/address_space.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schema/gen/kernel_records.h"
#include "util/array.h"
#include "util/keyed_row.h"

struct space *address_spaces_get(struct address_spaces *address_spaces, uint32_t pid)
{
	uint64_t index = map_get(&address_spaces->by_pid, pid);
	struct space *space;

	if (index != MAP_NONE)
		return address_spaces->address_spaces[index];
	space = calloc(1, sizeof(*space));
	if (!space ||
	    array_reserve(&address_spaces->address_spaces, &address_spaces->capacity,
			  address_spaces->count + 1, sizeof(struct space *)) ||
	    map_set(&address_spaces->by_pid, pid, address_spaces->count)) {
		free(space);
		return NULL;
	}
	space->pid = pid;
	address_spaces->address_spaces[address_spaces->count++] = space;
	return space;
}

/* Index of the first mapping that ends behind this address. */
static size_t place_of(const struct space *space, uint64_t address)
{
	size_t low = 0, high = space->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (space->mappings[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct space_mapping *address_space_find(const struct space *space, uint64_t address)
{
	size_t place = place_of(space, address);

	return place < space->count && space->mappings[place].start <= address
		       ? &space->mappings[place]
		       : NULL;
}

/* Puts it in place of whatever lay there; pieces of others stay. */
static int space_put(struct space *space, struct space_mapping fresh)
{
	size_t from = place_of(space, fresh.start), to = from, kept = 0;
	struct space_mapping pieces[3];

	while (to < space->count && space->mappings[to].start < fresh.end)
		to++;
	if (from < to && space->mappings[from].start < fresh.start) {
		pieces[kept] = space->mappings[from];
		pieces[kept++].end = fresh.start;
	}
	pieces[kept++] = fresh;
	if (from < to && space->mappings[to - 1].end > fresh.end) {
		pieces[kept] = space->mappings[to - 1];
		pieces[kept].offset += fresh.end - pieces[kept].start;
		pieces[kept++].start = fresh.end;
	}
	if (array_reserve(&space->mappings, &space->capacity, space->count + kept,
			  sizeof(*space->mappings)))
		return -ENOMEM;
	memmove(&space->mappings[from + kept], &space->mappings[to],
		(space->count - to) * sizeof(*space->mappings));
	memcpy(&space->mappings[from], pieces, kept * sizeof(*pieces));
	space->count = space->count - (to - from) + kept;
	space->changes++;
	return 0;
}

static int file_of(struct address_spaces *address_spaces, const char *path, size_t length,
		   const uint8_t *id, uint32_t id_bytes, uint32_t *file)
{
	struct mapped_file fresh = {.build_id_bytes = 0};
	const struct mapped_file *row;
	uint64_t key = 0;
	uint32_t name;

	if (id_bytes > ADDRESS_SPACES_BUILD_ID)
		id_bytes = 0;
	if (intern_add(&address_spaces->names, path, length, &name))
		return -ENOMEM;
	memcpy(&key, id, id_bytes < 5 ? id_bytes : 5);
	key = key << 24 ^ name;
	fresh.path = intern_text(&address_spaces->names, name);
	fresh.build_id_bytes = id_bytes;
	memcpy(fresh.build_id, id, id_bytes);
	row = keyed_row(&address_spaces->by_file, key, &address_spaces->files,
			&address_spaces->file_capacity, &address_spaces->file_count, &fresh,
			sizeof(fresh));
	if (!row)
		return -ENOMEM;
	*file = (uint32_t)(row - address_spaces->files);
	return 0;
}

static int feed_mapping(struct address_spaces *address_spaces,
			const struct tandem_kernel_mapping *record)
{
	const uint8_t *id = (const uint8_t *)(record + 1);
	struct space *space = address_spaces_get(address_spaces, record->pid);
	struct space_mapping fresh = {.start = record->start,
				      .end = record->start + record->bytes,
				      .offset = record->offset};

	if (!space || file_of(address_spaces, (const char *)id + record->build_id_count,
			      record->path_count, id, record->build_id_count, &fresh.file))
		return -ENOMEM;
	return fresh.end > fresh.start ? space_put(space, fresh) : 0;
}

static int feed_child(struct address_spaces *address_spaces,
		      const struct tandem_kernel_task_new *record)
{
	struct space *parent, *child;

	/* A thread, or a process of which nothing is known. */
	if (!record->pid || record->pid == record->parent_pid ||
	    map_get(&address_spaces->by_pid, record->parent_pid) == MAP_NONE)
		return 0;
	child = address_spaces_get(address_spaces, record->pid);
	parent = address_spaces_get(address_spaces, record->parent_pid);
	if (!child || !parent ||
	    array_reserve(&child->mappings, &child->capacity, parent->count,
			  sizeof(*child->mappings)))
		return -ENOMEM;
	if (parent->count)
		memcpy(child->mappings, parent->mappings, parent->count * sizeof(*child->mappings));
	child->count = parent->count;
	child->changes++;
	return 0;
}

int address_spaces_consume(struct address_spaces *address_spaces, const struct trace_event *event)
{
	const struct tandem_kernel_task *task = (const void *)event->record;

	switch (event->record->id) {
	case TANDEM_KERNEL_EVENT_mapping:
		return feed_mapping(address_spaces, (const void *)event->record);
	case TANDEM_KERNEL_EVENT_task_new:
		return feed_child(address_spaces, (const void *)event->record);
	case TANDEM_KERNEL_EVENT_task:
		if (task->how == TANDEM_KNOWN_BY_exec &&
		    map_get(&address_spaces->by_pid, task->pid) != MAP_NONE) {
			struct space *space = address_spaces_get(address_spaces, task->pid);

			space->count = 0;
			space->changes++;
		}
		return 0;
	default:
		return 0;
	}
}

void address_spaces_free(struct address_spaces *address_spaces)
{
	for (size_t i = 0; i < address_spaces->count; i++) {
		free(address_spaces->address_spaces[i]->mappings);
		free(address_spaces->address_spaces[i]);
	}
	free(address_spaces->address_spaces);
	free(address_spaces->files);
	map_free(&address_spaces->by_pid);
	map_free(&address_spaces->by_file);
	intern_free(&address_spaces->names);
	*address_spaces = (struct address_spaces){.count = 0};
}
