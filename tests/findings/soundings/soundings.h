/* SPDX-License-Identifier: MIT */
/* Programs that findings are judged by: one fault each, as it is met when the OpenCL code of many
 * teams is reviewed, and some programs that have none and only look like it.
 */
#ifndef TESTS_FINDINGS_SOUNDINGS_H
#define TESTS_FINDINGS_SOUNDINGS_H

#include "../app/app.h"

#include <stdint.h>

/* X(name, what it does before a driver is loaded or NULL) */
#define SOUNDINGS(X)                  \
	X(seepage, NULL)              \
	X(crystal, NULL)              \
	X(bucket_counts, NULL)        \
	X(stations, NULL)             \
	X(filter_stack, NULL)         \
	X(colour_grade, NULL)         \
	X(watermarks, NULL)           \
	X(packets, NULL)              \
	X(fraud_scores, NULL)         \
	X(beams, NULL)                \
	X(telemetry, NULL)            \
	X(canvas_copy, NULL)          \
	X(zero_bins, NULL)            \
	X(odd_rows, NULL)             \
	X(tile_images, NULL)          \
	X(late_gate, NULL)            \
	X(crc_hook, NULL)             \
	X(fence_bins, NULL)           \
	X(spin_flag, NULL)            \
	X(plugin_contexts, NULL)      \
	X(file_jobs, file_jobs_early) \
	X(early_pin, early_pin_early) \
	X(clean_cooling, NULL)        \
	X(clean_capture, NULL)        \
	X(clean_pool, NULL)           \
	X(clean_growth, NULL)         \
	X(clean_variants, NULL)       \
	X(clean_chain, NULL)          \
	X(clean_diamond, NULL)        \
	X(clean_post, NULL)

#define X(name, early) void sounding_##name(struct app *app);
SOUNDINGS(X)
#undef X

void file_jobs_early(bool repaired);
void early_pin_early(bool repaired);

/* A buffer that has so many numbers in it. */
cl_mem filled(const struct app *app, size_t count, unsigned seed);

/* What the first numbers of a buffer add up to, once all before it has run. */
double sum_of(const struct app *app, cl_mem buffer, size_t count);

/* Kernel name(in, out, rounds): a number's hash, so many times over. */
#define DIGEST(name)                                                                    \
	"kernel void " name "(global const float *in, global float *out, int rounds)\n" \
	"{\n"                                                                           \
	"	size_t i = get_global_id(0);\n"                                               \
	"	uint u = as_uint(in[i]) + (uint)i;\n"                                         \
	"	for (int r = 0; r < rounds; r++)\n"                                           \
	"		u = (u ^ (u >> 11)) * 2246822519u + 374761393u;\n"                           \
	"	out[i] = (float)(u >> 8) / 16777216.0f;\n"                                    \
	"}\n"

#endif
