/* SPDX-License-Identifier: MIT */
/* Programs that findings are judged by: one fault each, as engineers meet them, and some programs
 * that have none and only look like it.
 */
#ifndef TESTS_FINDINGS_SITTINGS_H
#define TESTS_FINDINGS_SITTINGS_H

#include "../app/app.h"

#include <stdint.h>

/* X(name) */
#define SITTINGS(X)         \
	X(tide_residual)    \
	X(align_reads)      \
	X(delta_merge)      \
	X(grade_looks)      \
	X(robot_map)        \
	X(effect_rack)      \
	X(quote_models)     \
	X(blend_weights)    \
	X(request_watchdog) \
	X(film_dust)        \
	X(timed_scopes)     \
	X(log_match)        \
	X(sweep_mailbox)    \
	X(sector_barriers)  \
	X(clean_march)      \
	X(clean_camera)     \
	X(clean_stages)     \
	X(clean_feed)       \
	X(clean_chain)      \
	X(clean_documents)  \
	X(clean_progress)

#define X(name) void sitting_##name(struct app *app);
SITTINGS(X)
#undef X

/* A buffer with contents. */
cl_mem seeded(const struct app *app, size_t bytes, unsigned seed);
/* Parts of a buffer; neither waits. */
void put_part(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, const void *data);
void get_part(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, void *data);

#endif
