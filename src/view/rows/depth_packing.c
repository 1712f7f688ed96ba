#include "view/rows/depth_packing.h"

int view_lanes_pick(struct view_lanes *lanes, struct view_builder *builder, int64_t begin_ns,
		    int64_t end_ns, struct view_writer **track)
{
	unsigned lane = 0;
	int status = 0;

	while (lane < lanes->count && lanes->ends_ns[lane] > begin_ns)
		lane++;
	if (lane == LANES_MOST)
		lane = LANES_MOST - 1;
	if (lane == lanes->count) {
		status = view_builder_track(builder, lanes->row, VIEW_TRACK_spans,
					    &lanes->tracks[lane]);
		if (status)
			return status;
		lanes->tracks[lane]->refs_kind = VIEW_REFS_command;
		lanes->tracks[lane]->again = lanes->again;
		lanes->ends_ns[lanes->count++] = INT64_MIN;
	}
	/* Instants side by side need no lane of their own. */
	if (end_ns > lanes->ends_ns[lane])
		lanes->ends_ns[lane] = end_ns;
	*track = lanes->tracks[lane];
	return 0;
}
