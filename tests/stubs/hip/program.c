/* SPDX-License-Identifier: MIT */
/* Uses HIP in all ways that the stub knows, and prints what a trace of it must have. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hip.h"

#define BYTES 4096u

static char axpy, scale; /* what compiled code has for kernels: functions of the host's */
static int failures;

static void must(int status, int expected)
{
	failures += status != expected;
}

static void launches(void *stream, unsigned count)
{
	struct dim blocks = {4, 2, 1}, items = {64, 1, 1};

	for (unsigned i = 0; i < count; i++)
		must(hipLaunchKernel(&axpy, blocks, items, NULL, 0, stream), 0);
}

/* What HIP has since version 7: how many kernels and bytes it makes. */
static void newest(void *device, void *stream)
{
#if STUB_HIP >= 700
	struct launch_config config = {{2, 2, 1}, {32, 2, 1}, 128, stream, NULL, 0};

	must(hipLaunchKernelExC(&config, &scale, NULL), 0);
	must(hipLaunchKernelExC(NULL, &scale, NULL), 1);
	must(hipMemsetD2D8Async(device, 64, 7, 32, 4, stream), 0);
#endif
	(void)device, (void)stream;
}

static void graph(void *stream)
{
	void *graph = NULL, *executable = NULL;

	must(hipStreamBeginCapture(stream, 0), 0);
	launches(stream, 3);
	must(hipStreamEndCapture(stream, &graph), 0);
	must(hipGraphInstantiate(&executable, graph, NULL, NULL, 0), 0);
	for (int i = 0; i < 2; i++)
		must(hipGraphLaunch(executable, stream), 0);
	must(hipStreamSynchronize(stream), 0);
}

int main(int argc, char **argv)
{
	struct dim one = {1, 1, 1};
	void *device = NULL, *host = NULL, *stream = NULL, *event = NULL;
	int count = 0;

	__hipRegisterFunction(NULL, &axpy, NULL, "_Z4axpyPfS_f", 0, NULL, NULL, NULL, NULL, NULL);
	__hipRegisterFunction(NULL, &scale, NULL, "scale", 0, NULL, NULL, NULL, NULL, NULL);
	if (argc > 1 && !strcmp(argv[1], "no-device")) {
		must(hipGetDeviceCount(&count), 100);
		must(hipMalloc(&device, BYTES), 100);
		must(hipRuntimeGetVersion(&count), 0);
		must(hipGetLastError(), 100);
		puts("expect calls:hipMalloc 1\nexpect failed:hipMalloc 1\n"
		     "expect failed:hipRuntimeGetVersion 0\nexpect kernels 0");
		return failures ? 1 : 0;
	}
	must(hipGetDeviceCount(&count), 0);
	must(hipSetDevice(7), 101);
	must(hipGetLastError(), 101);
	must(hipMalloc(&device, BYTES), 0);
	must(hipHostMalloc(&host, BYTES, 0), 0);
	memset(host, 1, BYTES);
	must(hipMemcpy(device, host, BYTES, HIP_HOST_TO_DEVICE), 0);
	must(hipMemcpy(NULL, host, BYTES, HIP_HOST_TO_DEVICE), 1);
	must(hipStreamCreate(&stream), 0);
	must(hipEventCreate(&event), 0);
	launches(NULL, 5);
	must(hipLaunchKernel(&scale, one, one, NULL, 0, stream), 0);
	must(hipLaunchKernel(&count, one, one, NULL, 0, stream), 98);
	must(hipGetLastError(), 98);
	must(hipMemsetAsync(device, 3, BYTES, stream), 0);
	must(hipMemcpyAsync(host, device, BYTES / 2, HIP_DEVICE_TO_HOST, stream), 0);
	must(hipEventRecord(event, stream), 0);
	must(hipEventSynchronize(event), 0);
	graph(stream);
	newest(device, stream);
	must(hipSetDevice(1), 0);
	must(hipMemcpyAsync(device, host, 16, HIP_HOST_TO_DEVICE, NULL), 0);
	must(hipDeviceSynchronize(), 0);
	must(hipSetDevice(0), 0);
	must(hipStreamDestroy(stream), 0);
	must(hipEventDestroy(event), 0);
	must(hipFree(device), 0);
	must(hipHostFree(host), 0);
	puts("expect calls:hipMalloc 1\nexpect calls:hipLaunchKernel 10\n"
	     "expect failed:hipLaunchKernel 1\nexpect failed:hipMemcpy 1\n"
	     "expect failed:hipSetDevice 1\n"
	     "expect calls:hipGraphLaunch 2\nexpect calls:hipGetLastError 0\n"
	     "expect kernel:axpy 11\nexpect copy_h2d 2\nexpect copy_d2h 1\nexpect barrier 1\n"
	     "expect bytes:copy_h2d 4112\nexpect bytes:copy_d2h 2048\n"
	     "expect allocated 2\nexpect freed 2\nexpect queues 3\nexpect devices 2");
	puts(STUB_HIP >= 700
		     ? "expect calls:hipLaunchKernelExC 2\nexpect calls:hipMemsetD2D8Async 1\n"
		       "expect kernels 13\nexpect kernel:scale 2\n"
		       "expect fill 2\nexpect bytes:fill 4224"
		     : "expect kernels 12\nexpect kernel:scale 1\n"
		       "expect fill 1\nexpect bytes:fill 4096");
	return failures ? 1 : 0;
}
