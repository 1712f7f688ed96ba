/* SPDX-License-Identifier: MIT */
/* Programs as people write them, each with one fault, planted or repaired, and some with none.
 * Whoever wrote them had not read the rules that they are judged by.
 *
 *	workloads NAME [repaired | N]
 *
 * What is computed goes to standard output, so that a program and its repaired twin can be
 * compared.
 */
#ifndef TESTS_FINDINGS_WORKLOADS_H
#define TESTS_FINDINGS_WORKLOADS_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

enum { KIB = 1024, MIB = 1024 * KIB };

struct workload {
	bool repaired;
	const char *self, *word; /* the program's path, its second argument */
	cl_device_id device;
	cl_context context;
	cl_command_queue queue; /* in order */
};

/* X(name) */
#define WORKLOADS(X)        \
	X(jacobi_sweeps)    \
	X(lu_panels)        \
	X(bfs_flag)         \
	X(streams_settle)   \
	X(hash_crack)       \
	X(market_feed)      \
	X(mandel_flag)      \
	X(kmeans_centres)   \
	X(spool_chunks)     \
	X(encode_queue)     \
	X(effect_chain)     \
	X(spectra_batch)    \
	X(life_rows)        \
	X(video_frames)     \
	X(twin_solvers)     \
	X(pricing_books)    \
	X(align_tiles)      \
	X(two_cameras)      \
	X(order_records)    \
	X(sparse_rows)      \
	X(fft_transpose)    \
	X(agents_patch)     \
	X(matrix_columns)   \
	X(pyramid_levels)   \
	X(halo_swap)        \
	X(conv_weights)     \
	X(lens_table)       \
	X(mc_payoffs)       \
	X(ray_focus)        \
	X(thumb_checks)     \
	X(request_server)   \
	X(formula_jit)      \
	X(cg_scratch)       \
	X(genome_queries)   \
	X(bitonic_stages)   \
	X(radix_sessions)   \
	X(telemetry_stream) \
	X(tile_server)      \
	X(odd_tiles)        \
	X(relay_abort)      \
	X(pinned_start)     \
	X(parser_pool)      \
	X(two_tenants)      \
	X(index_beside)     \
	X(mesh_points)      \
	X(raymarch_pixels)  \
	X(energy_sum)       \
	X(histogram_merge)  \
	X(clean_cg)         \
	X(clean_video)      \
	X(clean_bfs)        \
	X(clean_parameters) \
	X(clean_camera)     \
	X(clean_progress)   \
	X(clean_stages)     \
	X(clean_patch)      \
	X(clean_growth)     \
	X(clean_relay)      \
	X(clean_light_notes)

#define X(name) void workload_##name(struct workload *w);
WORKLOADS(X)
#undef X

/* Runs before the driver is loaded. */
void pinned_start_early(bool repaired);

/* Ends the program unless status is CL_SUCCESS. */
void check(cl_int status, const char *call);

cl_context new_context(const struct workload *w);
cl_program build(const struct workload *w, const char *source, const char *options);
cl_kernel kernel_in(cl_program program, const char *name);
cl_kernel compile(const struct workload *w, const char *source, const char *name);
cl_command_queue new_queue(const struct workload *w, cl_command_queue_properties properties);
cl_mem new_buffer(const struct workload *w, size_t bytes);
void drop_buffer(cl_mem buffer);
void drop_kernel(cl_kernel kernel);
void drop_program(cl_program program);
void drop_queue(cl_command_queue queue);
void drop_event(cl_event event);

/* All arguments of a kernel: b a buffer, i an int, f a double as float, l local bytes as size_t. */
void give(cl_kernel kernel, const char *types, ...);

/* Local 0: the driver's choice. */
void launch(cl_command_queue queue, cl_kernel kernel, size_t items, size_t local);
void launch_plane(cl_command_queue queue, cl_kernel kernel, size_t width, size_t height,
		  size_t local_width, size_t local_height);
void launch_after(cl_command_queue queue, cl_kernel kernel, size_t items, size_t local,
		  cl_uint count, const cl_event *waits, cl_event *event);
void upload(cl_command_queue queue, cl_mem buffer, size_t bytes, const void *data);
void upload_now(cl_command_queue queue, cl_mem buffer, size_t bytes, const void *data);
void download(cl_command_queue queue, cl_mem buffer, size_t bytes, void *data);
void flush(cl_command_queue queue);
void finish(cl_command_queue queue);

/* Floats that look like something, of a seed. */
float *new_field(size_t count, unsigned seed);
/* As much arithmetic on the host, whatever the values are. */
void host_work(float *data, size_t count, int rounds);
double sum_of(const float *data, size_t count);
void report(double result);
void nap_us(long microseconds);
/* main(&argument) in so many threads, until all have ended. */
void in_threads(int count, void *(*main)(void *), void *arguments, size_t bytes_each);

#endif
