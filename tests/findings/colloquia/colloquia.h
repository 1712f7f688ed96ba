/* SPDX-License-Identifier: MIT */
/* Programs that findings are judged by: one fault each, as it comes about in code of several
 * fields, and some programs that have none and only look like it.
 */
#ifndef TESTS_FINDINGS_COLLOQUIA_H
#define TESTS_FINDINGS_COLLOQUIA_H

#include "../app/app.h"

#include <stdint.h>

/* X(name) */
#define COLLOQUIA(X)      \
	X(photon_count)   \
	X(tape_deck)      \
	X(scene_build)    \
	X(filter_bank)    \
	X(late_flush)     \
	X(slice_stream)   \
	X(scene_tiles)    \
	X(tracker_slots)  \
	X(staging_turns)  \
	X(halo_face)      \
	X(arena_frames)   \
	X(shard_merge)    \
	X(pick_depth)     \
	X(journal_hook)   \
	X(shader_pack)    \
	X(scratch_levels) \
	X(prime_width)    \
	X(one_group)      \
	X(infer_cache)    \
	X(core_pin)       \
	X(clean_adaptive) \
	X(clean_frames)   \
	X(clean_build)    \
	X(clean_pipe)     \
	X(clean_fence)    \
	X(clean_pool)     \
	X(clean_signal)   \
	X(clean_chain)

#define X(name) void colloquium_##name(struct app *app);
COLLOQUIA(X)
#undef X

void early_tape_deck(bool repaired);

/* Source of a kernel name(v, rounds): so many steps of integer arithmetic for each number. */
#define STIR(name)                                            \
	"kernel void " name "(global uint *v, int rounds)\n"  \
	"{\n"                                                 \
	"	size_t i = get_global_id(0);\n"                     \
	"	uint u = v[i] + (uint)i;\n"                         \
	"	for (int r = 0; r < rounds; r++)\n"                 \
	"		u = (u ^ (u >> 9)) * 22695477u + 1u + (u << 3);\n" \
	"	v[i] = u;\n"                                        \
	"}\n"

cl_command_queue loose_queue(const struct app *app);
/* A buffer with contents. */
cl_mem filled(const struct app *app, size_t bytes, unsigned seed);
/* Without a wait, and without an event unless one is asked for. */
void write_at(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, const void *data,
	      cl_event *event);
void read_at(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, void *data,
	     cl_event *event);
void read_now(cl_command_queue queue, cl_mem buffer, size_t bytes, void *data);

#endif
