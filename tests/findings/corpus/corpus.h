/* SPDX-License-Identifier: MIT */
/* Programs with one fault each, planted or repaired, and programs with none: what
 * `tandem findings` is scored by (bench/run findings). table.json says what is to be found
 * in each.
 *
 *	corpus NAME [repaired | N]
 *
 * A failing call ends the program with status 1.
 */
#ifndef TESTS_FINDINGS_CORPUS_H
#define TESTS_FINDINGS_CORPUS_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

enum { corpus_items = 1 << 16 };

struct corpus {
	bool repaired;
	int number;	  /* the second argument, where it is one */
	const char *self; /* path of the program */
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_kernel kernel; /* work(float *data, int rounds) */
	cl_mem buffer;	  /* of corpus_items floats */
};

/* X(name) */
#define CORPUS(X)              \
	X(wait_each)           \
	X(wait_event_each)     \
	X(wait_callback)       \
	X(wait_elsewhere)      \
	X(wait_nothing)        \
	X(poll)                \
	X(host_between)        \
	X(sleep_between)       \
	X(unflushed)           \
	X(small_writes)        \
	X(small_reads)         \
	X(bounce)              \
	X(copy_by_host)        \
	X(copy_by_threads)     \
	X(upload_again)        \
	X(window_again)        \
	X(window_by_host)      \
	X(read_each)           \
	X(read_all)            \
	X(build_again)         \
	X(build_in_contexts)   \
	X(build_first)         \
	X(build_rates)         \
	X(allocate_in_loop)    \
	X(allocate_sizes)      \
	X(replaced_buffer)     \
	X(upload_to_new)       \
	X(rows_of_one_size)    \
	X(lone_items)          \
	X(nap_each)            \
	X(host_on_results)     \
	X(queue_in_loop)       \
	X(kernel_in_loop)      \
	X(events_leaked)       \
	X(events_unnamed)      \
	X(buffers_leaked)      \
	X(prime_size)          \
	X(group_of_one)        \
	X(callback_heavy)      \
	X(barriers)            \
	X(event_chain)         \
	X(shared_input)        \
	X(contexts)            \
	X(one_cpu)             \
	X(errors)              \
	X(refused_phases)      \
	X(clean_pipeline)      \
	X(clean_events)        \
	X(clean_halves)        \
	X(clean_double_buffer) \
	X(clean_two_programs)  \
	X(clean_processes)     \
	X(clean_linked)        \
	X(clean_queries)       \
	X(clean_transfer_once) \
	X(clean_chunks)        \
	X(clean_upload)        \
	X(clean_element)       \
	X(clean_stream)        \
	X(clean_replace)       \
	X(clean_map)           \
	X(clean_pool)          \
	X(clean_threads)       \
	X(clean_fetcher)       \
	X(clean_host)          \
	X(clean_residual)      \
	X(clean_sub_buffers)   \
	X(clean_callback)      \
	X(clean_one_kernel)    \
	X(clean_retained)      \
	X(clean_out_of_order)  \
	X(clean_options)       \
	X(many_contexts)       \
	X(late_contexts)       \
	X(producers)           \
	X(double_buffer)       \
	X(map_each)            \
	X(parts_in_loop)       \
	X(image_again)         \
	X(callback_blocks)     \
	X(poll_asleep)         \
	X(between_queues)      \
	X(launch_rows)         \
	X(clean_producers)     \
	X(clean_two_queues)    \
	X(clean_printf)        \
	X(jacobi_residual)     \
	X(tiles_each)          \
	X(tile_programs)       \
	X(kernels_per_frame)   \
	X(particles)           \
	X(weights_copied)      \
	X(thin_groups)         \
	X(unfused)             \
	X(flag_nap)            \
	X(halo_by_host)        \
	X(marker_each)         \
	X(layer_weights)       \
	X(late_batches)        \
	X(clean_mapped_once)   \
	X(clean_sort)          \
	X(clean_diamond)       \
	X(clean_feedback)      \
	X(clean_binaries)      \
	X(clean_requests)      \
	X(clean_tune)          \
	X(clean_phases)

#define X(name) void corpus_##name(struct corpus *corpus);
CORPUS(X)
#undef X

/* Ends the program unless status is CL_SUCCESS. */
void must(cl_int status, const char *call);

void corpus_open(struct corpus *corpus); /* what is 0 or NULL */
void corpus_close(struct corpus *corpus);

/* Enqueues the kernel over all items; `waits` and `event` as clEnqueueNDRangeKernel. */
void corpus_work(const struct corpus *corpus, int rounds, cl_uint count, const cl_event *waits,
		 cl_event *event);
void corpus_finish(const struct corpus *corpus);

cl_mem corpus_buffer(const struct corpus *corpus, size_t bytes);
cl_program corpus_program(cl_context context, const char *source);
void corpus_write(const struct corpus *corpus, cl_mem buffer, cl_bool blocking, size_t offset,
		  size_t bytes, const void *data);
void corpus_read(const struct corpus *corpus, cl_mem buffer, cl_bool blocking, size_t offset,
		 size_t bytes, void *data);
cl_command_queue corpus_out_of_order(const struct corpus *corpus);

void host_busy(double milliseconds);
void host_sleep(double milliseconds);

#endif
