/* SPDX-License-Identifier: MIT */
/* A program that finds OpenCL with dlopen.
 *
 *   dynamic dlsym    dlopen, then dlsym
 *   dynamic dlvsym   dlopen, then dlvsym with the library's version
 *   dynamic again    dlopen and dlclose several times over
 *   dynamic mixed    links libOpenCL, and still takes functions by dlsym
 *   dynamic idle     has it, and calls nothing
 *   dynamic leave    closes it with a command under way
 *   dynamic two PATH another loader beside it
 *   dynamic ended    goes on after the loader has ended (the stub loader)
 */
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS(X)             \
	X(clGetPlatformIDs)      \
	X(clGetDeviceIDs)        \
	X(clCreateContext)       \
	X(clReleaseContext)      \
	X(clCreateCommandQueue)  \
	X(clReleaseCommandQueue) \
	X(clCreateBuffer)        \
	X(clReleaseMemObject)    \
	X(clEnqueueWriteBuffer)  \
	X(clEnqueueReadBuffer)   \
	X(clFinish)

static struct {
#define X(name) __typeof__(&name) name;
	FUNCTIONS(X)
#undef X
} cl;

static void *find(void *library, const char *name, const char *version)
{
	void *function = version ? dlvsym(library, name, version) : dlsym(library, name);

	if (!function) {
		fprintf(stderr, "dynamic: %s\n", dlerror());
		exit(1);
	}
	return function;
}

static void functions_find(void *library, const char *version)
{
#define X(name) cl.name = (__typeof__(cl.name))find(library, #name, version);
	FUNCTIONS(X)
#undef X
}

static void must(cl_int error, int line)
{
	if (!error)
		return;
	fprintf(stderr, "dynamic.c:%d: error %d\n", line, error);
	exit(1);
}
#define MUST(call) must((call), __LINE__)

static void work(int leave)
{
	cl_platform_id platform;
	cl_device_id device;
	cl_int error;
	static int written[4] = {3, 1, 4, 1};
	int read[4] = {0};

	MUST(cl.clGetPlatformIDs(1, &platform, NULL));
	MUST(cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));

	cl_context context = cl.clCreateContext(NULL, 1, &device, NULL, NULL, &error);

	MUST(error);

	cl_command_queue queue = cl.clCreateCommandQueue(context, device, 0, &error);

	MUST(error);

	cl_mem buffer = cl.clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(read), NULL, &error);

	MUST(error);
	MUST(cl.clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof(written), written, 0, NULL,
				     NULL));
	if (leave)
		return;
	MUST(cl.clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(read), read, 0, NULL, NULL));
	if (memcmp(read, written, sizeof(read))) {
		fputs("dynamic: the buffer holds something else\n", stderr);
		exit(1);
	}
	MUST(cl.clFinish(queue));
	MUST(cl.clReleaseMemObject(buffer));
	MUST(cl.clReleaseCommandQueue(queue));
	MUST(cl.clReleaseContext(context));
}

static void *library_open(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!library) {
		fprintf(stderr, "dynamic: %s\n", dlerror());
		exit(1);
	}
	return library;
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "dlsym";
	const char *version = strcmp(way, "dlvsym") ? NULL : "OPENCL_1.0";

	if (!strcmp(way, "idle")) {
#ifdef LINKED
		if (argc > 2) /* never */
			clGetPlatformIDs(0, NULL, NULL);
#else
		library_open("libOpenCL.so.1");
#endif
		puts("done");
		return 0;
	}
#ifdef LINKED
	cl_uint platforms = 0;

	must(clGetPlatformIDs(0, NULL, &platforms), __LINE__);
	printf("platforms %u\n", platforms);
	functions_find(RTLD_DEFAULT, NULL);
	work(0);
	if (!strcmp(way, "ended")) {
		void (*end)(void);

		*(void **)&end = find(RTLD_DEFAULT, "loader_deinit", NULL);
		end();
		printf("%d", clGetPlatformIDs(0, NULL, &platforms));
		printf(" %d\n", clGetPlatformInfo(NULL, CL_PLATFORM_NAME, 0, NULL, NULL));
		return 0;
	}
#endif
	if (!strcmp(way, "two")) {
		functions_find(library_open("libOpenCL.so.1"), NULL);
		work(0);
		functions_find(library_open(argv[2]), NULL);
		work(0);
		puts("done");
		return 0;
	}
	for (int i = 0; i < (strcmp(way, "again") ? 1 : 3); i++) {
		void *library = library_open("libOpenCL.so.1");

		functions_find(library, version);
		work(!strcmp(way, "leave"));
		dlclose(library);
	}
	puts("done");
	return 0;
}
