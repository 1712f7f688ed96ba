/* SPDX-License-Identifier: MIT */
/* Programs that findings are judged by: services, forecasts, tables and media of many teams, each
 * with one fault as an audit of its OpenCL code meets it, and some with nothing to mend.
 */
#ifndef TESTS_FINDINGS_AUDITS_H
#define TESTS_FINDINGS_AUDITS_H

#include "../app/app.h"

#include <stdint.h>

/* X(name) */
#define AUDITS(X)         \
	X(storm_cells)    \
	X(swath_tiles)    \
	X(region_days)    \
	X(master_bus)     \
	X(speech_windows) \
	X(tax_batches)    \
	X(bid_workers)    \
	X(glyph_pages)    \
	X(line_search)    \
	X(chunk_digests)  \
	X(road_queries)   \
	X(rate_tables)    \
	X(layer_paths)    \
	X(taste_best)     \
	X(clean_members)  \
	X(clean_depths)   \
	X(clean_atlas)    \
	X(clean_meter)    \
	X(clean_strips)   \
	X(clean_ledger)   \
	X(clean_gavel)

#define X(name) void audit_##name(struct app *app);
AUDITS(X)
#undef X

/* A buffer that has so many numbers in it. */
cl_mem loaded(const struct app *app, size_t count, unsigned seed);

/* A buffer of zeros. */
cl_mem zeroed(const struct app *app, size_t bytes);

#endif
