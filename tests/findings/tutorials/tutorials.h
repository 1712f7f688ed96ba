/* SPDX-License-Identifier: MIT */
/* Small OpenCL applications of many fields that findings are judged by: one fault each, as
 * reviewers meet it, and some programs in which nobody would change anything.
 */
#ifndef TESTS_FINDINGS_TUTORIALS_H
#define TESTS_FINDINGS_TUTORIALS_H

#include "../app/app.h"

#include <stdint.h>

/* X(name) */
#define TUTORIALS(X)      \
	X(mri_coils)      \
	X(unsharp)        \
	X(cloth_steps)    \
	X(lens_table)     \
	X(token_rows)     \
	X(mosaic)         \
	X(column_decode)  \
	X(where_clauses)  \
	X(call_windows)   \
	X(ray_spheres)    \
	X(sand_piles)     \
	X(film_grain)     \
	X(gene_tree)      \
	X(credit_paths)   \
	X(clean_tuning)   \
	X(clean_ring)     \
	X(clean_octaves)  \
	X(clean_variants) \
	X(clean_graph)    \
	X(clean_desk)     \
	X(clean_ticks)

#define X(name) void tutorial_##name(struct app *app);
TUTORIALS(X)
#undef X

/* Source of a kernel name(in, out, rounds) that makes other numbers of each number. */
#define STIR(name)                                                                      \
	"kernel void " name "(global const float *in, global float *out, int rounds)\n" \
	"{\n"                                                                           \
	"	size_t i = get_global_id(0);\n"                                               \
	"	uint s = as_uint(in[i]) ^ (uint)i;\n"                                         \
	"	for (int r = 0; r < rounds; r++) {\n"                                         \
	"		s ^= s << 13;\n"                                                             \
	"		s ^= s >> 17;\n"                                                             \
	"		s ^= s << 5;\n"                                                              \
	"	}\n"                                                                          \
	"	out[i] = (float)(s >> 9) / 8388608.0f;\n"                                     \
	"}\n"

/* A buffer with so many numbers in it. */
cl_mem loaded(const struct app *app, size_t count, unsigned seed);
/* Of all numbers of a buffer; waits for what the queue has. */
double sum_of(const struct app *app, cl_mem buffer, size_t count);

#endif
