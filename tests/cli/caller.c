/* SPDX-License-Identifier: MIT */
/* Makes OpenCL calls that cost next to nothing, as told on standard input:
 *
 *   call N    makes N calls, then answers "made N"
 *   fork      goes on in a child; the parent ends with status 0
 *   exit N    ends with that status; so does the end of the input, with 0
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void call(long count)
{
	cl_uint platforms;

	for (long i = 0; i < count; i++)
		if (clGetPlatformIDs(0, NULL, &platforms) != CL_SUCCESS)
			exit(99);
	printf("made %ld\n", count);
}

int main(void)
{
	char line[64];

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("pid %d\n", (int)getpid());
	while (fgets(line, sizeof(line), stdin)) {
		if (!strncmp(line, "call ", 5))
			call(atol(line + 5));
		else if (!strncmp(line, "exit ", 5))
			return atoi(line + 5);
		else if (!strcmp(line, "fork\n") && fork() > 0)
			_exit(0);
	}
	return 0;
}
