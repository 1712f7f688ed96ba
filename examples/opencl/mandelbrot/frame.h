/* SPDX-License-Identifier: MIT */
/* A frame: everything that is needed to draw one image on an OpenCL device, and
 * the image itself, or a band of its rows. One thread each. Each function prints what failed on stderr.
 */
#ifndef MANDELBROT_FRAME_H
#define MANDELBROT_FRAME_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

struct frame_options {
	uint32_t width, height; /* pixels */
	uint32_t depth;		/* steps after which a point counts as inside */
	bool profiling;		/* make the queue with CL_QUEUE_PROFILING_ENABLE */
};

struct frame {
	struct frame_options options;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_kernel kernel;
	cl_mem image;
	uint32_t row_pixels; /* of a row in `pixels`: the width, rounded up */
	uint32_t *pixels;    /* 0x00bbggrr; valid after frame_draw() */
	size_t pixels_bytes;
	uint32_t first_row, rows; /* of the band; all of them, at first */
	bool shares;		  /* context, program, image and pixels are another frame's */
	char device_name[128];
};

/* Takes the first device of the first platform. 0, or -1 (nothing is kept). */
int frame_create(struct frame *frame, const struct frame_options *options);

/* Leaves `frame` the first of `count` bands of its image, and makes the others in
 * `others` (count - 1 of them): each has a queue and a kernel of its own, and is to
 * be destroyed before `frame`. 0, or -1 (none is kept). */
int frame_divide(struct frame *frame, struct frame *others, unsigned count);

/* Draws frame `number` (each zooms in a little further) and reads it into
 * `pixels`: 14 synchronous and 2 asynchronous calls. 0 or -1. */
int frame_draw(struct frame *frame, uint64_t number);

void frame_destroy(struct frame *frame);

#endif
