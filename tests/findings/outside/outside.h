/* SPDX-License-Identifier: MIT */
/* More programs with one fault each, planted or repaired, and programs with none, by somebody who
 * has not read the rules: what `tandem findings` is scored by, as ../corpus. Most have work around
 * the fault, or several threads, queues or phases.
 *
 *	outside NAME [repaired | N]
 */
#ifndef TESTS_FINDINGS_OUTSIDE_H
#define TESTS_FINDINGS_OUTSIDE_H

#include "../app/app.h"

/* X(name) */
#define OUTSIDE(X)             \
	X(poll_ring)           \
	X(gate_late)           \
	X(debug_finish)        \
	X(locked_wait)         \
	X(throttle)            \
	X(timed_each)          \
	X(late_flush)          \
	X(groups_apart)        \
	X(lane_events)         \
	X(log_callback)        \
	X(pinned_pair)         \
	X(preview_beside)      \
	X(compacted_prime)     \
	X(odd_local)           \
	X(last_group)          \
	X(bins_each)           \
	X(scratch_each)        \
	X(cache_leaks)         \
	X(history_events)      \
	X(filter_objects)      \
	X(plugin_builds)       \
	X(build_stamp)         \
	X(options_each)        \
	X(lost_errors)         \
	X(scalars_each)        \
	X(probe_field)         \
	X(lens_table)          \
	X(map_records)         \
	X(ring_by_host)        \
	X(passes_home)         \
	X(one_queue_frames)    \
	X(records_each)        \
	X(host_dot)            \
	X(clean_pipelined)     \
	X(clean_workers)       \
	X(clean_graph)         \
	X(clean_chained)       \
	X(clean_single)        \
	X(clean_solver)        \
	X(clean_filters)       \
	X(clean_mapped_stream) \
	X(clean_prefix_sum)    \
	X(clean_handover)

#define X(name) void outside_##name(struct app *app);
OUTSIDE(X)
#undef X

/* NULL in *event: nothing; sets it to NULL. */
void free_event(cl_event *event);
/* As much arithmetic over data, on the host, whatever the time is. */
void crunch(float *data, size_t count, int rounds);

#endif
