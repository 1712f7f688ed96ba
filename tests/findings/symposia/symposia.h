/* SPDX-License-Identifier: MIT */
/* Programs that findings are judged by: one fault each, in an application of some field, and some
 * programs that have none and only look like it.
 */
#ifndef TESTS_FINDINGS_SYMPOSIA_H
#define TESTS_FINDINGS_SYMPOSIA_H

#include "../app/app.h"

#include <stdint.h>

/* X(name) */
#define SYMPOSIA(X)       \
	X(seismic_steps)  \
	X(loss_log)       \
	X(cavity_walls)   \
	X(tile_styles)    \
	X(query_scratch)  \
	X(snapshot_ack)   \
	X(catalog_rank)   \
	X(stage_relay)    \
	X(volume_slice)   \
	X(grade_frames)   \
	X(filter_tile)    \
	X(codebook_batch) \
	X(lidar_rows)     \
	X(beam_poll)      \
	X(lattice_price)  \
	X(profile_scores) \
	X(clean_vcycle)   \
	X(clean_stream)   \
	X(clean_variants) \
	X(clean_desk)     \
	X(clean_anneal)   \
	X(clean_tree)     \
	X(clean_mapped)

#define X(name) void symposium_##name(struct app *app);
SYMPOSIA(X)
#undef X

/* A buffer that has so many numbers in it. */
cl_mem stocked(const struct app *app, size_t count, unsigned seed);
/* The sum of so many numbers that a buffer begins with. */
double summed(const struct app *app, cl_mem buffer, size_t count);

#endif
