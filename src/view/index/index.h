/* SPDX-License-Identifier: MIT */
/* The timeline's index of one session, mapped (view/rows/index_build.h makes it). What it
 * says of itself is checked when it is opened; numbers of labels, rows and strings are
 * checked at every use. Read-only, any thread.
 *
 *	struct view_index index;
 *	view_index_open(&index, "FOLDER", fingerprint);
 *	for (uint32_t i = 0; i < index.rows_count; i++)
 *		puts(view_index_text(&index, index.rows[i].name));
 *	view_index_close(&index);
 */
#ifndef TANDEM_VIEW_INDEX_INDEX_H
#define TANDEM_VIEW_INDEX_INDEX_H

#include "view/index/format.h"
#include "view/index/kinds.h"
#include "view/index/track.h"

struct view_index {
	const uint8_t *data;
	size_t bytes;
	const struct view_header *header;
#define X(name, type) const type *name;
	VIEW_SECTIONS(X)
#undef X
#define X(name, type) uint64_t name##_count;
	VIEW_SECTIONS(X)
#undef X
};

/* Maps the one in a folder. Returns 0, -ESTALE (it is not of the trace with this fingerprint)
 * or another -errno; on error there is nothing to close. */
int view_index_open(struct view_index *index, const char *folder, const uint8_t fingerprint[16]);

/* Maps a file. Returns 0, -ESTALE (no index of the trace with this fingerprint) or
 * another -errno; the caller closes fd either way. */
int view_index_map(struct view_index *index, int fd, const uint8_t fingerprint[16]);

void view_index_close(struct view_index *index);

/* A string, "" where there is no such. */
const char *view_index_text(const struct view_index *index, uint32_t number);

/* A label; one that says "unknown" where there is no such. */
const struct view_label *view_index_label(const struct view_index *index, uint32_t number);

static inline const union view_item *view_index_item(const struct view_index *index,
						     const struct view_track *track, uint32_t item)
{
	uint64_t chunk = index->chunks[track->first_chunk + item / VIEW_CHUNK_ITEMS];

	return (const union view_item *)(index->data + chunk) + item % VIEW_CHUNK_ITEMS;
}

/* Length of a span whose length_ns does not say it. */
uint64_t view_index_long(const struct view_index *index, const struct view_track *track,
			 uint32_t item);

static inline int64_t view_index_end(const struct view_index *index, const struct view_track *track,
				     uint32_t item, const struct view_span *span)
{
	uint64_t length = span->length_ns;

	if (__builtin_expect(length == UINT32_MAX, 0))
		length = view_index_long(index, track, item);
	return (int64_t)((uint64_t)span->begin_ns + length);
}

/* Whether its spans are events with names, which have details and are found. */
static inline bool view_track_named(const struct view_track *track)
{
	return track->type == VIEW_TRACK_spans || track->type == VIEW_TRACK_state ||
	       track->type == VIEW_TRACK_samples;
}

/* What an item refers to, or VIEW_NONE. */
uint32_t view_index_ref(const struct view_index *index, const struct view_track *track,
			uint32_t item);

/* The stack of a sample; 0, the root, where it is not known. */
uint32_t view_index_stack(const struct view_index *index, const struct view_track *track,
			  uint32_t item);

/* Of an item of a track of ranges: device time of what was enqueued inside. */
uint64_t view_index_device_ns(const struct view_index *index, const struct view_track *track,
			      uint32_t item);

/* The command of an item, or NULL. */
const struct view_command *view_index_command(const struct view_index *index,
					      const struct view_track *track, uint32_t item);

/* A command by its operation id, the number-th (from 0) of those that have it; or NULL. */
const struct view_command *view_index_find_op(const struct view_index *index, uint32_t process,
					      uint64_t op, uint32_t number);

/* The first item that begins at or after `ns`; track->items where there is none. */
uint32_t view_index_lower(const struct view_index *index, const struct view_track *track,
			  int64_t ns);

/* A track's place in the tree above it: nodes of each level. */
struct view_tree {
	unsigned levels;
	uint32_t counts[VIEW_LEVELS_MOST];
	const union view_any_node *nodes[VIEW_LEVELS_MOST];
};

void view_index_tree(const struct view_index *index, const struct view_track *track,
		     struct view_tree *tree);

#endif
