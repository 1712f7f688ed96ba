/* SPDX-License-Identifier: MIT */
#include "view/index/index.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool section_take(struct view_index *index, enum view_section_number number,
			 size_t item_bytes, void *items, uint64_t *count)
{
	const struct view_section *section = &index->header->sections[number];
	const uint8_t *data;

	if (section->offset % 8 || section->offset > index->bytes ||
	    section->count > (index->bytes - section->offset) / item_bytes)
		return false;
	data = index->data + section->offset;
	/* `items` is the address of a pointer of the section's own type. */
	memcpy(items, &data, sizeof(data));
	*count = section->count;
	return true;
}

static bool track_sound(const struct view_index *index, const struct view_track *track)
{
	uint64_t chunks = ((uint64_t)track->items + VIEW_CHUNK_ITEMS - 1) / VIEW_CHUNK_ITEMS;
	uint32_t counts[VIEW_LEVELS_MOST];
	unsigned levels = view_levels(track->items, counts);
	uint64_t nodes = 0, left = track->items;
	size_t item_bytes = sizeof(union view_item) + (track->refs ? sizeof(uint32_t) : 0);

	for (unsigned level = 0; level < levels; level++)
		nodes += counts[level];
	if (track->type >= VIEW_TRACK_COUNT || track->row >= index->rows_count ||
	    track->first_chunk > index->chunks_count ||
	    chunks > index->chunks_count - track->first_chunk ||
	    track->first_node > index->nodes_count ||
	    nodes > index->nodes_count - track->first_node ||
	    track->first_long > index->longs_count ||
	    track->long_count > index->longs_count - track->first_long ||
	    track->first_stat > index->stats_count ||
	    track->stat_count > index->stats_count - track->first_stat)
		return false;
	for (uint64_t i = 0; i < chunks; i++, left -= VIEW_CHUNK_ITEMS) {
		uint64_t offset = index->chunks[track->first_chunk + i];
		uint64_t items = left < VIEW_CHUNK_ITEMS ? left : VIEW_CHUNK_ITEMS;

		if (offset % 8 || offset > index->bytes ||
		    items * item_bytes > index->bytes - offset)
			return false;
	}
	return true;
}

static bool row_sound(const struct view_index *index, uint32_t number)
{
	const struct view_row *row = &index->rows[number];

	return row->kind < VIEW_ROW_COUNT && (row->parent == VIEW_NONE || row->parent < number) &&
	       row->first_track <= index->tracks_count &&
	       row->track_count <= index->tracks_count - row->first_track;
}

static bool index_sound(struct view_index *index, const uint8_t fingerprint[16])
{
	const struct view_header *header = index->header = (const void *)index->data;

	if (index->bytes < sizeof(*header) || header->magic != VIEW_INDEX_MAGIC ||
	    header->version != VIEW_INDEX_VERSION || header->bytes != sizeof(*header) ||
	    header->file_bytes != index->bytes ||
	    memcmp(header->fingerprint, fingerprint, sizeof(header->fingerprint)) != 0)
		return false;
#define X(name, type)                                                             \
	if (!section_take(index, VIEW_SECTION_##name, sizeof(type), &index->name, \
			  &index->name##_count))                                  \
		return false;
	VIEW_SECTIONS(X)
#undef X
	if (index->text_count && index->text[index->text_count - 1])
		return false;
	for (uint32_t i = 0; i < index->rows_count; i++)
		if (!row_sound(index, i))
			return false;
	for (uint32_t i = 0; i < index->tracks_count; i++)
		if (!track_sound(index, &index->tracks[i]))
			return false;
	for (uint32_t i = 0; i < index->labels_count; i++)
		if (index->labels[i].kind >= VIEW_SPAN_COUNT)
			return false;
	for (uint32_t i = 1; i < index->stacks_count; i++)
		if (index->stacks[i].parent >= i || index->stacks[i].frame >= index->frames_count)
			return false;
	return index->rows_count > 0;
}

int view_index_map(struct view_index *index, int fd, const uint8_t fingerprint[16])
{
	struct stat file;
	void *data;

	memset(index, 0, sizeof(*index));
	if (fstat(fd, &file))
		return -errno;
	if (file.st_size < (off_t)sizeof(struct view_header))
		return -ESTALE;
	data = mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (data == MAP_FAILED)
		return -errno;
	index->data = data;
	index->bytes = (size_t)file.st_size;
	if (index_sound(index, fingerprint))
		return 0;
	view_index_close(index);
	return -ESTALE;
}

int view_index_open(struct view_index *index, const char *folder, const uint8_t fingerprint[16])
{
	char *path;
	int status = -ENOMEM, fd;

	if (asprintf(&path, "%s/" VIEW_INDEX_FILE, folder) < 0)
		return status;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	status = fd < 0 ? -errno : view_index_map(index, fd, fingerprint);
	if (fd >= 0)
		close(fd);
	free(path);
	return status;
}

void view_index_close(struct view_index *index)
{
	if (index->data)
		munmap((void *)(uintptr_t)index->data, index->bytes);
	memset(index, 0, sizeof(*index));
}

const char *view_index_text(const struct view_index *index, uint32_t number)
{
	if (number >= index->strings_count || index->strings[number] >= index->text_count)
		return "";
	return index->text + index->strings[number];
}

const struct view_label *view_index_label(const struct view_index *index, uint32_t number)
{
	static const struct view_label unknown = {.name = VIEW_NONE, .kind = VIEW_SPAN_unknown};

	return number < index->labels_count ? &index->labels[number] : &unknown;
}

uint64_t view_index_long(const struct view_index *index, const struct view_track *track,
			 uint32_t item)
{
	const struct view_long *longs = index->longs + track->first_long;
	uint32_t low = 0, high = track->long_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (longs[middle].item < item)
			low = middle + 1;
		else
			high = middle;
	}
	return low < track->long_count && longs[low].item == item ? longs[low].length_ns
								  : UINT32_MAX;
}

uint32_t view_index_ref(const struct view_index *index, const struct view_track *track,
			uint32_t item)
{
	uint32_t chunk_items = track->items - item / VIEW_CHUNK_ITEMS * VIEW_CHUNK_ITEMS;
	uint64_t chunk;
	uint32_t ref;

	if (!track->refs || item >= track->items)
		return VIEW_NONE;
	if (chunk_items > VIEW_CHUNK_ITEMS)
		chunk_items = VIEW_CHUNK_ITEMS;
	chunk = index->chunks[track->first_chunk + item / VIEW_CHUNK_ITEMS];
	memcpy(&ref,
	       index->data + chunk + chunk_items * sizeof(union view_item) +
		       item % VIEW_CHUNK_ITEMS * sizeof(ref),
	       sizeof(ref));
	return ref;
}

uint32_t view_index_stack(const struct view_index *index, const struct view_track *track,
			  uint32_t item)
{
	uint32_t ref =
		track->refs == VIEW_REFS_sample ? view_index_ref(index, track, item) : VIEW_NONE;

	return ref / 2 < index->stacks_count ? ref / 2 : 0;
}

uint64_t view_index_device_ns(const struct view_index *index, const struct view_track *track,
			      uint32_t item)
{
	uint32_t ref = view_index_ref(index, track, item);

	return ref < index->ranges_count ? index->ranges[ref].device_ns : 0;
}

const struct view_command *view_index_command(const struct view_index *index,
					      const struct view_track *track, uint32_t item)
{
	uint32_t ref =
		track->refs == VIEW_REFS_command ? view_index_ref(index, track, item) : VIEW_NONE;

	return ref < index->commands_count ? &index->commands[ref] : NULL;
}

const struct view_command *view_index_find_op(const struct view_index *index, uint32_t process,
					      uint64_t op, uint32_t number)
{
	uint64_t low = 0, high = index->by_op_count;
	const struct view_command *command;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (index->by_op[middle] >= index->commands_count)
			return NULL;
		command = &index->commands[index->by_op[middle]];
		if (command->process < process || (command->process == process && command->op < op))
			low = middle + 1;
		else
			high = middle;
	}
	low += number;
	if (low >= index->by_op_count || index->by_op[low] >= index->commands_count)
		return NULL;
	command = &index->commands[index->by_op[low]];
	return command->process == process && command->op == op ? command : NULL;
}

uint32_t view_index_lower(const struct view_index *index, const struct view_track *track,
			  int64_t ns)
{
	uint32_t low = 0, high = track->items;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (view_index_item(index, track, middle)->span.begin_ns < ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void view_index_tree(const struct view_index *index, const struct view_track *track,
		     struct view_tree *tree)
{
	const union view_any_node *node =
		(const union view_any_node *)(index->nodes + track->first_node);

	tree->levels = view_levels(track->items, tree->counts);
	for (unsigned level = 0; level < tree->levels; level++) {
		tree->nodes[level] = node;
		node += tree->counts[level];
	}
}
