/* SPDX-License-Identifier: MIT */
/* More programs with one fault each, planted or repaired, and programs with none, by somebody who
 * has not read the rules: what `tandem findings` is scored by, as ../corpus. Most have work around
 * the fault, or several threads, queues or phases.
 *
 *	outside NAME [repaired | N]
 *
 * A failing call ends the program with status 1.
 */
#ifndef TESTS_FINDINGS_OUTSIDE_H
#define TESTS_FINDINGS_OUTSIDE_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

enum { KIB = 1024, MIB = 1024 * KIB };

struct outside {
	bool repaired;
	const char *self, *word; /* the program's path, its second argument */
	cl_device_id device;
	cl_context context;
	cl_command_queue queue; /* in order */
	cl_program program;	/* of outside_source */
};

/* X(name) */
#define OUTSIDE(X)             \
	X(poll_ring)           \
	X(gate_late)           \
	X(debug_finish)        \
	X(locked_wait)         \
	X(throttle)            \
	X(timed_each)          \
	X(late_flush)          \
	X(groups_apart)        \
	X(lane_events)         \
	X(log_callback)        \
	X(pinned_pair)         \
	X(preview_beside)      \
	X(compacted_prime)     \
	X(odd_local)           \
	X(last_group)          \
	X(bins_each)           \
	X(scratch_each)        \
	X(cache_leaks)         \
	X(history_events)      \
	X(filter_objects)      \
	X(plugin_builds)       \
	X(build_stamp)         \
	X(options_each)        \
	X(lost_errors)         \
	X(scalars_each)        \
	X(probe_field)         \
	X(lens_table)          \
	X(map_records)         \
	X(ring_by_host)        \
	X(passes_home)         \
	X(one_queue_frames)    \
	X(records_each)        \
	X(host_dot)            \
	X(clean_pipelined)     \
	X(clean_workers)       \
	X(clean_graph)         \
	X(clean_chained)       \
	X(clean_single)        \
	X(clean_solver)        \
	X(clean_filters)       \
	X(clean_mapped_stream) \
	X(clean_prefix_sum)    \
	X(clean_handover)

#define X(name) void outside_##name(struct outside *outside);
OUTSIDE(X)
#undef X

/* Ends the program unless status is CL_SUCCESS. */
void must(cl_int status, const char *call);

cl_program program_of(const struct outside *outside, const char *source, const char *options);
cl_kernel kernel_of(cl_program program, const char *name);
cl_command_queue queue_of(const struct outside *outside, cl_command_queue_properties properties);
cl_mem memory_of(const struct outside *outside, size_t bytes);
void free_memory(cl_mem memory);
void free_kernel(cl_kernel kernel);
void free_queue(cl_command_queue queue);
void free_event(cl_event *event); /* NULL in *event: nothing; sets it to NULL */

/* Sets arguments from 0 on: m a memory object, i an int, f a double as float, l a local size in
 * bytes as size_t, s a sampler. */
void set(cl_kernel kernel, const char *types, ...);

/* One dimension; local 0: the driver's choice. */
void run(cl_command_queue queue, cl_kernel kernel, size_t items, size_t local);
void run_after(cl_command_queue queue, cl_kernel kernel, size_t items, size_t local, cl_uint count,
	       const cl_event *waits, cl_event *event);
void run_plane(cl_command_queue queue, cl_kernel kernel, size_t width, size_t height,
	       size_t local_width, size_t local_height);
void put(cl_command_queue queue, cl_mem memory, bool blocking, size_t bytes, const void *data);
void get(cl_command_queue queue, cl_mem memory, bool blocking, size_t bytes, void *data);
void flush(cl_command_queue queue);
void finish(cl_command_queue queue);

/* As much arithmetic over data, on the host, whatever the time is. */
void crunch(float *data, size_t count, int rounds);
void nap_us(long microseconds);

/* Runs main(&argument) in so many threads, with one argument each, and waits for them. */
void in_threads(int count, void *(*main)(void *), void *arguments, size_t bytes_each);

#endif
