/* SPDX-License-Identifier: MIT */
/* Programs that findings are judged by: small applications of many fields, as one meets them when
 * teams show the OpenCL code that they have, and some that have nothing to be changed.
 */
#ifndef TESTS_FINDINGS_INTERVIEWS_H
#define TESTS_FINDINGS_INTERVIEWS_H

#include "../app/app.h"

#include <stdint.h>

/* X(name) */
#define INTERVIEWS(X)      \
	X(ice_sheet)       \
	X(signal_box)      \
	X(soap_film)       \
	X(till_rolls)      \
	X(heart_leads)     \
	X(ballot_count)    \
	X(drone_show)      \
	X(hologram)        \
	X(route_map)       \
	X(ridge_angles)    \
	X(camera_rig)      \
	X(bell_strikes)    \
	X(radar_bulletin)  \
	X(puppet_theatre)  \
	X(clean_reverb)    \
	X(clean_grinds)    \
	X(clean_letters)   \
	X(clean_lidar)     \
	X(clean_auction)   \
	X(clean_wavefront) \
	X(clean_board_game)

#define X(name) void interview_##name(struct app *app);
INTERVIEWS(X)
#undef X

/* Kernel name(in, out, turns, key) that mixes each word so many times; whole numbers only, so that
 * the result is the same with any work-groups. */
#define MIX(name)                                                                             \
	"kernel void " name "(global const uint *in, global uint *out, int turns, int key)\n" \
	"{\n"                                                                                 \
	"	size_t i = get_global_id(0);\n"                                                     \
	"	uint w = in[i] ^ ((uint)i * 747796405u + (uint)key);\n"                             \
	"	for (int t = 0; t < turns; t++)\n"                                                  \
	"		w = (w ^ (w >> 11)) * 2246822519u + 3266489917u;\n"                                \
	"	out[i] = w;\n"                                                                      \
	"}\n"

/* As many words, the same ones for a seed. */
uint32_t *words_new(size_t count, uint32_t seed);
/* A buffer that has such words. */
cl_mem words_buffer(const struct app *app, size_t count, uint32_t seed);
double words_sum(const uint32_t *words, size_t count);

#endif
