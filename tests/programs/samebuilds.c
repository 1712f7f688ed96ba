/* SPDX-License-Identifier: MIT */
/* Builds six programs: `same` sources, `different` ones of one length, different ones whose
 * binaries are read (`kept`), or different ones that are compiled and `linked`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CL/cl.h>

static void must(cl_int status, const char *what)
{
	if (status == CL_SUCCESS)
		return;
	fprintf(stderr, "%s: %d\n", what, status);
	exit(1);
}

static void read_binary(cl_program program)
{
	size_t bytes = 0;
	unsigned char *binary;

	must(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(bytes), &bytes, NULL),
	     "CL_PROGRAM_BINARY_SIZES");
	binary = malloc(bytes + 1);
	must(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL),
	     "CL_PROGRAM_BINARIES");
	free(binary);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "same";
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_int status;

	must(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
	must(status, "clCreateContext");
	for (int i = 0; i < 6; i++) {
		char source[200];
		const char *text = source;
		cl_program program, linked;

		snprintf(source, sizeof(source), "kernel void k(global int *a) { *a = %d; }\n",
			 strcmp(mode, "same") ? i : 0);
		program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
		must(status, "clCreateProgramWithSource");
		if (strcmp(mode, "linked")) {
			must(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
			if (!strcmp(mode, "kept"))
				read_binary(program);
			continue;
		}
		must(clCompileProgram(program, 1, &device, "", 0, NULL, NULL, NULL, NULL),
		     "clCompileProgram");
		linked = clLinkProgram(context, 1, &device, "", 1, &program, NULL, NULL, &status);
		must(status, "clLinkProgram");
		must(clReleaseProgram(linked), "clReleaseProgram");
	}
	return 0;
}
