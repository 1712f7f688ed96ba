/* SPDX-License-Identifier: MIT */
/* The program's ranges and markers in an OTF2 archive: nested ones are regions of their
 * thread's location, with its calls inside; those of a scope (an NVTX domain), which need
 * not nest with the thread's own, and start-end ranges have locations of their own. A marker
 * is a region without length. One thread; belongs to the export.
 *
 *	sequence.wants = otf2_ranges_want          records come back at their places in time
 *	status = otf2_ranges_event(&ranges, archive, &at, &event)
 */
#ifndef TANDEM_EXPORT_OTF2_RANGES_H
#define TANDEM_EXPORT_OTF2_RANGES_H

#include "analysis/events/event_sequence.h"
#include "analysis/ranges/range_names.h"
#include "export/otf2/archive.h"
#include "util/map.h"
#include "util/text.h"

struct export;

struct otf2_ranges {
	struct export *export;
	struct otf2_archive *archive;
	struct range_names scopes;
	struct map stacks;    /* stream and scope -> its stack + 1 */
	struct map started;   /* process and number -> row of a start-end range */
	struct map locations; /* stream and scope, or process and row -> location */
	struct intern names;
	struct text *open; /* stacks: a byte for each open range: is it exported? */
	size_t open_count, open_capacity;
	uint8_t *rows; /* of start-end ranges, in all processes: is one on it? */
	size_t row_count, row_capacity;
};

/* Begins a session; what was before is forgotten. */
void otf2_ranges_session(struct otf2_ranges *ranges, struct export *export,
			 struct otf2_archive *archive);

/* struct event_sequence's `wants`, of a record in the order of time. */
int otf2_ranges_want(struct otf2_ranges *ranges, const struct event_item *item, uint64_t *tag);

/* Takes what came back: `ns` on the archive's axis, `thread` and `group` its thread's
 * location and its process's group. Returns 0 or -errno. */
int otf2_ranges_event(struct otf2_ranges *ranges, const struct sequence_event *event, uint64_t ns,
		      uint32_t thread, uint32_t group);

void otf2_ranges_free(struct otf2_ranges *ranges);

#endif
