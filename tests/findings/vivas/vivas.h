/* SPDX-License-Identifier: MIT */
/* Programs that findings are judged by: one fault each, as engineers meet them, and some programs
 * that have none and only look like it.
 */
#ifndef TESTS_FINDINGS_VIVAS_H
#define TESTS_FINDINGS_VIVAS_H

#include "../app/app.h"

#include <stdint.h>

/* X(name) */
#define VIVAS(X)          \
	X(debug_checks)   \
	X(rate_poll)      \
	X(spray_count)    \
	X(credit_window)  \
	X(digest_frames)  \
	X(panes_flush)    \
	X(island_sync)    \
	X(word_list)      \
	X(option_book)    \
	X(channel_box)    \
	X(wave_history)   \
	X(empty_hooks)    \
	X(shown_slice)    \
	X(packet_payload) \
	X(radar_fences)   \
	X(shard_timeline) \
	X(trace_slot)     \
	X(camera_queue)   \
	X(sheet_rows)     \
	X(lone_hash)      \
	X(one_tribe)      \
	X(tile_compile)   \
	X(lazy_levels)    \
	X(frame_scratch)  \
	X(draw_objects)   \
	X(group_fallback) \
	X(trace_events)   \
	X(client_queues)  \
	X(thumb_callback) \
	X(decoder_cores)  \
	X(spin_gate)      \
	X(clean_bisect)   \
	X(clean_ring)     \
	X(clean_refine)   \
	X(clean_variants) \
	X(clean_writer)   \
	X(clean_window)   \
	X(clean_phases)   \
	X(clean_services) \
	X(clean_tuner)

#define X(name) void viva_##name(struct app *app);
VIVAS(X)
#undef X

/* Source of a kernel name(v, rounds): so many steps of arithmetic for each number, which never come
 * to rest. */
#define FIELD(name)                                           \
	"kernel void " name "(global float *v, int rounds)\n" \
	"{\n"                                                 \
	"	size_t i = get_global_id(0);\n"                     \
	"	uint u = as_uint(v[i]);\n"                          \
	"	for (int r = 0; r < rounds; r++)\n"                 \
	"		u = (u ^ (u >> 7)) * 1664525u + 1013904223u;\n"    \
	"	v[i] = (float)(u >> 8) / 16777216.0f;\n"            \
	"}\n"

cl_command_queue loose_queue(const struct app *app);
/* A buffer with contents. */
cl_mem seeded(const struct app *app, size_t bytes, unsigned seed);
/* Parts of a buffer; neither waits. */
void put_part(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, const void *data);
void get_part(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, void *data);

#endif
