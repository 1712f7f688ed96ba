/* SPDX-License-Identifier: MIT */
/* Programs by every way there is: source in pieces, binary, IL, compile and
 * link, failing builds with their logs, kernels all at once, pipes. Ways that
 * the platform lacks are said, not skipped: they must be lacking in every run. */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void CL_CALLBACK on_build(cl_program program, void *user_data)
{
	(void)program;
	*(volatile int *)user_data += 1;
}

static void pieces(struct world *world)
{
	const char *texts[] = {"__kernel void first(__global int *a)", " { *a = 1; }\n__kernel ",
			       "void second(int a, int b) { }rubbish"};
	const size_t lengths[] = {0, 0, strlen(texts[2]) - strlen("rubbish")};
	volatile int called = 0;
	cl_int error;
	cl_program program = clCreateProgramWithSource(world->context, 3, texts, lengths, &error);
	cl_kernel kernels[4];
	cl_uint count = 0, arguments = 0;

	CL(error);
	CL(clBuildProgram(program, 1, &world->device, "-DA=1", on_build, (void *)&called));
	for (int i = 0; !called && i < 1000000000; i++)
		;
	CHECK(called == 1);
	CL(clCreateKernelsInProgram(program, 4, kernels, &count));
	CHECK(count == 2);
	for (cl_uint i = 0; i < count; i++) {
		char name[16];

		CL(clGetKernelInfo(kernels[i], CL_KERNEL_FUNCTION_NAME, sizeof(name), name, NULL));
		CL(clGetKernelInfo(kernels[i], CL_KERNEL_NUM_ARGS, sizeof(arguments), &arguments,
				   NULL));
		printf("kernel %s, %u arguments\n", name, arguments);
		CL(clReleaseKernel(kernels[i]));
	}
	CHECK(!clCreateKernel(program, "third", &error));
	CHECK(error == CL_INVALID_KERNEL_NAME);
	CL(clReleaseProgram(program));
}

static void failing(struct world *world)
{
	const char *text = "#error no such luck\n";
	cl_int error;
	cl_program program = clCreateProgramWithSource(world->context, 1, &text, NULL, &error);
	cl_build_status status;
	size_t bytes = 0;

	CL(error);
	CL_FAILS(CL_BUILD_PROGRAM_FAILURE,
		 clBuildProgram(program, 1, &world->device, "-w", NULL, NULL));
	CL(clGetProgramBuildInfo(program, world->device, CL_PROGRAM_BUILD_STATUS, sizeof(status),
				 &status, NULL));
	CHECK(status == CL_BUILD_ERROR);
	CL(clGetProgramBuildInfo(program, world->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes));
	CHECK(bytes > 1);
	CL(clReleaseProgram(program));
	puts("a build that fails");
}

static void linking(struct world *world)
{
	const char *text = "__kernel void linked(__global int *a) { *a = 2; }\n";
	cl_int error;
	cl_program object = clCreateProgramWithSource(world->context, 1, &text, NULL, &error);

	CL(error);
	CL(clCompileProgram(object, 1, &world->device, "", 0, NULL, NULL, NULL, NULL));

	cl_program program = clLinkProgram(world->context, 1, &world->device, "", 1, &object, NULL,
					   NULL, &error);

	CL(error);

	cl_kernel kernel = clCreateKernel(program, "linked", &error);

	CL(error);
	CL(clReleaseKernel(kernel));
	CL(clReleaseProgram(program));
	CL(clReleaseProgram(object));
	CHECK(!clLinkProgram(world->context, 0, NULL, "", 0, NULL, NULL, NULL, &error));
	printf("compile and link; of nothing: %d\n", error);
}

static void binary(struct world *world)
{
	size_t bytes = 0;
	cl_int error, status;

	if (world->is_stub ||
	    clGetProgramInfo(world->program, CL_PROGRAM_BINARY_SIZES, sizeof(bytes), &bytes,
			     NULL) ||
	    !bytes) {
		puts("no binary");
		return;
	}

	unsigned char *data = malloc(bytes);
	const unsigned char *binaries[] = {data};

	CL(clGetProgramInfo(world->program, CL_PROGRAM_BINARIES, sizeof(data), &data, NULL));

	cl_program program = clCreateProgramWithBinary(world->context, 1, &world->device, &bytes,
						       binaries, &status, &error);

	CL(error);
	CL(status);
	CL(clBuildProgram(program, 1, &world->device, NULL, NULL, NULL));

	cl_kernel kernel = clCreateKernel(program, "add", &error);

	CL(error);
	CL(clReleaseKernel(kernel));
	CL(clReleaseProgram(program));
	free(data);
	puts("a binary");
}

static void others(struct world *world)
{
	static const unsigned il[] = {0x07230203, 0x00010000, 0, 1, 0};
	cl_int error;
	cl_program program = clCreateProgramWithIL(world->context, il, sizeof(il), &error);

	printf("IL: %d\n", error);
	if (program)
		CL(clReleaseProgram(program));
	if (!world->is_intel) { /* aborts there */
		CHECK(!clCreateProgramWithBuiltInKernels(world->context, 1, &world->device,
							 "nobody", &error));
		CHECK(error != CL_SUCCESS);
	}
	puts("no such built-in kernel");

	cl_mem pipe = clCreatePipe(world->context, CL_MEM_READ_WRITE, 4, 16, NULL, &error);
	cl_uint packet = 0;

	printf("pipe: %d\n", error);
	if (pipe) {
		CL(clGetPipeInfo(pipe, CL_PIPE_PACKET_SIZE, sizeof(packet), &packet, NULL));
		CHECK(packet == 4);
		CL(clReleaseMemObject(pipe));
	}

	cl_kernel clone = clCloneKernel(world->add, &error);

	printf("clone: %d\n", error);
	if (clone)
		CL(clReleaseKernel(clone));
	CL(clUnloadPlatformCompiler(world->platform));
}

int main(void)
{
	struct world world;

	world_create(&world, 0, 0);
	pieces(&world);
	failing(&world);
	linking(&world);
	binary(&world);
	others(&world);
	world_destroy(&world);
	return 0;
}
