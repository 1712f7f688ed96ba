/* SPDX-License-Identifier: MIT */
/* Programs that findings are judged by, the seventh set: one fault each, some of them layers away
 * from where it is felt, and some programs that only look wrong.
 */
#ifndef TESTS_FINDINGS_DRILLS_H
#define TESTS_FINDINGS_DRILLS_H

#include "../app/app.h"

#include <stdint.h>
#include <sys/types.h>

/* X(name) */
#define DRILLS(X)           \
	X(kv_commits)       \
	X(ray_profile)      \
	X(bicg_norm)        \
	X(mixer_params)     \
	X(render_farm)      \
	X(capture_flag)     \
	X(nbody_snapshots)  \
	X(mesh_feed)        \
	X(slow_logger)      \
	X(lazy_filters)     \
	X(bfs_frontier)     \
	X(genome_rows)      \
	X(late_flush)       \
	X(gather_gate)      \
	X(transcode)        \
	X(channel_barriers) \
	X(task_tail)        \
	X(stage_ring)       \
	X(particle_spawn)   \
	X(halo_columns)     \
	X(packet_header)    \
	X(stage_vectors)    \
	X(reference_frame)  \
	X(gamma_table)      \
	X(bucket_offsets)   \
	X(probe_points)     \
	X(callback_parse)   \
	X(native_thumbs)    \
	X(rule_engine)      \
	X(kernel_zoo)       \
	X(request_scratch)  \
	X(svm_steps)        \
	X(op_queues)        \
	X(tile_views)       \
	X(odd_width)        \
	X(scan_group)       \
	X(codec_probe)      \
	X(bad_packets)      \
	X(event_hoard)      \
	X(session_leak)     \
	X(plugin_kernels)   \
	X(standby_replica)  \
	X(thumb_context)    \
	X(pinned_pool)      \
	X(clean_cg)         \
	X(clean_exposure)   \
	X(clean_inflight)   \
	X(clean_multigrid)  \
	X(clean_tenants)    \
	X(clean_arena)      \
	X(clean_signals)    \
	X(clean_pingpong)   \
	X(clean_modules)    \
	X(clean_bands)      \
	X(clean_source)     \
	X(clean_fallback)   \
	X(clean_gate)       \
	X(clean_lanes)

#define X(name) void drill_##name(struct app *app);
DRILLS(X)
#undef X

/* What mesh_feed and clean_source start, and what standby_replica does. */
void drill_mesh_source(struct app *app);
void drill_replica(struct app *app);

/* Source of a kernel name(v, rounds), of a few operations for each number. Its first one is never
 * the same again. */
#define SWEEP(name)                                           \
	"kernel void " name "(global float *v, int rounds)\n" \
	"{\n"                                                 \
	"	size_t i = get_global_id(0);\n"                     \
	"	float x = i ? v[i] : v[i] + 1;\n"                   \
	"	for (int r = 0; r < rounds; r++)\n"                 \
	"		x = i ? x * 0.9375f + 0.03125f : x;\n"             \
	"	v[i] = x;\n"                                        \
	"}\n"

cl_command_queue loose_queue(const struct app *app);
cl_mem filled(const struct app *app, size_t bytes, unsigned seed);
/* Parts of a buffer; neither waits. */
void put_piece(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes,
	       const void *data);
void get_piece(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, void *data);
cl_event user_event(const struct app *app);

/* This program again, with pipes to its standard input and from its standard output where these
 * are not NULL. */
pid_t self_start(const struct app *app, const char *name, int *in, int *out);
void self_end(pid_t process);
void read_all(int file, void *data, size_t bytes);

#endif
