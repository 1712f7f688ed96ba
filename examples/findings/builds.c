/* SPDX-License-Identifier: MIT */
/* The same program is built for every step. Mended: once. */
#include "common.h"

enum { steps = 6 };

static const char source[] = "kernel void twice(global float *data)\n"
			     "{\n"
			     "	data[get_global_id(0)] *= 2;\n"
			     "}\n";

int main(int argc, char **argv)
{
	struct setup setup = setup_open(argc, argv);
	const char *text = source;

	for (int i = 0; i < (setup.mended ? 1 : steps); i++) {
		cl_int status;
		cl_program program =
			clCreateProgramWithSource(setup.context, 1, &text, NULL, &status);

		must(status, "clCreateProgramWithSource");
		must(clBuildProgram(program, 1, &setup.device, "-cl-mad-enable", NULL, NULL),
		     "clBuildProgram");
		must(clReleaseProgram(program), "clReleaseProgram");
	}
	setup_close(&setup);
	return 0;
}
