/* SPDX-License-Identifier: MIT */
/* Calls each function of OpenCL once, with nulls (`every null`) or with objects
 * that are valid (`every valid`), and prints what each returned: result, error
 * code, size, errno. The calls are generated (every.py).
 *
 * With objects it is meant for the stub driver: what a real one does with such
 * arguments is its own affair.
 */
#include "world.h"

#include <CL/cl_gl.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A value that no function sets, to see whether errno is touched. */
#define UNTOUCHED 4242

static struct world w;
static cl_mem buffer, buffer2, image, image2, pipe;
static cl_sampler sampler;
static cl_event done, user, event;
static cl_int error;
static cl_uint number;
static cl_ulong time;
static cl_command_queue_properties flags;
static size_t size;
static unsigned char bytes[4096];
static void *svm, *svms[1], *extra_svm, *mapped;

static const size_t zero3[3], one3[3] = {1, 1, 1};
static const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
static const cl_image_desc desc = {
	.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
static const cl_buffer_region part = {0, 16};
static const cl_device_partition_property partition[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
static const char *text = "__kernel void add(__global int *a, int n) { }";
static const unsigned char *binaries[] = {(const unsigned char *)"binary"};
static const size_t lengths[] = {6};

static void CL_CALLBACK native(void *arguments)
{
	(void)arguments;
}

static void CL_CALLBACK on_event(cl_event which, cl_int status, void *user_data)
{
	(void)which, (void)status, (void)user_data;
}

static void CL_CALLBACK on_memory(cl_mem memory, void *user_data)
{
	(void)memory, (void)user_data;
}

static void CL_CALLBACK on_context(cl_context context, void *user_data)
{
	(void)context, (void)user_data;
}

static void CL_CALLBACK on_program(cl_program program, void *user_data)
{
	(void)program, (void)user_data;
}

#define START() (error = 0, size = 0, errno = UNTOUCHED)

static void show(const char *function, long result, cl_int error_code)
{
	printf("%s: %ld, error %d, size %zu, errno %s\n", function, result, error_code, size,
	       errno == UNTOUCHED ? "untouched" : strerror(errno));
}
#define SHOW(function, result) show(function, result, error)

#include "every_calls.h"

int main(int argc, char **argv)
{
	/* The first call is the loader's chance to look for drivers: errno then is
	 * as it may be. */
	clGetPlatformIDs(0, NULL, &number);
	if (argc > 1 && !strcmp(argv[1], "null")) {
		nulls_call();
		return 0;
	}

	world_create(&w, 0, 0);
	if (!w.is_stub)
		skip("only the stub driver is known to bear such arguments");
	buffer = clCreateBuffer(w.context, 0, 4096, NULL, &error);
	buffer2 = clCreateBuffer(w.context, 0, 4096, NULL, &error);
	image = clCreateImage(w.context, 0, &format, &desc, NULL, &error);
	image2 = clCreateImage(w.context, 0, &format, &desc, NULL, &error);
	pipe = clCreatePipe(w.context, 0, 4, 4, NULL, &error);
	sampler = clCreateSampler(w.context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, &error);
	user = clCreateUserEvent(w.context, &error);
	svm = svms[0] = clSVMAlloc(w.context, 0, 4096, 0);
	CL(clEnqueueMarkerWithWaitList(w.queue, 0, NULL, &done));
	CHECK(buffer && buffer2 && image && image2 && pipe && sampler && user && svm);

	valid_call();

	clSVMFree(w.context, svm);
	CL(clReleaseEvent(user));
	CL(clReleaseEvent(done));
	CL(clReleaseSampler(sampler));
	CL(clReleaseMemObject(pipe));
	CL(clReleaseMemObject(image2));
	CL(clReleaseMemObject(image));
	CL(clReleaseMemObject(buffer2));
	CL(clReleaseMemObject(buffer));
	world_destroy(&w);
	return 0;
}
