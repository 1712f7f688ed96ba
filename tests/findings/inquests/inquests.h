/* SPDX-License-Identifier: MIT */
/* Programs that findings are judged by: small applications of many fields with one fault each, as
 * reviewers meet it, and some that have none and only look like it.
 */
#ifndef TESTS_FINDINGS_INQUESTS_H
#define TESTS_FINDINGS_INQUESTS_H

#include "../app/app.h"

#include <stdint.h>

/* X(name) */
#define INQUESTS(X)      \
	X(star_stack)    \
	X(delay_chain)   \
	X(log_lines)     \
	X(hit_counts)    \
	X(code_pack)     \
	X(wall_mix)      \
	X(cone_filter)   \
	X(claim_batches) \
	X(growth_rules)  \
	X(shot_model)    \
	X(squad_think)   \
	X(season_table)  \
	X(cipher_pack)   \
	X(island_flow)   \
	X(clean_orbits)  \
	X(clean_boards)  \
	X(clean_cameras) \
	X(clean_scanner) \
	X(clean_yield)   \
	X(clean_strata)  \
	X(clean_keys)

#define X(name) void inquest_##name(struct app *app);
INQUESTS(X)
#undef X

/* A buffer that has so many numbers in it. */
cl_mem filled(const struct app *app, size_t count, unsigned seed);
/* So many bytes of text: words of small letters. */
unsigned char *text_new(size_t bytes, unsigned seed);

#endif
