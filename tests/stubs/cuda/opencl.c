/* SPDX-License-Identifier: MIT */
/* libstub-opencl.so: what NVIDIA's OpenCL does that other OpenCLs do not: it injects
 * what CUDA_INJECTION64_PATH names, as a driver of its own. */
#include <dlfcn.h>
#include <stdlib.h>

int stub_opencl_start(void);

int stub_opencl_start(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
	int (*initialize)(void) = NULL;
	volatile int status = 0; /* the call is not the last thing: we are its caller */

	if (library)
		*(void **)&initialize = dlsym(library, "InitializeInjection");
	if (initialize)
		status = initialize();
	return status;
}
