/* SPDX-License-Identifier: MIT */
/* What of a session goes into a page that is one file: its tracks item by item, or,
 * where they are too many, gathered as in the tiles of one level (tiles.h), and
 * the details of all that stand alone. web/local.js reads it. One thread.
 *
 *	struct view_bundle bundle;
 *
 *	view_bundle_plan(&bundle, &source, 100000);
 *	view_bundle_tracks(&bundle, &bytes);
 *	view_bundle_details(&bundle, write_chunk, user);
 *	view_bundle_json(&bundle, &json);
 *
 * The bytes of the tracks are unsigned LEB128 numbers, signed ones with the sign in
 * the lowest bit ("zigzag"). The number of tracks, then for each the number of its
 * items, 1 if they are commands, 2 samples, 3 ranges (else 0), and one column after
 * the other:
 *
 *	spans     begin (signed, from the one before), length, label, count, ns that
 *		  are covered (only where count > 1), item (signed, from the one
 *		  before), bytes (only of commands), stack (only of samples),
 *		  device time (only of ranges)
 *	counters  at (signed, from the one before), least, most, last
 */
#ifndef TANDEM_VIEW_SERVE_BUNDLE_H
#define TANDEM_VIEW_SERVE_BUNDLE_H

#include "view/serve/source.h"

#define BUNDLE_DETAILS_IN_CHUNK 1024u

struct view_bundle {
	struct view_source *source; /* borrowed */
	bool thinned;
	unsigned level; /* of the tiles, where it is */
	uint64_t items, of_items;
};

/* So that there are `most` items at most, unless even the coarsest picture has
 * more. Returns 0 or -ENOMEM. */
int view_bundle_plan(struct view_bundle *bundle, struct view_source *source, uint64_t most);

int view_bundle_tracks(const struct view_bundle *bundle, struct text *out);

/* Gives lines of JSON (details.h), BUNDLE_DETAILS_IN_CHUNK at most at once, of the
 * items that stand alone, in the order of the tracks. Returns 0, -errno, or what
 * `write` returned if that was not 0. */
int view_bundle_details(const struct view_bundle *bundle,
			int (*write)(void *user, struct text *lines), void *user);

/* Appends an object: `bin_ns` (0: nothing is gathered), `items`, `of_items`,
 * `frames` [name, file] and `stacks` [parent, frame] of samples, and, where it is thinned and the page cannot count for itself, `counts` (by
 * label) and `select` (by row, -1: all): sums of the whole run. Returns 0 or
 * -ENOMEM. */
int view_bundle_json(const struct view_bundle *bundle, struct text *out);

#endif
