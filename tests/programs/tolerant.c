/* SPDX-License-Identifier: MIT */
/* Does what most programs do, and goes on when a call fails: prints each call's
 * error, and errno where it was touched (`tolerant errors`: but for that, which a
 * driver with threads touches as it comes). For drivers that fail at one call after
 * the other. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <errno.h>
#include <stdio.h>

#define UNTOUCHED 4242

static int errors_only;

static cl_int shown(const char *function, cl_int error)
{
	printf("%s %d%s\n", function, error, errno == UNTOUCHED || errors_only ? "" : " errno");
	errno = UNTOUCHED;
	return error;
}
#define SHOW(function, ...) shown(#function, function(__VA_ARGS__))

static void commands(cl_command_queue queue, cl_kernel kernel, cl_mem a, cl_mem b)
{
	const size_t one = 1;
	int value = 7, read = 0;
	cl_event written = NULL, launched = NULL;
	cl_ulong time = 0;
	cl_int error = 0, status = 0;

	SHOW(clEnqueueWriteBuffer, queue, a, CL_FALSE, 0, sizeof(value), &value, 0, NULL, &written);
	SHOW(clEnqueueCopyBuffer, queue, a, b, 0, 0, sizeof(value), written ? 1 : 0,
	     written ? &written : NULL, NULL);
	SHOW(clSetKernelArg, kernel, 0, sizeof(b), &b);
	SHOW(clEnqueueNDRangeKernel, queue, kernel, 1, NULL, &one, NULL, 0, NULL, &launched);
	SHOW(clEnqueueNDRangeKernel, queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
	SHOW(clEnqueueReadBuffer, queue, b, CL_TRUE, 0, sizeof(read), &read, launched ? 1 : 0,
	     launched ? &launched : NULL, NULL);

	void *mapped =
		clEnqueueMapBuffer(queue, a, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &error);

	shown("clEnqueueMapBuffer", error);
	if (mapped)
		SHOW(clEnqueueUnmapMemObject, queue, a, mapped, 0, NULL, NULL);
	SHOW(clEnqueueMarkerWithWaitList, queue, 0, NULL, NULL);
	SHOW(clEnqueueFillBuffer, queue, a, &value, sizeof(value), 0, sizeof(value), 0, NULL, NULL);
	SHOW(clFlush, queue);
	if (launched) {
		SHOW(clWaitForEvents, 1, &launched);
		SHOW(clGetEventInfo, launched, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status),
		     &status, NULL);
		SHOW(clGetEventProfilingInfo, launched, CL_PROFILING_COMMAND_END, sizeof(time),
		     &time, NULL);
		SHOW(clReleaseEvent, launched);
	}
	if (written)
		SHOW(clReleaseEvent, written);
	SHOW(clFinish, queue);
	printf("read %d\n", read);
}

int main(int argc, char **argv)
{
	const char *text = "__kernel void touch(__global int *a) { }";
	cl_platform_id platform = NULL;
	cl_device_id device = NULL;
	cl_uint platforms = 0;
	cl_int error = 0;

	(void)argv;
	errors_only = argc > 1;
	/* The first call is the loader's chance to look for drivers: errno then is
	 * as it may be. */
	clGetPlatformIDs(0, NULL, &platforms);
	errno = UNTOUCHED;
	if (SHOW(clGetPlatformIDs, 1, &platform, NULL) ||
	    SHOW(clGetDeviceIDs, platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
		return 0;

	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);

	if (shown("clCreateContext", error))
		return 0;

	cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);

	shown("clCreateCommandQueue", error);

	cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);

	if (!shown("clCreateProgramWithSource", error))
		SHOW(clBuildProgram, program, 1, &device, "", NULL, NULL);

	cl_kernel kernel = program ? clCreateKernel(program, "touch", &error) : NULL;

	if (program)
		shown("clCreateKernel", error);

	cl_mem a = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &error);

	shown("clCreateBuffer", error);

	cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &error);

	shown("clCreateBuffer", error);
	if (queue)
		commands(queue, kernel, a, b);
	if (a)
		SHOW(clReleaseMemObject, a);
	if (b)
		SHOW(clReleaseMemObject, b);
	if (kernel)
		SHOW(clReleaseKernel, kernel);
	if (program)
		SHOW(clReleaseProgram, program);
	if (queue)
		SHOW(clReleaseCommandQueue, queue);
	SHOW(clReleaseContext, context);
	return 0;
}
