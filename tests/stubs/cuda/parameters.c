/* SPDX-License-Identifier: MIT */
/* parameters CASE: launches of kernels that are given addresses and other values, in each way that a
 * program may hand them over. tests/cuda/parameters.py says what is to be recorded of each. Without
 * CASE it prints their names. */
#include <string.h>

#include "tell.h"

/* As a driver's handles, and memory of the device. */
#define KERNEL ((void *)0x30000)   /* CUkernel, which the runtime launches */
#define FUNCTION ((void *)0x31000) /* CUfunction */
#define STRANGE ((void *)0x32000)  /* the driver knows nothing of it */
#define FIRST UINT64_C(0x7f0000000000)
#define SECOND UINT64_C(0x7f0000100000)
#define INSIDE (SECOND + 0x400)

struct driver_launch { /* cuLaunchKernel_params */
	const void *function;
	uint32_t grid[3], block[3], shared_bytes;
	void *stream;
	void **parameters;
	void **extra;
};

struct values { /* by value, in one parameter */
	int32_t count, more;
	uint64_t address;
	double factor;
};

static void allocate(uint64_t address, uint64_t bytes)
{
	uint64_t at = address, arguments[2] = {(uintptr_t)&at, bytes};
	struct call call = tell_make("cuMemAlloc_v2", arguments);

	tell_both(DOMAIN_DRIVER, DRIVER_MEM_ALLOC, &call);
}

static void ran(void)
{
	struct kernel kernel = {.kind = 10,
				.start = __builtin_ia32_rdtsc(),
				.context = 1,
				.stream = 7,
				.grid = {1, 1, 1},
				.block = {32, 1, 1},
				.correlation = tell_correlation,
				.name = "work"};

	kernel.end = kernel.completed = kernel.start + 1000;
	tell_cupti->activity(&kernel, sizeof(kernel));
}

static void launch_driver(const void *function, void **parameters, void **extra)
{
	struct driver_launch launch = {.function = function,
				       .grid = {1, 1, 1},
				       .block = {32, 1, 1},
				       .stream = STREAM,
				       .parameters = parameters,
				       .extra = extra};
	struct call call = tell_make("cuLaunchKernel", &launch);

	call.symbol = "work";
	tell_both(DOMAIN_DRIVER, DRIVER_LAUNCH_KERNEL, &call);
	ran();
}

/* The runtime's call, and the driver's in it, which has the same correlation id. */
static void launch_runtime(void **parameters)
{
	struct launch outer = {
		.grid = {1, 1, 1}, .block = {32, 1, 1}, .arguments = parameters, .stream = STREAM};
	struct driver_launch inner = {.function = KERNEL,
				      .grid = {1, 1, 1},
				      .block = {32, 1, 1},
				      .stream = STREAM,
				      .parameters = parameters};
	struct call call = tell_make("cudaLaunchKernel", &outer), driver = call;
	uint64_t between = 0;

	call.symbol = driver.symbol = "work";
	driver.function = "cuLaunchKernel";
	driver.arguments = &inner;
	driver.between = &between;
	tell_enter(DOMAIN_RUNTIME, RUNTIME_LAUNCH_KERNEL, &call);
	tell_both(DOMAIN_DRIVER, DRIVER_LAUNCH_KERNEL, &driver);
	tell_leave(DOMAIN_RUNTIME, RUNTIME_LAUNCH_KERNEL, &call);
	ran();
}

static void runtime(void)
{
	uint64_t first = FIRST, inside = INSIDE;
	int32_t count = 12;
	struct values values = {1, 2, FIRST, 0.5};

	launch_runtime((void *[]){&first, &count, &inside, &values});
}

static void driver(void)
{
	uint64_t second = SECOND;

	launch_driver(FUNCTION, (void *[]){&second}, NULL);
}

/* All values in one buffer. */
static void extra(void)
{
	struct {
		uint64_t first, count, inside;
	} buffer = {FIRST, 12, INSIDE};
	size_t bytes = sizeof(buffer);

	launch_driver(FUNCTION, NULL, (void *[]){(void *)1, &buffer, (void *)2, &bytes, NULL});
}

static void refused(void)
{
	uint64_t first = FIRST;

	launch_driver(STRANGE, (void *[]){&first}, NULL);
}

/* Without values, and one of which says where none lies. */
static void nothing(void)
{
	launch_driver(FUNCTION, NULL, NULL);
	launch_driver(FUNCTION, (void *[]){NULL}, NULL);
}

/* More addresses than are kept. */
static void many(void)
{
	static const size_t size = 64 * sizeof(uint64_t);
	uint64_t addresses[64];

	for (unsigned i = 0; i < 64; i++)
		addresses[i] = FIRST + i;
	stub_cuda_get()->function(STRANGE, 0, 1, &size);
	launch_driver(STRANGE, (void *[]){addresses}, NULL);
}

/* A handle is given again, for a kernel with fewer parameters. */
static void unloaded(void)
{
	static const char cubin[256] = "\177ELF";
	struct module module = {1, sizeof(cubin), cubin};
	struct resource resource = {CONTEXT, NULL, &module};
	uint64_t first = FIRST, second = SECOND;
	static const size_t sizes[2] = {sizeof(first), sizeof(second)};

	stub_cuda_get()->function(FUNCTION, 0, 2, sizes);
	launch_driver(FUNCTION, (void *[]){&first, &second}, NULL);
	tell_cupti->callback(DOMAIN_RESOURCE, 7, &resource);
	stub_cuda_get()->function(FUNCTION, 0, 1, sizes);
	launch_driver(FUNCTION, (void *[]){&second, (void *)1}, NULL);
}

int main(int argc, char **argv)
{
	static const struct tell_case cases[] = {
		TELL_CASE(runtime), TELL_CASE(driver), TELL_CASE(extra),    TELL_CASE(refused),
		TELL_CASE(nothing), TELL_CASE(many),   TELL_CASE(unloaded), {0},
	};
	static const size_t kernel[4] = {8, 4, 8, sizeof(struct values)}, function[1] = {8};
	void (*run)(void);
	int status = tell_begin_case(argc, argv, cases, &run);

	if (!run)
		return status;
	stub_cuda_get()->function(KERNEL, 1, 4, kernel);
	stub_cuda_get()->function(FUNCTION, 0, 1, function);
	allocate(FIRST, 4096);
	allocate(SECOND, 4096);
	run();
	return 0;
}
