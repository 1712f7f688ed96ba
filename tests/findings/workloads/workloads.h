/* SPDX-License-Identifier: MIT */
/* Programs as people write them, each with one fault, planted or repaired, and some with none.
 * Whoever wrote them had not read the rules that they are judged by.
 *
 *	workloads NAME [repaired | N]
 *
 * What is computed goes to standard output, so that a program and its repaired twin can be
 * compared.
 */
#ifndef TESTS_FINDINGS_WORKLOADS_H
#define TESTS_FINDINGS_WORKLOADS_H

#include "../app/app.h"

/* X(name) */
#define WORKLOADS(X)        \
	X(jacobi_sweeps)    \
	X(lu_panels)        \
	X(bfs_flag)         \
	X(streams_settle)   \
	X(hash_crack)       \
	X(market_feed)      \
	X(mandel_flag)      \
	X(kmeans_centres)   \
	X(spool_chunks)     \
	X(encode_queue)     \
	X(effect_chain)     \
	X(spectra_batch)    \
	X(life_rows)        \
	X(video_frames)     \
	X(twin_solvers)     \
	X(pricing_books)    \
	X(align_tiles)      \
	X(two_cameras)      \
	X(order_records)    \
	X(sparse_rows)      \
	X(fft_transpose)    \
	X(agents_patch)     \
	X(matrix_columns)   \
	X(pyramid_levels)   \
	X(halo_swap)        \
	X(conv_weights)     \
	X(lens_table)       \
	X(mc_payoffs)       \
	X(ray_focus)        \
	X(thumb_checks)     \
	X(request_server)   \
	X(formula_jit)      \
	X(cg_scratch)       \
	X(genome_queries)   \
	X(bitonic_stages)   \
	X(radix_sessions)   \
	X(telemetry_stream) \
	X(tile_server)      \
	X(odd_tiles)        \
	X(relay_abort)      \
	X(parser_pool)      \
	X(two_tenants)      \
	X(index_beside)     \
	X(mesh_points)      \
	X(raymarch_pixels)  \
	X(energy_sum)       \
	X(histogram_merge)  \
	X(clean_cg)         \
	X(clean_video)      \
	X(clean_bfs)        \
	X(clean_parameters) \
	X(clean_camera)     \
	X(clean_progress)   \
	X(clean_stages)     \
	X(clean_patch)      \
	X(clean_growth)     \
	X(clean_relay)      \
	X(clean_light_notes)

#define X(name) void workload_##name(struct app *w);
WORKLOADS(X)
#undef X

/* Listed apart: it binds itself before a driver is loaded. */
void workload_pinned_start(struct app *w);
void pinned_start_early(bool repaired);

/* Floats that look like something, of a seed. */
float *new_field(size_t count, unsigned seed);
/* As much arithmetic on the host, whatever the values are. */
void host_work(float *data, size_t count, int rounds);

#endif
