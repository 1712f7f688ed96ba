/* SPDX-License-Identifier: MIT */
/* Programs that findings are judged by: the common faults, each in two or three clothes of the API
 * (sub-buffers, images, mapped and shared memory, callbacks, linked programs ...), and some that
 * have none.
 */
#ifndef TESTS_FINDINGS_FITTINGS_H
#define TESTS_FINDINGS_FITTINGS_H

#include "../app/app.h"

/* X(name) */
#define FITTINGS(X)       \
	X(mosaic_tiles)   \
	X(ledger_days)    \
	X(mixer_tracks)   \
	X(lidar_sweeps)   \
	X(anneal_sweeps)  \
	X(atlas_glyphs)   \
	X(window_rows)    \
	X(dose_beams)     \
	X(lens_tables)    \
	X(batch_weights)  \
	X(relay_stages)   \
	X(spike_inject)   \
	X(shift_history)  \
	X(frame_layers)   \
	X(gather_scratch) \
	X(request_sorts)  \
	X(radius_options) \
	X(material_link)  \
	X(chunk_queue)    \
	X(node_layers)    \
	X(twin_chains)    \
	X(split_halves)   \
	X(decode_frames)  \
	X(tile_fetch)     \
	X(order_desk)     \
	X(encode_hook)    \
	X(column_sums)    \
	X(row_launches)   \
	X(clean_workers)  \
	X(clean_native)   \
	X(clean_binary)   \
	X(clean_timed)    \
	X(clean_halves)   \
	X(clean_clones)   \
	X(clean_gate)     \
	X(clean_blocks)

#define X(name) void fitting_##name(struct app *app);
FITTINGS(X)
#undef X

void early_workers(bool repaired);

/* Kernel name(from, to, rounds) that stirs each number so many times; they never come to rest. */
#define STIR(name)                                                                       \
	"kernel void " name "(global const float *from, global float *to, int rounds)\n" \
	"{\n"                                                                            \
	"	size_t i = get_global_id(0);\n"                                                \
	"	uint u = (as_uint(from[i]) ^ (uint)i * 2246822519u) | 1;\n"                    \
	"	for (int r = 0; r < rounds; r++) {\n"                                          \
	"		u ^= u << 13;\n"                                                              \
	"		u ^= u >> 17;\n"                                                              \
	"		u ^= u << 5;\n"                                                               \
	"	}\n"                                                                           \
	"	to[i] = (float)(u >> 12) / 1048576.0f;\n"                                      \
	"}\n"

/* A buffer that has so many numbers in it. */
cl_mem seeded(const struct app *app, size_t count, unsigned seed);
/* Sum of a buffer's numbers. */
double sum_of(cl_command_queue queue, cl_mem buffer, size_t count);
/* Image of one float a pixel; depth or layers 0: it has none. */
cl_mem image_new(const struct app *app, size_t width, size_t height, size_t depth, size_t layers);

#endif
