/* SPDX-License-Identifier: MIT */
/* Programs that findings are judged by: one fault each, as it is met when the OpenCL code of many
 * teams is reviewed, and some programs that have none and only look like it.
 */
#ifndef TESTS_FINDINGS_HEARINGS_H
#define TESTS_FINDINGS_HEARINGS_H

#include "../app/app.h"

/* X(name) */
#define HEARINGS(X)       \
	X(comic_pages)    \
	X(gem_frames)     \
	X(ring_rows)      \
	X(quake_decode)   \
	X(heart_stream)   \
	X(sky_peaks)      \
	X(mail_scores)    \
	X(tax_returns)    \
	X(lottery_draws)  \
	X(fish_scenarios) \
	X(swarm_steps)    \
	X(pipe_network)   \
	X(crumb_scratch)  \
	X(robot_routes)   \
	X(oven_zones)     \
	X(clean_album)    \
	X(clean_gain)     \
	X(clean_monitor)  \
	X(clean_ledger)   \
	X(clean_variants) \
	X(clean_shoal)    \
	X(clean_swarm)    \
	X(clean_depot)

#define X(name) void hearing_##name(struct app *app);
HEARINGS(X)
#undef X

/* A buffer that has so many numbers in it. */
cl_mem loaded(const struct app *app, size_t count, unsigned seed);
/* What the buffer has in it, added up. */
double summed(const struct app *app, cl_mem buffer, size_t count);

#endif
