/* SPDX-License-Identifier: MIT */
/* Programs that findings are judged by: small applications of many fields, one fault each, as it
 * is met in code review, and some programs that have none.
 */
#ifndef TESTS_FINDINGS_REVIEWS_H
#define TESTS_FINDINGS_REVIEWS_H

#include "../app/app.h"

#include <stdint.h>

/* X(name) */
#define REVIEWS(X)         \
	X(wing_lift)       \
	X(dock_ligands)    \
	X(heart_cells)     \
	X(hearing_aid)     \
	X(margin_book)     \
	X(strike_ladder)   \
	X(slide_scan)      \
	X(xray_series)     \
	X(restore_volume)  \
	X(video_denoise)   \
	X(sky_transform)   \
	X(query_filters)   \
	X(document_search) \
	X(archive_readers) \
	X(clean_radar)     \
	X(clean_anneal)    \
	X(clean_sessions)  \
	X(clean_variants)  \
	X(clean_wavefront) \
	X(clean_studio)    \
	X(clean_mapped)

#define X(name) void review_##name(struct app *app);
REVIEWS(X)
#undef X

/* Functions for kernels: mix() hashes a number n times, unit() makes it a fraction. */
#define MIX                                                     \
	"uint mix(uint u, int n)\n"                             \
	"{\n"                                                   \
	"	for (int k = 0; k < n; k++)\n"                        \
	"		u = (u ^ (u >> 7)) * 1540483477u + 97u * (uint)k;\n" \
	"	return u;\n"                                          \
	"}\n"                                                   \
	"float unit(uint u)\n"                                  \
	"{\n"                                                   \
	"	return (float)(u >> 8) / 16777216.0f;\n"              \
	"}\n"

/* Kernel name(in, out, rounds): out[i] from in[i]. */
#define EACH(name)                                                                      \
	"kernel void " name "(global const float *in, global float *out, int rounds)\n" \
	"{\n"                                                                           \
	"	size_t i = get_global_id(0);\n"                                               \
	"	out[i] = unit(mix(as_uint(in[i]) + (uint)i, rounds));\n"                      \
	"}\n"

/* Kernel name(in, out, count): out[i] is the largest of the count numbers of its own in in. */
#define LARGEST(name)                                                                  \
	"kernel void " name "(global const float *in, global float *out, int count)\n" \
	"{\n"                                                                          \
	"	size_t i = get_global_id(0);\n"                                              \
	"	global const float *mine = in + i * (size_t)count;\n"                        \
	"	float most = mine[0];\n"                                                     \
	"	for (int k = 1; k < count; k++)\n"                                           \
	"		most = mine[k] > most ? mine[k] : most;\n"                                  \
	"	out[i] = most;\n"                                                            \
	"}\n"

/* Writes a part of a buffer that begins at a byte. */
void put_at(cl_command_queue queue, cl_mem buffer, size_t at, size_t bytes, const void *data);
/* The largest of the numbers. */
float largest(const float *data, size_t count);

#endif
