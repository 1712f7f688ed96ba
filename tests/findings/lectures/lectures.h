/* SPDX-License-Identifier: MIT */
/* Programs that findings are judged by: one fault each, as it is met when the OpenCL code of many
 * teams is reviewed, and some programs that have none and only look like it.
 */
#ifndef TESTS_FINDINGS_LECTURES_H
#define TESTS_FINDINGS_LECTURES_H

#include "../app/app.h"

#include <stdint.h>

/* X(name) */
#define LECTURES(X)       \
	X(relax_check)    \
	X(read_parse)     \
	X(status_sink)    \
	X(trace_filter)   \
	X(halo_swap)      \
	X(layer_bind)     \
	X(align_score)    \
	X(scanlines)      \
	X(node_graph)     \
	X(clip_convert)   \
	X(stage_fence)    \
	X(worker_builds)  \
	X(request_memory) \
	X(job_tick)       \
	X(result_hook)    \
	X(prime_width)    \
	X(one_block)      \
	X(stage_times)    \
	X(clean_descent)  \
	X(clean_stepper)  \
	X(clean_feed)     \
	X(clean_once)     \
	X(clean_belt)     \
	X(clean_pyramid)  \
	X(clean_join)

#define X(name) void lecture_##name(struct app *app);
LECTURES(X)
#undef X

/* Kernel name(in, out, rounds) that hashes each number so many times; the numbers never come to
 * rest. */
#define MAP(name)                                                                       \
	"kernel void " name "(global const float *in, global float *out, int rounds)\n" \
	"{\n"                                                                           \
	"	size_t i = get_global_id(0);\n"                                               \
	"	uint u = as_uint(in[i]) + (uint)i;\n"                                         \
	"	for (int r = 0; r < rounds; r++)\n"                                           \
	"		u = (u ^ (u >> 9)) * 2654435761u + 40503u;\n"                                \
	"	out[i] = (float)(u >> 8) / 16777216.0f;\n"                                    \
	"}\n"

/* A buffer that has so many numbers in it. */
cl_mem filled(const struct app *app, size_t count, unsigned seed);

#endif
