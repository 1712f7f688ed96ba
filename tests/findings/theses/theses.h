/* SPDX-License-Identifier: MIT */
/* Programs of many fields that findings are judged by: one fault each, and some that have none and
 * only look like it.
 */
#ifndef TESTS_FINDINGS_THESES_H
#define TESTS_FINDINGS_THESES_H

#include "../app/app.h"

#include <stdint.h>

/* X(name) */
#define THESES(X)           \
	X(avatar_pose)      \
	X(grade_stages)     \
	X(plume_monitor)    \
	X(quote_surface)    \
	X(stage_times)      \
	X(tenant_quiesce)   \
	X(print_spooler)    \
	X(mix_meters)       \
	X(bedside_monitor)  \
	X(survey_pyramid)   \
	X(scope_preview)    \
	X(rpc_handlers)     \
	X(track_follow)     \
	X(noise_layers)     \
	X(half_variants)    \
	X(damaged_frames)   \
	X(subtitle_cues)    \
	X(strip_scan)       \
	X(clean_search)     \
	X(clean_uploads)    \
	X(clean_catalogue)  \
	X(clean_decoder)    \
	X(clean_orbits)     \
	X(clean_checkpoint) \
	X(clean_receipts)

#define X(name) void thesis_##name(struct app *app);
THESES(X)
#undef X

/* Source of a kernel name(v, rounds): steps of arithmetic that never come to rest. */
#define SPIN(name)                                            \
	"kernel void " name "(global float *v, int rounds)\n" \
	"{\n"                                                 \
	"	size_t i = get_global_id(0);\n"                     \
	"	uint u = as_uint(v[i]) + (uint)i;\n"                \
	"	for (int r = 0; r < rounds; r++)\n"                 \
	"		u = (u ^ (u >> 9)) * 747796405u + 2891336453u;\n"  \
	"	v[i] = (float)(u >> 8) / 16777216.0f;\n"            \
	"}\n"

/* The same of what stands elsewhere, a table and parameters. */
#define BLEND(name)                                                                   \
	"kernel void " name "(global const float *table, global const float *with,\n" \
	"		   global float *out, int rounds)\n"                                       \
	"{\n"                                                                         \
	"	size_t i = get_global_id(0);\n"                                             \
	"	uint u = as_uint(table[i]) ^ as_uint(with[i % 64]);\n"                      \
	"	for (int r = 0; r < rounds; r++)\n"                                         \
	"		u = (u ^ (u >> 9)) * 747796405u + 2891336453u;\n"                          \
	"	out[i] = (float)(u >> 8) / 16777216.0f;\n"                                  \
	"}\n"

void put_at(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, const void *data);
/* Waits for the data. */
void get_at(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, void *data);
/* Of zeros. */
cl_mem blank(const struct app *app, size_t bytes);

#endif
