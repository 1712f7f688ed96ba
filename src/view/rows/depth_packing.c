/* SPDX-License-Identifier: MIT */
#include "view/rows/depth_packing.h"

int depth_packing_pick(struct depth_packing *packing, struct index_writer *writer, int64_t begin_ns,
		       int64_t end_ns, struct track_writer **track)
{
	unsigned depth = 0;
	int status = 0;

	while (depth < packing->count && packing->ends_ns[depth] > begin_ns)
		depth++;
	if (depth == DEPTHS_MOST)
		depth = DEPTHS_MOST - 1;
	if (depth == packing->count) {
		status = index_writer_track(writer, packing->row, VIEW_TRACK_spans,
					    &packing->tracks[depth]);
		if (status)
			return status;
		packing->tracks[depth]->refs_kind =
			packing->refs ? packing->refs : VIEW_REFS_command;
		packing->tracks[depth]->again = packing->again;
		packing->ends_ns[packing->count++] = INT64_MIN;
	}
	/* Instants side by side need no depth of their own. */
	if (end_ns > packing->ends_ns[depth])
		packing->ends_ns[depth] = end_ns;
	*track = packing->tracks[depth];
	return 0;
}
