/* SPDX-License-Identifier: MIT */
#include "frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Colours a point by the number of steps it takes to leave a circle of radius 2.
 * A work-item draws PIXELS points of a row side by side, and goes on with those
 * that have left, so that a CPU device too has nothing to branch on. */
#define PIXELS 8

static const char source[] =
	"__kernel void mandelbrot(__global uint *image, uint2 size, float2 centre, float scale,\n"
	"                         uint light, uint dark)\n"
	"{\n"
	"	int x = 8 * (int)get_global_id(0), y = (int)get_global_id(1);\n"
	"	float8 cx = (float8)(0, 1, 2, 3, 4, 5, 6, 7) + (x - 0.5f * size.x);\n"
	"	float cy = centre.y + (y - 0.5f * size.y) * scale;\n"
	"	float8 zx = 0, zy = 0;\n"
	"	int8 steps = 0;\n"
	"	cx = centre.x + cx * scale;\n"
	"	for (int i = 0; i < DEPTH; i++) {\n"
	"		float8 xx = zx * zx, yy = zy * zy;\n"
	"		steps -= xx + yy < 4.0f;\n"
	"		zy = 2 * zx * zy + cy;\n"
	"		zx = xx - yy + cx;\n"
	"	}\n"
	"	uint8 shade = convert_uint8(steps) * (light / DEPTH);\n"
	"	shade = select(light - shade, (uint8)dark, steps == DEPTH);\n"
	"	vstore8(shade << 16 | (shade * 3 / 4) << 8 | shade / 2, 0, image + y * size.x + x);\n"
	"}\n";

#define TRY(call) frame_try((call), #call)

static bool frame_try(cl_int error, const char *call)
{
	if (error == CL_SUCCESS)
		return true;
	fprintf(stderr, "mandelbrot: %.*s: error %d\n", (int)strcspn(call, "("), call, error);
	return false;
}

static bool program_build(struct frame *frame)
{
	const char *text = source;
	char build_options[64];
	cl_int error;

	snprintf(build_options, sizeof(build_options), "-cl-fast-relaxed-math -DDEPTH=%u",
		 frame->options.depth);

	frame->program = clCreateProgramWithSource(frame->context, 1, &text, NULL, &error);
	if (!frame_try(error, "clCreateProgramWithSource"))
		return false;
	if (TRY(clBuildProgram(frame->program, 1, &frame->device, build_options, NULL, NULL)))
		return true;

	char log[4096] = "";

	clGetProgramBuildInfo(frame->program, frame->device, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1,
			      log, NULL);
	fprintf(stderr, "%s\n", log);
	return false;
}

static bool queue_create(struct frame *frame)
{
	cl_int error;

	frame->queue = clCreateCommandQueue(
		frame->context, frame->device,
		frame->options.profiling ? CL_QUEUE_PROFILING_ENABLE : 0, &error);
	return frame_try(error, "clCreateCommandQueue");
}

static bool kernel_create(struct frame *frame)
{
	cl_int error;

	frame->kernel = clCreateKernel(frame->program, "mandelbrot", &error);
	return frame_try(error, "clCreateKernel");
}

static bool frame_set_up(struct frame *frame)
{
	cl_platform_id platform;
	cl_int error;

	if (!TRY(clGetPlatformIDs(1, &platform, NULL)) ||
	    !TRY(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &frame->device, NULL)) ||
	    !TRY(clGetDeviceInfo(frame->device, CL_DEVICE_NAME, sizeof(frame->device_name) - 1,
				 frame->device_name, NULL)))
		return false;

	frame->context = clCreateContext(NULL, 1, &frame->device, NULL, NULL, &error);
	if (!frame_try(error, "clCreateContext"))
		return false;
	if (!queue_create(frame) || !program_build(frame) || !kernel_create(frame))
		return false;
	frame->image = clCreateBuffer(frame->context, CL_MEM_WRITE_ONLY, frame->pixels_bytes, NULL,
				      &error);
	return frame_try(error, "clCreateBuffer");
}

int frame_create(struct frame *frame, const struct frame_options *options)
{
	memset(frame, 0, sizeof(*frame));
	frame->options = *options;
	frame->rows = options->height;
	frame->row_pixels = (options->width + PIXELS - 1) / PIXELS * PIXELS;
	frame->pixels_bytes = (size_t)frame->row_pixels * options->height * sizeof(*frame->pixels);
	frame->pixels = malloc(frame->pixels_bytes);
	if (!frame->pixels)
		fprintf(stderr, "mandelbrot: no memory for %zu bytes\n", frame->pixels_bytes);
	if (frame->pixels && frame_set_up(frame))
		return 0;
	frame_destroy(frame);
	return -1;
}

int frame_divide(struct frame *frame, struct frame *others, unsigned count)
{
	const uint32_t height = frame->options.height;
	unsigned made = 0;
	bool ok = true;

	while (ok && made + 1 < count) {
		struct frame *other = &others[made++];

		*other = *frame;
		other->shares = true;
		other->queue = NULL;
		other->kernel = NULL;
		other->first_row = (uint32_t)((uint64_t)height * made / count);
		other->rows = (uint32_t)((uint64_t)height * (made + 1) / count) - other->first_row;
		ok = queue_create(other) && kernel_create(other);
	}
	if (ok) {
		frame->rows = height / count;
		return 0;
	}
	while (made)
		frame_destroy(&others[--made]);
	return -1;
}

/* 8 calls: the six arguments, and what the driver says of the kernel. */
static bool frame_set_arguments(struct frame *frame, uint64_t number, size_t *group)
{
	const struct frame_options *options = &frame->options;
	const cl_uint2 size = {.s = {frame->row_pixels, options->height}};
	const cl_float step = (cl_float)(number % 400) / 400; /* from the whole set to its seam */
	const cl_float2 centre = {.s = {-0.6f - 0.143643f * step, 0.131825f * step}};
	const cl_float scale = 3.2f / (1 + 15 * step) / (cl_float)options->width;
	const cl_uint light = 255, dark = (cl_uint)(number % 32);
	size_t multiple;

	if (!TRY(clSetKernelArg(frame->kernel, 0, sizeof(frame->image), &frame->image)) ||
	    !TRY(clSetKernelArg(frame->kernel, 1, sizeof(size), &size)) ||
	    !TRY(clSetKernelArg(frame->kernel, 2, sizeof(centre), &centre)) ||
	    !TRY(clSetKernelArg(frame->kernel, 3, sizeof(scale), &scale)) ||
	    !TRY(clSetKernelArg(frame->kernel, 4, sizeof(light), &light)) ||
	    !TRY(clSetKernelArg(frame->kernel, 5, sizeof(dark), &dark)) ||
	    !TRY(clGetKernelWorkGroupInfo(frame->kernel, frame->device, CL_KERNEL_WORK_GROUP_SIZE,
					  sizeof(*group), group, NULL)) ||
	    !TRY(clGetKernelWorkGroupInfo(frame->kernel, frame->device,
					  CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
					  sizeof(multiple), &multiple, NULL)))
		return false;

	/* As many of a row as the device likes, if they divide it. */
	const size_t row = frame->row_pixels / PIXELS;

	if (*group > multiple)
		*group = multiple;
	if (*group > row)
		*group = row;
	while (row % *group)
		--*group;
	return true;
}

/* Waits for a command, checks how it ended and drops our reference: 3 calls. */
static bool event_finish(cl_event event)
{
	cl_int status = CL_QUEUED;
	bool ok = TRY(clWaitForEvents(1, &event)) &&
		  TRY(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status),
				     &status, NULL));

	if (!TRY(clReleaseEvent(event)) || !ok)
		return false;
	if (status == CL_COMPLETE)
		return true;
	fprintf(stderr, "mandelbrot: the kernel ended with status %d\n", status);
	return false;
}

int frame_draw(struct frame *frame, uint64_t number)
{
	const size_t global[2] = {frame->row_pixels / PIXELS, frame->rows};
	const size_t first[2] = {0, frame->first_row};
	const size_t row_bytes = frame->row_pixels * sizeof(*frame->pixels);
	size_t local[2] = {1, 1};
	size_t image_bytes;
	cl_event drawn;

	if (!frame_set_arguments(frame, number, &local[0]) ||
	    !TRY(clGetMemObjectInfo(frame->image, CL_MEM_SIZE, sizeof(image_bytes), &image_bytes,
				    NULL)) ||
	    !TRY(clEnqueueNDRangeKernel(frame->queue, frame->kernel, 2,
					frame->first_row ? first : NULL, global, local, 0, NULL,
					&drawn)))
		return -1;
	if (!TRY(clFlush(frame->queue)) ||
	    !TRY(clEnqueueReadBuffer(frame->queue, frame->image, CL_TRUE,
				     frame->first_row * row_bytes,
				     image_bytes / frame->options.height * frame->rows,
				     frame->pixels + (size_t)frame->first_row * frame->row_pixels,
				     1, &drawn, NULL))) {
		clReleaseEvent(drawn);
		return -1;
	}
	return event_finish(drawn) && TRY(clFinish(frame->queue)) ? 0 : -1;
}

void frame_destroy(struct frame *frame)
{
	if (frame->image && !frame->shares)
		clReleaseMemObject(frame->image);
	if (frame->kernel)
		clReleaseKernel(frame->kernel);
	if (frame->program && !frame->shares)
		clReleaseProgram(frame->program);
	if (frame->queue)
		clReleaseCommandQueue(frame->queue);
	if (frame->shares)
		return;
	if (frame->context)
		clReleaseContext(frame->context);
	free(frame->pixels);
	memset(frame, 0, sizeof(*frame));
}
