/* SPDX-License-Identifier: MIT */
/* Programs that findings are judged by, the last to be written: as people write them, with servers,
 * wrappers, plugins and pipelines. Whoever wrote them knew no rule.
 */
#ifndef TESTS_FINDINGS_EXAMS_H
#define TESTS_FINDINGS_EXAMS_H

#include "../app/app.h"

/* X(name) */
#define EXAMS(X)             \
	X(verlet_stages)     \
	X(shader_uniforms)   \
	X(handle_drop)       \
	X(reactor_ticks)     \
	X(backtest_poll)     \
	X(ticket_spin)       \
	X(csr_rows)          \
	X(panorama_strip)    \
	X(rgb_groups)        \
	X(noise_levels)      \
	X(csv_fields)        \
	X(batched_gemm)      \
	X(path_results)      \
	X(octree_nodes)      \
	X(particle_lanes)    \
	X(arena_frames)      \
	X(fallback_op)       \
	X(plugin_bus)        \
	X(newton_structure)  \
	X(calibration_reads) \
	X(frame_preview)     \
	X(lidar_crop)        \
	X(scan_scratch)      \
	X(slice_images)      \
	X(bvh_svm)           \
	X(kernel_set)        \
	X(wrapper_assign)    \
	X(callback_events)   \
	X(shape_cache)       \
	X(worker_programs)   \
	X(unused_kernels)    \
	X(layer_variants)    \
	X(lazy_handlers)     \
	X(graph_levels)      \
	X(outstanding_list)  \
	X(ct_slices)         \
	X(risk_desks)        \
	X(duplex_turns)      \
	X(order_book)        \
	X(writer_flush)      \
	X(tick_parse)        \
	X(elite_sort)        \
	X(remote_frames)     \
	X(turn_naps)         \
	X(device_queries)    \
	X(quantile_callback) \
	X(dash_threads)      \
	X(spawned_pin)       \
	X(health_probe)      \
	X(speculative_tiles) \
	X(tuner_sizes)       \
	X(cancelled_jobs)    \
	X(clean_beam)        \
	X(clean_dialects)    \
	X(clean_tables)      \
	X(clean_readback)    \
	X(clean_desk)        \
	X(clean_sensor)      \
	X(clean_sessions)    \
	X(clean_journal)     \
	X(clean_diamond)     \
	X(clean_pins)        \
	X(clean_sorter)      \
	X(clean_handoff)     \
	X(clean_compact)     \
	X(clean_staging)

#define X(name) void exam_##name(struct app *app);
EXAMS(X)
#undef X

void spawned_pin_early(bool repaired);
/* What spawned_pin, health_probe and clean_handoff start. */
void exam_pin_half(struct app *app);
void exam_probe(struct app *app);
void exam_second_shift(struct app *app);

/* Source of a kernel name(v, rounds) that makes of each number another one from 0 to 1, exact in
 * every shape of launch. */
#define STIR(name)                                                                  \
	"kernel void " name "(global float *v, int rounds)\n"                       \
	"{\n"                                                                       \
	"	size_t i = get_global_id(0);\n"                                           \
	"	uint16 s = (uint16)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,\n" \
	"			    16) * 0x85ebca6bu ^ (as_uint(v[i]) + (uint)i);\n"                   \
	"	for (int r = 0; r < rounds; r++)\n"                                       \
	"		s = (s ^ (s >> 15)) * 0x2c1b3c6du + (uint)r;\n"                          \
	"	uint8 t = s.lo + s.hi;\n"                                                 \
	"	uint4 u = t.lo ^ t.hi;\n"                                                 \
	"	uint2 w = u.lo + u.hi;\n"                                                 \
	"	v[i] = (float)((w.x ^ w.y) >> 9) * (1.0f / 8388608);\n"                   \
	"}\n"

/* A kernel of several dimensions, or at an offset. */
void launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
	    const size_t *global, const size_t *local);
/* Parts of a buffer; what is put is not waited for, what is got is. */
void put_at(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, const void *data);
void get_at(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, void *data);
/* A queue that keeps no order. */
cl_command_queue loose_queue(const struct app *app);
/* Another program of this set, as a process of its own, whose answer nobody reads; it reads from
 * in, unless that is negative. */
int process_start(const struct app *app, const char *name, const char *word, int in);
void process_end(int process);

#endif
