/* SPDX-License-Identifier: MIT */
/* Programs that findings are judged by: code as teams bring it to a review, one fault each, and some
 * that have none and only look like it.
 */
#ifndef TESTS_FINDINGS_PANELS_H
#define TESTS_FINDINGS_PANELS_H

#include "../app/app.h"

#include <stdint.h>

/* X(name) */
#define PANELS(X)          \
	X(cfl_step)        \
	X(halo_staging)    \
	X(receiver_traces) \
	X(pressure_export) \
	X(csr_pattern)     \
	X(energy_group)    \
	X(subtitle_burn)   \
	X(slab_filter)     \
	X(wav_records)     \
	X(pass_graph)      \
	X(material_table)  \
	X(dose_plan)       \
	X(presenter)       \
	X(tile_fetch)      \
	X(farm_tick)       \
	X(seal_chunks)     \
	X(rule_compile)    \
	X(arena_hazards)   \
	X(viterbi_reads)   \
	X(smooth_api)      \
	X(matrix_temps)    \
	X(fft_plans)       \
	X(half_variant)    \
	X(stage_times)     \
	X(line_match)      \
	X(clean_newton)    \
	X(clean_triple)    \
	X(clean_camera)    \
	X(clean_diamond)   \
	X(clean_dialogue)  \
	X(clean_batches)   \
	X(clean_ladder)

#define X(name) void panel_##name(struct app *app);
PANELS(X)
#undef X

/* Work for devices that compute: v[i] goes through so many rounds of a generator. */
#define ROUNDS(name)                                          \
	"kernel void " name "(global float *v, int rounds)\n" \
	"{\n"                                                 \
	"	size_t i = get_global_id(0);\n"                     \
	"	uint u = as_uint(v[i]);\n"                          \
	"	for (int r = 0; r < rounds; r++)\n"                 \
	"		u = (u ^ (u >> 5)) * 22695477u + 1u;\n"            \
	"	v[i] = (float)(u >> 9) / 8388608.0f;\n"             \
	"}\n"

/* A buffer that holds data. */
cl_mem filled(const struct app *app, size_t bytes, unsigned seed);
void put_at(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, const void *data);
void get_at(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, void *data);

#endif
