/* SPDX-License-Identifier: MIT */
/* Programs that findings are judged by, written when the rules were done, by somebody who had not
 * read them: each fault in a structure that a real program has.
 */
#ifndef TESTS_FINDINGS_FINALS_H
#define TESTS_FINDINGS_FINALS_H

#include "../app/app.h"

#include <stdint.h>

/* X(name) */
#define FINALS(X)           \
	X(jacobi_sweeps)    \
	X(network_layers)   \
	X(cg_residual)      \
	X(field_setters)    \
	X(render_polls)     \
	X(progress_bar)     \
	X(ring_spin)        \
	X(stage_spin)       \
	X(option_batches)   \
	X(tile_encoder)     \
	X(decoder_pipe)     \
	X(catalogue_lock)   \
	X(image_views)      \
	X(bitonic_passes)   \
	X(graph_walk)       \
	X(recorded_batch)   \
	X(late_submit)      \
	X(log_callback)     \
	X(native_pack)      \
	X(video_queue)      \
	X(ensemble_members) \
	X(tile_barriers)    \
	X(task_chain)       \
	X(staging_turns)    \
	X(stencil_marker)   \
	X(bond_rows)        \
	X(match_reads)      \
	X(column_halo)      \
	X(packet_payload)   \
	X(filter_stages)    \
	X(checkpoint_copy)  \
	X(model_weights)    \
	X(window_table)     \
	X(field_norm)       \
	X(smooth_steps)     \
	X(dictionary_slot)  \
	X(request_build)    \
	X(session_builds)   \
	X(stencil_variants) \
	X(frame_scratch)    \
	X(image_scratch)    \
	X(client_contexts)  \
	X(call_kernels)     \
	X(filter_groups)    \
	X(column_groups)    \
	X(histogram_group)  \
	X(fast_build)       \
	X(rejected_frames)  \
	X(timing_events)    \
	X(session_buffers)  \
	X(operator_kernels) \
	X(hot_standby)      \
	X(live_preview)     \
	X(worker_cpus)      \
	X(log_packers)      \
	X(clean_newton)     \
	X(clean_video)      \
	X(clean_server)     \
	X(clean_operators)  \
	X(clean_epochs)     \
	X(clean_pool)       \
	X(clean_movie)      \
	X(clean_stages)     \
	X(clean_callbacks)  \
	X(clean_halves)     \
	X(clean_filter)     \
	X(clean_workers)

#define X(name) void final_##name(struct app *app);
FINALS(X)
#undef X

/* What hot_standby starts. */
void final_standby(struct app *app);

/* Source of a kernel name(v, n): n rounds for each number, which stay from 0 to 1; some 16
 * operations a round, exact in every shape of launch. */
#define MIX(name)                                                                    \
	"kernel void " name "(global float *v, int n)\n"                             \
	"{\n"                                                                        \
	"	size_t i = get_global_id(0);\n"                                            \
	"	uint16 h = (uint16)(2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43,\n" \
	"			    47, 53) * 0x9e3779b9u + (as_uint(v[i]) ^ (uint)i);\n"                \
	"	for (int r = 0; r < n; r++)\n"                                             \
	"		h = (h ^ (h >> 13)) * 0x5bd1e995u + (uint)r;\n"                           \
	"	uint8 a = h.lo ^ h.hi;\n"                                                  \
	"	uint4 b = a.lo + a.hi;\n"                                                  \
	"	uint2 c = b.lo ^ b.hi;\n"                                                  \
	"	v[i] = (float)((c.x + c.y) >> 8) * (1.0f / 16777216);\n"                   \
	"}\n"

/* A buffer with what the host has. */
cl_mem loaded(const struct app *app, size_t bytes, const void *data);
/* Parts of buffers; neither waits. */
void put_part(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, const void *data);
void get_part(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, void *data);
/* Runs what is enqueued, without waiting for it, then releases the event. */
void forget(cl_event event);
cl_command_queue unordered_queue(const struct app *app);
/* Numbers that a sum over a file may be made of. */
uint32_t checksum(const void *data, size_t bytes);

#endif
