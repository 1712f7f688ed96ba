/* SPDX-License-Identifier: MIT */
/* Programs that findings are judged by and that nobody looked at while rules were written. Whoever
 * wrote them knew no rule.
 */
#ifndef TESTS_FINDINGS_TRIALS_H
#define TESTS_FINDINGS_TRIALS_H

#include "../app/app.h"

/* X(name) */
#define TRIALS(X)           \
	X(gauss_pivots)     \
	X(layer_times)      \
	X(tile_status)      \
	X(graph_inputs)     \
	X(flag_callback)    \
	X(prime_cells)      \
	X(lone_groups)      \
	X(column_stats)     \
	X(glyph_launches)   \
	X(patch_buffers)    \
	X(pyramid_images)   \
	X(svm_batches)      \
	X(operator_kernels) \
	X(file_contexts)    \
	X(trace_events)     \
	X(early_exit)       \
	X(light_fields)     \
	X(packet_payload)   \
	X(column_halo)      \
	X(score_map)        \
	X(batch_weights)    \
	X(step_swap)        \
	X(clip_home)        \
	X(ring_maps)        \
	X(stream_builds)    \
	X(sigma_options)    \
	X(loader_build)     \
	X(phase_build)      \
	X(tile_barriers)    \
	X(line_chain)       \
	X(join_markers)     \
	X(upload_gate)      \
	X(three_models)     \
	X(late_flush)       \
	X(frame_turns)      \
	X(chunk_file)       \
	X(augment_epochs)   \
	X(slot_queue)       \
	X(log_lock)         \
	X(progress_spin)    \
	X(pinned_driver)    \
	X(shadow_process)   \
	X(zip_callback)     \
	X(native_grain)     \
	X(stale_argument)   \
	X(greedy_scratch)   \
	X(clean_krylov)     \
	X(clean_ingest)     \
	X(clean_phases)     \
	X(clean_wavefront)  \
	X(clean_arena)      \
	X(clean_border)     \
	X(clean_lanes)      \
	X(clean_signal)     \
	X(clean_descent)    \
	X(clean_canvas)     \
	X(clean_tail)       \
	X(clean_watchdog)

#define X(name) void trial_##name(struct app *app);
TRIALS(X)
#undef X

void pinned_driver_early(bool repaired);
/* What shadow_process starts. */
void trial_shadow(struct app *app);

/* Source of a kernel name(v, rounds) that makes numbers from 0 to 1 of v's, never the same ones
 * twice. It keeps a device busy, whether or not its driver finds vectors by itself, and is exact in
 * every shape of launch. */
#define MIX(name)                                                               \
	"kernel void " name "(global float *v, int rounds)\n"                   \
	"{\n"                                                                   \
	"	size_t i = get_global_id(0);\n"                                       \
	"	uint16 x = (uint16)(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25,\n" \
	"			   27, 29, 31) * (as_uint(v[i]) + (uint)i * 0x9e3779b9u + 1u);\n"   \
	"	for (int r = 0; r < rounds; r++) {\n"                                 \
	"		x ^= x << 13;\n"                                                     \
	"		x ^= x >> 17;\n"                                                     \
	"		x ^= x << 5;\n"                                                      \
	"	}\n"                                                                  \
	"	uint8 a = x.lo ^ x.hi;\n"                                             \
	"	uint4 b = a.lo ^ a.hi;\n"                                             \
	"	uint2 c = b.lo ^ b.hi;\n"                                             \
	"	v[i] = (float)((c.x ^ c.y) >> 8) * (1.0f / 16777216);\n"              \
	"}\n"

/* A kernel of several dimensions, or at an offset. */
void run_at(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
	    const size_t *global, const size_t *local);
/* Blocks until so many bytes from there are read. */
void get_from(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, void *data);
cl_mem sub_new(cl_mem buffer, size_t offset, size_t bytes);
cl_command_queue loose_queue(const struct app *app);

#endif
