/* SPDX-License-Identifier: MIT */
/* Programs that findings are judged by, the tenth set: one fault each, in programs of several
 * fields, and some programs that only look wrong.
 */
#ifndef TESTS_FINDINGS_ESSAYS_H
#define TESTS_FINDINGS_ESSAYS_H

#include "../app/app.h"

/* X(name) */
#define ESSAYS(X)         \
	X(tide_norm)      \
	X(vol_surface)    \
	X(subtitles)      \
	X(grade_line)     \
	X(scan_viewer)    \
	X(tape_plates)    \
	X(word_tables)    \
	X(log_lines)      \
	X(route_server)   \
	X(sensor_stats)   \
	X(filter_nodes)   \
	X(plane_copies)   \
	X(track_mix)      \
	X(clean_player)   \
	X(clean_behind)   \
	X(clean_slots)    \
	X(clean_variants) \
	X(clean_quotes)   \
	X(clean_levels)

#define X(name) void essay_##name(struct app *app);
ESSAYS(X)
#undef X

/* Source of a kernel name(v, rounds), of a few operations for each number. Its first one is never
 * the same again. */
#define SWEEP(name)                                           \
	"kernel void " name "(global float *v, int rounds)\n" \
	"{\n"                                                 \
	"	size_t i = get_global_id(0);\n"                     \
	"	float x = i ? v[i] : v[i] + 1;\n"                   \
	"	for (int r = 0; r < rounds; r++)\n"                 \
	"		x = i ? x * 0.9375f + 0.03125f : x;\n"             \
	"	v[i] = x;\n"                                        \
	"}\n"

cl_mem filled(const struct app *app, size_t bytes, unsigned seed);
/* Part of a buffer; does not wait. */
void put_piece(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes,
	       const void *data);

#endif
