/* SPDX-License-Identifier: MIT */
/* What the examples of findings share: a device, a context, a queue, a kernel
 * that keeps its device busy. A failing call ends the program.
 *
 *	struct setup setup = setup_open(argc, argv);
 *	...
 *	setup_close(&setup);
 *
 * Each example shows what `tandem findings` finds; with --mended it does the same
 * work without it.
 */
#ifndef EXAMPLES_FINDINGS_COMMON_H
#define EXAMPLES_FINDINGS_COMMON_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

struct setup {
	bool mended;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_kernel kernel; /* work(float *data, int rounds): busy for `rounds` */
	cl_mem buffer;	  /* of setup_items floats, the kernel's */
};

enum { setup_items = 1 << 16 };

/* Takes --mended from the arguments; anything else is wrong usage. */
struct setup setup_open(int argc, char **argv);
void setup_close(struct setup *setup);

/* Enqueues the kernel over all items, in groups of the runtime's choice. */
void setup_work(const struct setup *setup, int rounds);

/* Ends the program unless status is CL_SUCCESS. */
void must(cl_int status, const char *call);

/* Keeps the host busy. */
void host_work(double milliseconds);

#endif
