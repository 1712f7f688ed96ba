/* SPDX-License-Identifier: MIT */
/* What most test programs start from: the first device of a platform, a context,
 * a queue and two kernels. And checks: a program that sees anything unexpected
 * says so on stderr and ends with status 1. What it prints on stdout must be the
 * same in every run, because tests compare it with and without a recorder.
 */
#ifndef PROGRAMS_WORLD_H
#define PROGRAMS_WORLD_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The condition must hold. */
#define CHECK(condition) check_true((condition), #condition, __FILE__, __LINE__)
/* The call must return CL_SUCCESS, or this error. */
#define CL(call) check_error((call), CL_SUCCESS, #call, __FILE__, __LINE__)
#define CL_FAILS(error, call) check_error((call), (error), #call, __FILE__, __LINE__)

void check_true(bool holds, const char *what, const char *file, int line);
void check_error(cl_int error, cl_int expected, const char *call, const char *file, int line);

/* Ends the program with the status that means `skipped`, and this reason. */
_Noreturn void skip(const char *reason);

struct world {
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_kernel add; /* add(global int *numbers, int n): numbers[i] += n */
	bool is_stub;  /* the stub driver: launches do nothing */
	bool is_intel; /* for CPUs */
};

/* Platform number `platform`, its first device; the queue has `properties`. */
void world_create(struct world *world, cl_uint platform, cl_command_queue_properties properties);
void world_destroy(struct world *world);

/* A buffer of `count` numbers 0, 1, 2... */
cl_mem numbers_create(const struct world *world, size_t count);

/* Launches add(numbers, n) over `count` numbers, with an event if wanted. */
void numbers_add(const struct world *world, cl_mem numbers, size_t count, cl_int n,
		 cl_event *event);

/* The numbers must be 0 + n, 1 + n...; the stub's are as they were written. */
void numbers_check(const struct world *world, cl_mem numbers, size_t count, cl_int n);

cl_uint event_references(cl_event event);
cl_int event_status(cl_event event);

/* How many threads this process has. */
int thread_count(void);

#endif
