/* SPDX-License-Identifier: MIT */
/* Tracks of a timeline, each with a number, made when first used; and on which of
 * several a slice goes when slices of one row overlap, as most viewers want the
 * slices of a track to nest. A track is named by a key of the format's own. Owned
 * by the format; one thread.
 *
 *	status = tracks_lane(&tracks, track_key(TRACK_ROW, process, queue, row),
 *			     start_ns, end_ns, &id);
 *	if (status > 0)
 *		... describe the new track
 */
#ifndef TANDEM_EXPORT_TRACKS_H
#define TANDEM_EXPORT_TRACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/map.h"

enum track_kind {
	TRACK_PROCESS = 1, /* of a process */
	TRACK_THREAD,	   /* of a thread of a process */
	TRACK_QUEUE,
	TRACK_ROW, /* under a queue; several where its slices overlap */
	TRACK_BUILDS,
	TRACK_MEMORY,
	TRACK_ENGINE_HOST,
	TRACK_ENGINE_DEVICE,
	TRACK_RANGES,
	TRACK_FINDINGS,
	TRACK_ACTIVITY,
	TRACK_DEPTH, /* of a queue, and ... */
	TRACK_BUSY,  /* ... of a device: counters */
};

struct track_lane {
	uint64_t next; /* of the same row: index in `lanes` + 1; 0: the last */
	uint64_t id;
	int64_t end_ns; /* of the last slice on it */
};

struct tracks {
	struct map known; /* key -> id */
	struct map rows;  /* key -> first lane + 1 */
	struct track_lane *lanes;
	size_t lane_count, lane_capacity;
	uint64_t last_id;
};

/* Ids of 24 bits, 28 bits and 4 bits make a key. */
static inline uint64_t track_key(enum track_kind kind, uint64_t owner, uint64_t number,
				 unsigned row)
{
	return (uint64_t)kind << 60 ^ owner << 36 ^ number << 4 ^ row;
}

/* The number in a process, for track_key(), of the row of ranges of one scope of a thread, of
 * those across threads, or of those projected onto a device. */
static inline uint64_t track_ranges_scope(uint32_t stream, uint32_t scope)
{
	return UINT64_C(1) << 27 | (uint64_t)(stream & 0x7ffff) << 8 | (scope & 0xff);
}
static inline uint64_t track_ranges_device(uint32_t device)
{
	return UINT64_C(1) << 26 | device;
}
#define TRACK_RANGES_START_END 0

/* The track's id, from 1. Returns 1 when it is new and wants to be described, 0 when
 * it is known, or -ENOMEM. */
int tracks_find(struct tracks *tracks, uint64_t key, uint64_t *id);

/* A track of this row on which nothing is at start_ns, and takes the slice.
 * Returns as tracks_find(). */
int tracks_lane(struct tracks *tracks, uint64_t key, int64_t start_ns, int64_t end_ns,
		uint64_t *id);

void tracks_free(struct tracks *tracks);

#endif
