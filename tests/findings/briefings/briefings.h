/* SPDX-License-Identifier: MIT */
/* Programs that findings are judged by: one fault each, as it is met when the OpenCL code of many
 * teams is reviewed, and some programs that have none and only look like it.
 */
#ifndef TESTS_FINDINGS_BRIEFINGS_H
#define TESTS_FINDINGS_BRIEFINGS_H

#include "../app/app.h"

#include <stdint.h>

/* X(name) */
#define BRIEFINGS(X)    \
	X(tide_gauges)  \
	X(gathers)      \
	X(box_sort)     \
	X(panel_flow)   \
	X(dirty_map)    \
	X(invoices)     \
	X(fisheye)      \
	X(orbit_bands)  \
	X(planetarium)  \
	X(terrain)      \
	X(queries)      \
	X(slicer)       \
	X(mass_scans)   \
	X(meters)       \
	X(clean_heat)   \
	X(clean_mosaic) \
	X(clean_ticks)  \
	X(clean_fades)  \
	X(clean_census) \
	X(clean_clinic) \
	X(clean_signal)

#define X(name) void briefing_##name(struct app *app);
BRIEFINGS(X)
#undef X

/* Bytes of a next picture, number by number another one. */
void picture(uint8_t *pixels, size_t count, int number);

/* A buffer that has these numbers in it. */
cl_mem loaded(const struct app *app, size_t bytes, const void *data);

#endif
