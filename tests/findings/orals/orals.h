/* SPDX-License-Identifier: MIT */
/* Programs that findings are judged by, written by somebody who had not read the rules: moves of
 * data, objects, builds, shapes of launches, errors and leaks.
 */
#ifndef TESTS_FINDINGS_ORALS_H
#define TESTS_FINDINGS_ORALS_H

#include "../app/app.h"

#include <stdint.h>

/* X(name) */
#define ORALS(X)           \
	X(quote_board)     \
	X(limiter_pass)    \
	X(wave_levels)     \
	X(grade_table)     \
	X(atom_log)        \
	X(circuit_links)   \
	X(route_variants)  \
	X(sort_scratch)    \
	X(shade_rows)      \
	X(probe_builds)    \
	X(tenant_programs) \
	X(clean_tracker)   \
	X(clean_windows)   \
	X(clean_formulas)  \
	X(clean_mapped)    \
	X(clean_two_queues)

#define X(name) void oral_##name(struct app *app);
ORALS(X)
#undef X

/* Source of a kernel name(v, n): n rounds of integer arithmetic for each number. */
#define STIR(name)                                                                    \
	"kernel void " name "(global float *v, int n)\n"                              \
	"{\n"                                                                         \
	"	size_t i = get_global_id(0);\n"                                             \
	"	uint8 h = (uint8)(3, 7, 13, 19, 29, 37, 43, 53) * 0x85ebca6bu + (uint)i;\n" \
	"	h ^= as_uint(v[i]);\n"                                                      \
	"	for (int r = 0; r < n; r++)\n"                                              \
	"		h = (h ^ (h >> 15)) * 0x2c1b3c6du + (uint)r;\n"                            \
	"	uint4 a = h.lo ^ h.hi;\n"                                                   \
	"	uint2 b = a.lo + a.hi;\n"                                                   \
	"	v[i] = (float)((b.x ^ b.y) >> 8) * (1.0f / 16777216);\n"                    \
	"}\n"

/* Parts of buffers; neither waits. */
void put_part(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, const void *data);
void get_part(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, void *data);

#endif
