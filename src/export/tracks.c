/* SPDX-License-Identifier: MIT */
#include "export/tracks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

int tracks_find(struct tracks *tracks, uint64_t key, uint64_t *id)
{
	uint64_t known = map_get(&tracks->known, key);

	if (known != MAP_NONE) {
		*id = known;
		return 0;
	}
	*id = ++tracks->last_id;
	return map_set(&tracks->known, key, *id) ? -ENOMEM : 1;
}

int tracks_lane(struct tracks *tracks, uint64_t key, int64_t start_ns, int64_t end_ns, uint64_t *id)
{
	uint64_t first = map_get(&tracks->rows, key);
	struct track_lane *lane = NULL;
	int status = 0;

	for (uint64_t at = first == MAP_NONE ? 0 : first; at; at = lane->next) {
		lane = &tracks->lanes[at - 1];
		if (lane->end_ns > start_ns)
			continue;
		lane->end_ns = end_ns;
		*id = lane->id;
		return 0;
	}
	/* One more behind the last. */
	if (lane)
		lane->next = tracks->lane_count + 1;
	else
		status = map_set(&tracks->rows, key, tracks->lane_count + 1);
	if (status || array_reserve(&tracks->lanes, &tracks->lane_capacity, tracks->lane_count + 1,
				    sizeof(*tracks->lanes)))
		return -ENOMEM;
	tracks->lanes[tracks->lane_count++] =
		(struct track_lane){.id = ++tracks->last_id, .end_ns = end_ns};
	*id = tracks->last_id;
	return 1;
}

void tracks_free(struct tracks *tracks)
{
	map_free(&tracks->known);
	map_free(&tracks->rows);
	free(tracks->lanes);
	memset(tracks, 0, sizeof(*tracks));
}
