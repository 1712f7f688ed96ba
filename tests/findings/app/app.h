/* SPDX-License-Identifier: MIT */
/* What the OpenCL programs have in common that findings are judged by: each set's list of programs,
 * a device with a context and a queue, and the calls that all of them make.
 *
 *	SET NAME [repaired | WORD]
 *
 * A failing call ends the program with status 1.
 */
#ifndef TESTS_FINDINGS_APP_H
#define TESTS_FINDINGS_APP_H

#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

enum { KIB = 1024, MIB = 1024 * KIB };

struct app {
	bool repaired;
	const char *self, *word; /* the program's path, its second argument or "" */
	cl_device_id device;
	cl_context context;
	cl_command_queue queue; /* in order */
	cl_program program;	/* what the set builds for all of its programs, or NULL */
};

struct app_entry {
	const char *name;
	void (*run)(struct app *app);
	void (*early)(bool repaired); /* before a driver is loaded; may be NULL */
};

/* Runs the one of the entries that argv[1] names, releases what struct app has, and returns the
 * program's status. */
int apps_main(int argc, char **argv, const struct app_entry *entries, size_t count);

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

/* Of the same device. */
cl_context context_new(const struct app *app);
cl_command_queue queue_new(const struct app *app, cl_command_queue_properties properties);
cl_mem buffer_new(const struct app *app, size_t bytes);
cl_program program_new(const struct app *app, const char *source, const char *options);
cl_kernel kernel_new(cl_program program, const char *name);
cl_kernel kernel_of(const struct app *app, const char *source, const char *name);

/* All arguments of a kernel: b a buffer or image, s a sampler, i an int, f a double as float, l
 * local bytes as size_t. */
void args(cl_kernel kernel, const char *types, ...);

/* Local 0: the driver's choice. */
void run(cl_command_queue queue, cl_kernel kernel, size_t items, size_t local);
cl_event run_after(cl_command_queue queue, cl_kernel kernel, size_t items, size_t local,
		   cl_uint count, const cl_event *waits);
/* Event NULL: none is asked for. */
void run_with(cl_command_queue queue, cl_kernel kernel, size_t items, size_t local, cl_uint count,
	      const cl_event *waits, cl_event *event);
/* Local width 0: the driver's choice. */
void run_plane(cl_command_queue queue, cl_kernel kernel, size_t width, size_t height,
	       size_t local_width, size_t local_height);
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
