/* SPDX-License-Identifier: MIT */
/* Programs of everyday make, each with one fault, planted or repaired, and some with none. Whoever
 * wrote them had not read the rules that they are judged by.
 *
 *	practice NAME [repaired]
 *
 * The result goes to standard output, and is the same with the fault and without it.
 */
#ifndef TESTS_FINDINGS_PRACTICE_H
#define TESTS_FINDINGS_PRACTICE_H

#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

enum { KIB = 1024, MIB = 1024 * KIB };

struct app {
	bool repaired;
	const char *self; /* the program's path */
	cl_device_id device;
	cl_context context;
	cl_command_queue queue; /* in order */
};

/* X(name) */
#define APPS(X)             \
	X(wave_guard)       \
	X(quad_recursive)   \
	X(history_wait)     \
	X(marker_fence)     \
	X(desk_supervisor)  \
	X(stamp_poll)       \
	X(dither_noise)     \
	X(table_startup)    \
	X(viewer_pipe)      \
	X(diary_lock)       \
	X(mailbox_depth)    \
	X(lens_polish)      \
	X(species_launch)   \
	X(tree_leaves)      \
	X(ring_turns)       \
	X(burst_tail)       \
	X(slab_volume)      \
	X(strip_scan)       \
	X(region_barriers)  \
	X(parcel_barriers)  \
	X(trial_chain)      \
	X(atlas_gate)       \
	X(port_turns)       \
	X(synth_knobs)      \
	X(ledger_maps)      \
	X(volume_face)      \
	X(edge_cells)       \
	X(archive_places)   \
	X(sprite_atlas)     \
	X(mask_version)     \
	X(voice_shapes)     \
	X(cube_window)      \
	X(hit_list)         \
	X(filter_chain)     \
	X(player_builds)    \
	X(tap_variants)     \
	X(rule_book)        \
	X(tone_scratch)     \
	X(clerk_desks)      \
	X(svm_messages)     \
	X(tool_box)         \
	X(heap_windows)     \
	X(job_events)       \
	X(overlay_images)   \
	X(fill_pattern)     \
	X(feeder_cpus)      \
	X(archive_children) \
	X(relay_spin)       \
	X(film_preview)     \
	X(bank_audit)       \
	X(note_callback)    \
	X(native_seal)      \
	X(row_norms)        \
	X(census_group)     \
	X(pair_groups)      \
	X(cube_groups)      \
	X(clean_bisect)     \
	X(clean_packets)    \
	X(clean_sizes)      \
	X(clean_duet)       \
	X(clean_pulses)     \
	X(clean_tides)      \
	X(clean_clay)       \
	X(clean_tills)      \
	X(clean_bell)       \
	X(clean_diggers)    \
	X(clean_buoy)       \
	X(clean_screen)

#define X(name) void app_##name(struct app *app);
APPS(X)
#undef X

/* Runs before a driver is loaded. */
void archive_children_early(bool repaired);
/* What the program runs as a second process. */
void app_sibling_run(struct app *app);

/* Ends the program unless status is CL_SUCCESS. */
void must(cl_int status, const char *call);
#define TRY(call) must(call, #call)

/* Source of a kernel name(v, rounds) that keeps a device busy, whether or not its driver finds
 * vectors by itself. */
#define CHAIN(name)                                            \
	"kernel void " name "(global float *v, int rounds)\n"  \
	"{\n"                                                  \
	"	size_t i = get_global_id(0);\n"                      \
	"	if (!i)\n"                                           \
	"		v[0] += 1; /* the rest comes to rest */\n"          \
	"	if (!i)\n"                                           \
	"		return;\n"                                          \
	"	float16 a = (float16)(0, 1, 2, 3, 4, 5, 6, 7,\n"     \
	"			      8, 9, 10, 11, 12, 13, 14, 15);\n"            \
	"	a = a * 0.0625f + v[i];\n"                           \
	"	float16 b = a * 0.5f, c = b * 0.5f, d = c * 0.5f;\n" \
	"	for (int r = 0; r < rounds; r++) {\n"                \
	"		a = a * 0.9375f + 0.03125f;\n"                      \
	"		b = b * 0.9375f + 0.03125f;\n"                      \
	"		c = c * 0.9375f + 0.03125f;\n"                      \
	"		d = d * 0.9375f + 0.03125f;\n"                      \
	"	}\n"                                                 \
	"	a += b + c + d;\n"                                   \
	"	float8 e = a.lo + a.hi;\n"                           \
	"	float4 f = e.lo + e.hi;\n"                           \
	"	v[i] = (f.x + f.y + f.z + f.w) / 64;\n"              \
	"}\n"

cl_command_queue queue_new(const struct app *app, cl_command_queue_properties properties);
cl_mem buffer_new(const struct app *app, size_t bytes);
cl_program program_new(const struct app *app, const char *source, const char *options);
cl_kernel kernel_new(cl_program program, const char *name);
cl_kernel kernel_of(const struct app *app, const char *source, const char *name);

/* All arguments of a kernel: b a buffer or image, i an int, f a double as float, l local bytes. */
void args(cl_kernel kernel, const char *types, ...);

/* Local 0: the driver's choice. */
void run(cl_command_queue queue, cl_kernel kernel, size_t items, size_t local);
cl_event run_after(cl_command_queue queue, cl_kernel kernel, size_t items, size_t local,
		   cl_uint count, const cl_event *waits);
void put(cl_command_queue queue, cl_mem buffer, size_t bytes, const void *data);
void put_now(cl_command_queue queue, cl_mem buffer, size_t bytes, const void *data);
cl_event put_after(cl_command_queue queue, cl_mem buffer, size_t bytes, const void *data,
		   cl_uint count, const cl_event *waits);
void get(cl_command_queue queue, cl_mem buffer, size_t bytes, void *data);
cl_event get_after(cl_command_queue queue, cl_mem buffer, size_t bytes, void *data, cl_uint count,
		   const cl_event *waits);
void flush(cl_command_queue queue);
void finish(cl_command_queue queue);
/* Waits for the event, and releases it. */
void settle(cl_event event);

#define DROP(object)                                       \
	must(_Generic((object), cl_mem                     \
		      : clReleaseMemObject, cl_kernel      \
		      : clReleaseKernel, cl_program        \
		      : clReleaseProgram, cl_event         \
		      : clReleaseEvent, cl_context         \
		      : clReleaseContext, cl_command_queue \
		      : clReleaseCommandQueue)(object),    \
	     "release")

void *memory(size_t bytes);
float *floats(size_t count, unsigned seed);
/* New values for all of it, as a next file or a next packet has them. */
void refill(float *data, size_t count, int number);
double total(const float *data, size_t count);
/* So much arithmetic, by the calling thread. */
void busy(float *data, size_t count, int rounds);
void nap(long microseconds);
void answer(double result);
/* main(&each) in so many threads, until all have ended. */
void threads_run(int count, void *(*thread)(void *), void *each, size_t bytes);

#endif
