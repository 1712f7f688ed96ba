/* SPDX-License-Identifier: MIT */
/* Programs that findings are judged by: small applications of many fields, each with one fault
 * that a competent engineer makes, and some that have none.
 */
#ifndef TESTS_FINDINGS_DEBATES_H
#define TESTS_FINDINGS_DEBATES_H

#include "../app/app.h"

/* X(name) */
#define DEBATES(X)        \
	X(surge_model)    \
	X(detector_rows)  \
	X(shop_search)    \
	X(arrival_picker) \
	X(fruit_sorter)   \
	X(cell_stain)     \
	X(stereo_rig)     \
	X(pressure_taps)  \
	X(terrain_shade)  \
	X(storm_tiles)    \
	X(rover_packets)  \
	X(photon_tally)   \
	X(clean_contact)  \
	X(clean_spool)    \
	X(clean_tickets)  \
	X(clean_lattice)  \
	X(clean_mosaic)   \
	X(clean_crystal)

#define X(name) void debate_##name(struct app *app);
DEBATES(X)
#undef X

/* Kernel name(in, out, rounds): mixes the bits of each sample so many times. */
#define MIX(name)                                                                       \
	"kernel void " name "(global const float *in, global float *out, int rounds)\n" \
	"{\n"                                                                           \
	"	size_t i = get_global_id(0);\n"                                               \
	"	uint u = as_uint(in[i]) ^ (uint)i;\n"                                         \
	"	for (int r = 0; r < rounds; r++)\n"                                           \
	"		u = (u ^ (u >> 11)) * 2246822519u + 374761393u;\n"                           \
	"	out[i] = (float)(u >> 16);\n"                                                 \
	"}\n"

/* A buffer with so many numbers of the seed's in it. */
cl_mem loaded(const struct app *app, size_t count, unsigned seed);

#endif
