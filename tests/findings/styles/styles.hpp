/* SPDX-License-Identifier: MIT */
/* Programs in another style than the corpus's (../corpus): C++ with the Khronos wrapper, several
 * threads, queues and processes, other orders of calls. One fault each, planted or repaired, or
 * none; `bench/run findings` scores them by table.json.
 *
 *	styles NAME [repaired]
 */
#ifndef TESTS_FINDINGS_STYLES_HPP
#define TESTS_FINDINGS_STYLES_HPP

#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_CL_1_2_DEFAULT_BUILD
#include <CL/opencl.hpp>
#include <cstddef>
#include <vector>

constexpr std::size_t items = 1 << 16;

/* A call that failed ends the program with status 1. */
void need(cl_int status);

/* A device with its programs, which have run once. */
struct Machine {
	Machine();

	cl::CommandQueue queue(cl_command_queue_properties properties = 0) const;
	cl::Buffer buffer(std::size_t bytes) const;
	cl::Program build() const;

	cl::Device device;
	cl::Context context;
	cl::Program program;
};

/* A kernel with a buffer of its own. */
struct Stage {
	Stage(const Machine &machine, const char *name);

	void run(const cl::CommandQueue &queue, int rounds,
		 const std::vector<cl::Event> *waits = nullptr, cl::Event *event = nullptr);

	cl::Kernel kernel;
	cl::Buffer data;
};

void write(const cl::CommandQueue &queue, const cl::Buffer &buffer, bool blocking,
	   std::size_t offset, std::size_t bytes, const void *from,
	   const std::vector<cl::Event> *waits = nullptr, cl::Event *event = nullptr);
void read(const cl::CommandQueue &queue, const cl::Buffer &buffer, bool blocking,
	  std::size_t offset, std::size_t bytes, void *to, cl::Event *event = nullptr);
void work_ms(double milliseconds); /* of the host */

/* X(name): styles that fork must do so before a driver is loaded, and open devices themselves. */
#define STYLES(X)          \
	X(frames)          \
	X(two_workers)     \
	X(map_peek)        \
	X(hand_over)       \
	X(nap)             \
	X(forked)          \
	X(two_unflushed)   \
	X(fields)          \
	X(columns)         \
	X(tables)          \
	X(relay)           \
	X(all_back)        \
	X(temporaries)     \
	X(compute_call)    \
	X(forgotten)       \
	X(odd_tiles)       \
	X(task_objects)    \
	X(two_queue_chain) \
	X(clean_shared)    \
	X(clean_ring)      \
	X(clean_workers)   \
	X(clean_converge)  \
	X(clean_three)     \
	X(clean_own)       \
	X(clean_progress)  \
	X(clean_late_start)

#define X(name) void style_##name(bool repaired);
STYLES(X)
#undef X

#endif
