/* SPDX-License-Identifier: MIT */
/* Programs that findings are judged by: one fault each, as a consultant meets it who goes from team
 * to team and looks at their OpenCL code, and some programs that have none and only look like it.
 */
#ifndef TESTS_FINDINGS_SURVEYS_H
#define TESTS_FINDINGS_SURVEYS_H

#include "../app/app.h"

/* X(name) */
#define SURVEYS(X)         \
	X(aquifer_sor)     \
	X(page_rank)       \
	X(option_book)     \
	X(quote_desk)      \
	X(clip_decode)     \
	X(shot_stack)      \
	X(checkpoint_pipe) \
	X(exposure_run)    \
	X(lidar_sweeps)    \
	X(audio_helpers)   \
	X(mlp_serving)     \
	X(terrain_view)    \
	X(motion_mask)     \
	X(doc_search)      \
	X(arm_poses)       \
	X(slide_window)    \
	X(duct_inflow)     \
	X(blur_requests)   \
	X(dtype_table)     \
	X(flow_scratch)    \
	X(map_tiles)       \
	X(convolve_call)   \
	X(ligand_energy)   \
	X(ledger_sum)      \
	X(radar_blocks)    \
	X(strip_views)     \
	X(clean_search)    \
	X(clean_camera)    \
	X(clean_feed)      \
	X(clean_formats)   \
	X(clean_pool)      \
	X(clean_desk)      \
	X(clean_stages)    \
	X(clean_climate)

#define X(name) void survey_##name(struct app *app);
SURVEYS(X)
#undef X

/* A buffer that has so many numbers in it. */
cl_mem numbers(const struct app *app, size_t count, unsigned seed);
/* Reads so many numbers, and adds them up. */
double sum_of(const struct app *app, cl_mem buffer, size_t count);

#endif
