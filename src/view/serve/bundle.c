/* SPDX-License-Identifier: MIT */
#include "view/serve/bundle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/json.h"
#include "view/query/details/span.h"
#include "view/query/search.h"
#include "view/query/select.h"
#include "view/query/stacks.h"
#include "view/query/tiles.h"

struct bundle_item {
	int64_t begin_ns;
	uint64_t length_ns, busy_ns; /* of counters: least, most */
	uint64_t last;		     /* of counters */
	uint32_t label, count, item;
};

struct items { /* of one track */
	struct bundle_item *list;
	size_t count, capacity;
};

static int items_add(struct items *items, const struct bundle_item *item)
{
	return ARRAY_ADD(items->list, items->capacity, items->count, *item);
}

/* --- what a track's items are */

static int collect_whole(const struct view_index *index, const struct view_track *track,
			 struct items *items)
{
	int status = 0;

	for (uint32_t i = 0; i < track->items && !status; i++) {
		const union view_item *of = view_index_item(index, track, i);
		struct bundle_item item = {.item = i, .count = 1};

		if (track->type == VIEW_TRACK_counter) {
			item.begin_ns = of->point.at_ns;
			item.length_ns = item.busy_ns = item.last = of->point.value;
		} else {
			item.begin_ns = of->span.begin_ns;
			item.length_ns = item.busy_ns =
				(uint64_t)(view_index_end(index, track, i, &of->span) -
					   of->span.begin_ns);
			item.label = of->span.label;
		}
		status = items_add(items, &item);
	}
	return status;
}

static double column_f64(const char *column, size_t i)
{
	double value;

	memcpy(&value, column + i * sizeof(value), sizeof(value));
	return value;
}

static uint32_t column_u32(const char *column, size_t i)
{
	uint32_t value;

	memcpy(&value, column + i * sizeof(value), sizeof(value));
	return value;
}

/* A tile's items that begin in it; its bytes are as tiles.h says. A counter's first one may be
 * the value that the tile begins with, and no point of its own: that of the track is before. */
static int items_add_tile(struct items *items, const char *bytes, bool counter, int64_t begin_ns,
			  int64_t first_ns)
{
	const char *columns = bytes + 24;
	size_t count = column_u32(bytes, 1);
	int status = 0;

	for (size_t i = counter && first_ns < begin_ns; i < count && !status; i++) {
		struct bundle_item item = {.begin_ns = (int64_t)column_f64(columns, i), .count = 1};
		float busy;

		if (counter) {
			item.length_ns = (uint64_t)column_f64(columns + 8 * count, i);
			item.busy_ns = (uint64_t)column_f64(columns + 16 * count, i);
			item.last = (uint64_t)column_f64(columns + 24 * count, i);
		} else {
			item.length_ns = (uint64_t)((int64_t)column_f64(columns + 8 * count, i) -
						    item.begin_ns);
			item.label = column_u32(columns + 16 * count, i);
			item.count = column_u32(columns + 20 * count, i);
			item.item = column_u32(columns + 24 * count, i);
			memcpy(&busy, columns + 28 * count + i * sizeof(busy), sizeof(busy));
			item.busy_ns = (uint64_t)((double)busy * (double)item.length_ns + 0.5);
		}
		if (item.begin_ns >= begin_ns)
			status = items_add(items, &item);
	}
	return status;
}

static int64_t floor_tile(int64_t ns, unsigned level)
{
	return (ns >> level) >> 10;
}

_Static_assert(TILE_BINS == 1 << 10, "floor_tile()");

static int collect_tiles(const struct view_bundle *bundle, uint32_t number, struct items *items)
{
	const struct view_index *index = &bundle->source->index;
	const struct view_track *track = &index->tracks[number];
	bool counter = track->type == VIEW_TRACK_counter;
	struct text tile = TEXT_INIT;
	int64_t first, last, first_ns;
	int status = 0;

	if (!track->items)
		return 0;
	first_ns = view_index_item(index, track, 0)->span.begin_ns;
	first = floor_tile(first_ns, bundle->level);
	last = floor_tile(view_index_item(index, track, track->items - 1)->span.begin_ns,
			  bundle->level);
	for (int64_t i = first; i <= last && !status; i++) {
		text_clear(&tile);
		view_tile_add(index, number, bundle->level, i, &tile);
		status = tile.failed ? -ENOMEM
				     : items_add_tile(items, tile.data, counter,
						      i * ((int64_t)TILE_BINS << bundle->level),
						      first_ns);
	}
	text_free(&tile);
	return status;
}

static int collect(const struct view_bundle *bundle, uint32_t number, struct items *items)
{
	const struct view_index *index = &bundle->source->index;

	items->count = 0;
	return bundle->thinned ? collect_tiles(bundle, number, items)
			       : collect_whole(index, &index->tracks[number], items);
}

/* --- how much of it */

static int count_items(struct view_bundle *bundle, uint64_t most)
{
	struct items items = {.list = NULL};
	int status = 0;

	bundle->items = 0;
	for (uint32_t i = 0; i < bundle->source->index.tracks_count && !status; i++) {
		status = collect(bundle, i, &items);
		bundle->items += items.count;
		if (bundle->items > most)
			break;
	}
	free(items.list);
	return status;
}

int view_bundle_plan(struct view_bundle *bundle, struct view_source *source, uint64_t most)
{
	const struct view_index *index = &source->index;
	uint64_t fits = 0;
	int status = 0;

	*bundle = (struct view_bundle){.source = source};
	for (uint64_t i = 0; i < index->tracks_count; i++)
		bundle->of_items += index->tracks[i].items;
	bundle->items = bundle->of_items;
	bundle->thinned = bundle->of_items > most;
	if (!bundle->thinned)
		return 0;
	/* From a picture of some 256 columns on, as fine as it may be. */
	while (index->header->last_ns >> (bundle->level + 8) && bundle->level < TILE_LEVEL_MOST)
		bundle->level++;
	for (;;) {
		status = count_items(bundle, most);
		if (status || bundle->items > most || !bundle->level) {
			if (!status && bundle->items > most && fits) {
				bundle->level++;
				bundle->items = fits;
			}
			return status;
		}
		fits = bundle->items;
		bundle->level--;
	}
}

/* --- tracks */

static void add_number(struct text *out, uint64_t number)
{
	char bytes[10];
	size_t length = 0;

	do {
		bytes[length++] = (char)(number > 127 ? number | 128 : number);
		number >>= 7;
	} while (number);
	text_add(out, bytes, length);
}

static void add_signed(struct text *out, int64_t number)
{
	add_number(out, (uint64_t)number << 1 ^ (uint64_t)(number >> 63));
}

static void add_points(struct text *out, const struct items *items)
{
	for (size_t i = 0; i < items->count; i++)
		add_number(out, items->list[i].length_ns);
	for (size_t i = 0; i < items->count; i++)
		add_number(out, items->list[i].busy_ns);
	for (size_t i = 0; i < items->count; i++)
		add_number(out, items->list[i].last);
}

static void add_spans(const struct view_index *index, const struct view_track *track,
		      struct text *out, const struct items *items)
{
	uint32_t before = 0;

	for (size_t i = 0; i < items->count; i++)
		add_number(out, items->list[i].length_ns);
	for (size_t i = 0; i < items->count; i++)
		add_number(out, items->list[i].label);
	for (size_t i = 0; i < items->count; i++)
		add_number(out, items->list[i].count);
	for (size_t i = 0; i < items->count; i++)
		if (items->list[i].count > 1)
			add_number(out, items->list[i].busy_ns);
	for (size_t i = 0; i < items->count; i++) {
		add_signed(out, (int64_t)items->list[i].item - before);
		before = items->list[i].item;
	}
	for (size_t i = 0; i < items->count && track->refs == VIEW_REFS_command; i++) {
		const struct view_command *command =
			view_index_command(index, track, items->list[i].item);

		add_number(out, command ? command->bytes : 0);
	}
	for (size_t i = 0; i < items->count && track->refs == VIEW_REFS_range; i++)
		add_number(out, view_index_device_ns(index, track, items->list[i].item));
	for (size_t i = 0; i < items->count && track->refs == VIEW_REFS_sample; i++)
		add_number(out, view_index_stack(index, track, items->list[i].item));
}

int view_bundle_tracks(const struct view_bundle *bundle, struct text *out)
{
	const struct view_index *index = &bundle->source->index;
	struct items items = {.list = NULL};
	int status = 0;

	add_number(out, index->tracks_count);
	for (uint32_t i = 0; i < index->tracks_count && !status; i++) {
		int64_t before_ns = 0;

		status = collect(bundle, i, &items);
		add_number(out, items.count);
		add_number(out, index->tracks[i].refs == VIEW_REFS_command  ? 1
				: index->tracks[i].refs == VIEW_REFS_sample ? 2
				: index->tracks[i].refs == VIEW_REFS_range  ? 3
									    : 0);
		for (size_t k = 0; k < items.count; k++) {
			add_signed(out, items.list[k].begin_ns - before_ns);
			before_ns = items.list[k].begin_ns;
		}
		if (index->tracks[i].type == VIEW_TRACK_counter)
			add_points(out, &items);
		else
			add_spans(index, &index->tracks[i], out, &items);
	}
	free(items.list);
	return status ? status : out->failed ? -ENOMEM : 0;
}

/* --- details */

struct chunk {
	int (*write)(void *user, struct text *lines);
	void *user;
	struct text lines;
	unsigned count;
};

static int chunk_flush(struct chunk *chunk)
{
	int status = 0;

	if (chunk->count)
		status = chunk->lines.failed ? -ENOMEM : chunk->write(chunk->user, &chunk->lines);
	text_clear(&chunk->lines);
	chunk->count = 0;
	return status;
}

static int add_details(const struct view_bundle *bundle, uint32_t track, const struct items *items,
		       struct chunk *chunk)
{
	int status = 0;

	for (size_t i = 0; i < items->count && !status; i++) {
		if (items->list[i].count != 1)
			continue;
		status = view_details_json(&bundle->source->details, track, items->list[i].item,
					   &chunk->lines);
		text_add_char(&chunk->lines, '\n');
		if (!status && ++chunk->count == BUNDLE_DETAILS_IN_CHUNK)
			status = chunk_flush(chunk);
	}
	return status;
}

int view_bundle_details(const struct view_bundle *bundle,
			int (*write)(void *user, struct text *lines), void *user)
{
	const struct view_index *index = &bundle->source->index;
	struct chunk chunk = {.write = write, .user = user};
	struct items items = {.list = NULL};
	int status = 0;

	for (uint32_t i = 0; i < index->tracks_count && !status; i++) {
		if (!view_track_named(&index->tracks[i]))
			continue;
		status = collect(bundle, i, &items);
		if (!status)
			status = add_details(bundle, i, &items, &chunk);
	}
	if (!status)
		status = chunk_flush(&chunk);
	text_free(&chunk.lines);
	free(items.list);
	return status;
}

/* --- what a thinned one cannot know */

struct counts {
	struct json *json;
	uint64_t labels; /* that have one */
};

static void add_count(void *counts_of, uint32_t label, uint64_t count)
{
	struct counts *counts = counts_of;

	while (counts->labels < label) {
		json_unsigned(counts->json, NULL, 0);
		counts->labels++;
	}
	json_unsigned(counts->json, NULL, count);
	counts->labels++;
}

static int add_counts(const struct view_index *index, struct json *json)
{
	struct counts counts = {.json = json};
	struct view_search search;
	int status = view_search_init(&search, index);

	if (status)
		return status;
	view_search_add(&search, 0, index->labels_count);
	json_begin_array(json, "counts");
	status = view_search_counts(&search, add_count, &counts);
	while (!status && counts.labels < index->labels_count)
		add_count(&counts, (uint32_t)counts.labels, 0);
	json_end_array(json);
	view_search_free(&search);
	return status;
}

/* Of the whole run: of all rows, and of each session, process and device. */
static int add_sums(const struct view_index *index, struct text *out)
{
	int64_t from_ns = -(INT64_C(1) << 60), to_ns = INT64_C(1) << 60;
	struct row_set rows;
	int status = row_set_init(&rows, index);

	if (status)
		return status;
	text_add_string(out, ",\"select\":{\"-1\":");
	row_set_add_all(&rows);
	status = view_select_json(&rows, from_ns, to_ns, out);
	row_set_free(&rows);
	for (uint32_t i = 0; i < index->rows_count && !status; i++) {
		uint8_t kind = index->rows[i].kind;

		if (kind != VIEW_ROW_session && kind != VIEW_ROW_process && kind != VIEW_ROW_device)
			continue;
		text_format(out, ",\"%u\":", i);
		status = row_set_init(&rows, index);
		if (status)
			break;
		row_set_add(&rows, i, i);
		status = view_select_json(&rows, from_ns, to_ns, out);
		row_set_free(&rows);
	}
	text_add_char(out, '}');
	return status;
}

static int add_stacks_of_all(const struct view_index *index, struct text *out)
{
	struct row_set rows;
	int status = row_set_init(&rows, index);

	if (status)
		return status;
	text_add_string(out, ",\"stacks_of_all\":");
	row_set_add_all(&rows);
	status = stacks_json(&rows, -(INT64_C(1) << 60), INT64_C(1) << 60, out);
	row_set_free(&rows);
	return status;
}

static void add_stacks(const struct view_index *index, struct json *json)
{
	json_begin_array(json, "frames");
	for (uint64_t i = 0; i < index->frames_count; i++) {
		json_begin_array(json, NULL);
		json_string(json, NULL, view_index_text(index, index->frames[i].name));
		json_string(json, NULL, view_index_text(index, index->frames[i].file));
		json_end_array(json);
	}
	json_end_array(json);
	json_begin_array(json, "stacks");
	for (uint64_t i = 0; i < index->stacks_count; i++) {
		json_begin_array(json, NULL);
		json_unsigned(json, NULL, index->stacks[i].parent);
		json_unsigned(json, NULL, index->stacks[i].frame);
		json_end_array(json);
	}
	json_end_array(json);
}

int view_bundle_json(const struct view_bundle *bundle, struct text *out)
{
	const struct view_index *index = &bundle->source->index;
	struct json json;
	int status = 0;

	json_init(&json, out, false);
	json_begin_object(&json, NULL);
	json_unsigned(&json, "bin_ns", bundle->thinned ? UINT64_C(1) << bundle->level : 0);
	json_unsigned(&json, "items", bundle->items);
	json_unsigned(&json, "of_items", bundle->of_items);
	add_stacks(index, &json);
	if (bundle->thinned) {
		status = add_counts(index, &json);
		if (!status)
			status = add_sums(index, out);
		if (!status)
			status = add_stacks_of_all(index, out);
	}
	json_end_object(&json);
	return status ? status : out->failed ? -ENOMEM : 0;
}
