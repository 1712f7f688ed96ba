/* SPDX-License-Identifier: MIT */
/* Programs of everyday make, each with one fault, planted or repaired, and some with none. Whoever
 * wrote them had not read the rules that they are judged by.
 *
 *	practice NAME [repaired]
 *
 * The result goes to standard output, and is the same with the fault and without it.
 */
#ifndef TESTS_FINDINGS_PRACTICE_H
#define TESTS_FINDINGS_PRACTICE_H

#include "../app/app.h"

/* X(name) */
#define APPS(X)            \
	X(wave_guard)      \
	X(quad_recursive)  \
	X(history_wait)    \
	X(marker_fence)    \
	X(desk_supervisor) \
	X(stamp_poll)      \
	X(dither_noise)    \
	X(table_startup)   \
	X(viewer_pipe)     \
	X(diary_lock)      \
	X(mailbox_depth)   \
	X(lens_polish)     \
	X(species_launch)  \
	X(tree_leaves)     \
	X(ring_turns)      \
	X(burst_tail)      \
	X(slab_volume)     \
	X(strip_scan)      \
	X(region_barriers) \
	X(parcel_barriers) \
	X(trial_chain)     \
	X(atlas_gate)      \
	X(port_turns)      \
	X(synth_knobs)     \
	X(ledger_maps)     \
	X(volume_face)     \
	X(edge_cells)      \
	X(archive_places)  \
	X(sprite_atlas)    \
	X(mask_version)    \
	X(voice_shapes)    \
	X(cube_window)     \
	X(hit_list)        \
	X(filter_chain)    \
	X(player_builds)   \
	X(tap_variants)    \
	X(rule_book)       \
	X(tone_scratch)    \
	X(clerk_desks)     \
	X(svm_messages)    \
	X(tool_box)        \
	X(heap_windows)    \
	X(job_events)      \
	X(overlay_images)  \
	X(fill_pattern)    \
	X(feeder_cpus)     \
	X(relay_spin)      \
	X(film_preview)    \
	X(bank_audit)      \
	X(note_callback)   \
	X(native_seal)     \
	X(row_norms)       \
	X(census_group)    \
	X(pair_groups)     \
	X(cube_groups)     \
	X(clean_bisect)    \
	X(clean_packets)   \
	X(clean_sizes)     \
	X(clean_duet)      \
	X(clean_pulses)    \
	X(clean_tides)     \
	X(clean_clay)      \
	X(clean_tills)     \
	X(clean_bell)      \
	X(clean_diggers)   \
	X(clean_buoy)      \
	X(clean_screen)

#define X(name) void app_##name(struct app *app);
APPS(X)
#undef X

/* Listed apart: it forks before a driver is loaded. */
void app_archive_children(struct app *app);
void archive_children_early(bool repaired);
/* What the program runs as a second process. */
void app_sibling_run(struct app *app);

#endif
