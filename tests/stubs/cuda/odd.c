/* SPDX-License-Identifier: MIT */
/* odd [CASE]: a program for which CUPTI hands over what a tool may not expect, case by
 * case: pointers that are NULL, objects of another size, ids and kinds that nobody
 * knows. Around each there is a launch as it should be, which the trace must have.
 * Without CASE it prints their names.
 *
 * Where something is shorter than a tool may think, it ends at the end of a page, and
 * nothing is mapped behind it. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tell.h"

#define PAGE 4096

/* The last bytes before a page that can't be read. */
static void *page_end(const void *data, size_t bytes)
{
	uint8_t *pages =
		mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || mprotect(pages + PAGE, PAGE, PROT_NONE))
		exit(2);
	if (data)
		memcpy(pages + PAGE - bytes, data, bytes);
	return pages + PAGE - bytes;
}

/* --- a launch as it should be */

static struct kernel kernel_make(void)
{
	uint64_t now = __builtin_ia32_rdtsc();

	return (struct kernel){.kind = 10,
			       .start = now,
			       .end = now + 1000,
			       .context = 1,
			       .stream = 7,
			       .grid = {1, 1, 1},
			       .block = {32, 1, 1},
			       .correlation = tell_correlation,
			       .name = "normal"};
}

static void kernel_tell(const struct kernel *kernel)
{
	tell_cupti->activity(kernel, sizeof(*kernel));
}

static void launch_normal(void)
{
	struct launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .stream = STREAM};
	struct call call = tell_make("cudaLaunchKernel", &launch);
	struct kernel kernel;

	call.symbol = "normal";
	tell_both(DOMAIN_RUNTIME, RUNTIME_LAUNCH_KERNEL, &call);
	kernel = kernel_make();
	kernel_tell(&kernel);
}

/* --- the cases */

/* Functions that return no status: nothing at all, or something shorter. */
static void no_status(void)
{
	int32_t error = 1;
	char one = 1;
	struct call call = tell_make("cudaGetErrorString", &error);

	call.result = NULL;
	tell_both(DOMAIN_RUNTIME, RUNTIME_GET_ERROR_STRING, &call);
	call = tell_make("__cudaInitModule", &error);
	call.result = page_end(&one, 1);
	tell_both(DOMAIN_RUNTIME, RUNTIME_INIT_MODULE, &call);
}

/* A status that CUPTI does not say. */
static void null_status(void)
{
	uint64_t address = 0x7000, arguments[2] = {(uint64_t)(uintptr_t)&address, 64};
	struct call call = tell_make("cudaDeviceSynchronize", NULL);

	call.result = NULL;
	tell_both(DOMAIN_RUNTIME, RUNTIME_DEVICE_SYNCHRONIZE, &call);
	call = tell_make("cuMemAlloc_v2", arguments);
	call.result = NULL;
	tell_both(DOMAIN_DRIVER, DRIVER_MEM_ALLOC, &call);
}

static void null_arguments(void)
{
	static const struct {
		uint32_t domain, id;
	} calls[] = {
		{DOMAIN_RUNTIME, RUNTIME_LAUNCH_KERNEL},
		{DOMAIN_RUNTIME, RUNTIME_MEMCPY_ASYNC},
		{DOMAIN_RUNTIME, RUNTIME_MALLOC},
		{DOMAIN_RUNTIME, RUNTIME_LAUNCH_KERNEL_EX},
		{DOMAIN_DRIVER, DRIVER_MEM_ALLOC},
		{DOMAIN_DRIVER, DRIVER_MEM_ALLOC_PITCH},
		{DOMAIN_DRIVER, DRIVER_MEM_FREE},
		{DOMAIN_DRIVER, DRIVER_ARRAY_CREATE},
		{DOMAIN_DRIVER, DRIVER_ARRAY_3D_CREATE},
		{DOMAIN_DRIVER, DRIVER_LAUNCH_KERNEL},
		{DOMAIN_DRIVER, DRIVER_MEM_ALLOC_MANAGED},
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct call call = tell_make("null", NULL);

		tell_both(calls[i].domain, calls[i].id, &call);
	}
}

/* What the arguments lead to is not there. */
static void null_behind(void)
{
	static const uint32_t ids[] = {DRIVER_MEM_ALLOC,	 DRIVER_MEM_ALLOC_PITCH,
				       DRIVER_ARRAY_CREATE,	 DRIVER_ARRAY_3D_CREATE,
				       DRIVER_MEM_ALLOC_MANAGED, DRIVER_LAUNCH_KERNEL};
	static const uint64_t nothing[16];
	struct call call;

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		call = tell_make("null", nothing);
		tell_both(DOMAIN_DRIVER, ids[i], &call);
	}
	call = tell_make("cudaLaunchKernelExC", nothing);
	tell_both(DOMAIN_RUNTIME, RUNTIME_LAUNCH_KERNEL_EX, &call);
}

/* An address that was given, and what says how large it is not. */
static void null_size(void)
{
	static const uint32_t ids[] = {DRIVER_MEM_ALLOC_PITCH, DRIVER_ARRAY_CREATE,
				       DRIVER_ARRAY_3D_CREATE};
	void *given = (void *)0x7000;
	void *arguments[8] = {&given};

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		struct call call = tell_make("null", arguments);

		tell_both(DOMAIN_DRIVER, ids[i], &call);
	}
}

/* Functions of one argument, which is all that there is. */
static void short_arguments(void)
{
	uint64_t address = 0x7000, arguments[2] = {(uint64_t)(uintptr_t)&address, 64};
	struct call call = tell_make("cuMemAlloc_v2", page_end(arguments, sizeof(arguments)));

	tell_both(DOMAIN_DRIVER, DRIVER_MEM_ALLOC, &call);
	call = tell_make("cuMemFree_v2", page_end(&address, sizeof(address)));
	tell_both(DOMAIN_DRIVER, DRIVER_MEM_FREE, &call);
}

static void null_between(void)
{
	struct call call = tell_make("cudaDeviceSynchronize", NULL);

	call.between = NULL;
	tell_both(DOMAIN_RUNTIME, RUNTIME_DEVICE_SYNCHRONIZE, &call);
	call = tell_make("cuMemFree_v2", NULL);
	call.between = NULL;
	tell_both(DOMAIN_DRIVER, DRIVER_MEM_FREE, &call);
}

static void null_data(void)
{
	for (uint32_t domain = 0; domain < 8; domain++)
		for (uint32_t id = 2; id < 32; id++)
			tell_cupti->any_callback(domain, id, NULL);
}

static void null_context(void)
{
	uint64_t address = 0x7000, arguments[2] = {(uint64_t)(uintptr_t)&address, 64};
	struct launch launch = {.stream = STREAM};
	struct call call = tell_make("cuMemAlloc_v2", arguments);
	struct resource resource = {NULL, STREAM, NULL};

	call.context = NULL;
	call.context_id = 0;
	tell_both(DOMAIN_DRIVER, DRIVER_MEM_ALLOC, &call);
	call = tell_make("cudaLaunchKernel", &launch);
	call.context = NULL;
	call.context_id = 0;
	tell_both(DOMAIN_RUNTIME, RUNTIME_LAUNCH_KERNEL, &call);
	for (uint32_t id = 1; id < 24; id++)
		tell_cupti->any_callback(DOMAIN_RESOURCE, id, &resource);
	resource = (struct resource){NULL, NULL, NULL};
	for (uint32_t id = 1; id < 24; id++)
		tell_cupti->any_callback(DOMAIN_RESOURCE, id, &resource);
}

/* A context and streams that CUPTI itself does not know. */
static void unknown_handles(void)
{
	struct launch launch = {.stream = (void *)0x30000};
	struct call call = tell_make("cudaLaunchKernel", &launch);
	struct resource resource = {(void *)0x40000, (void *)0x30000, NULL};

	tell_both(DOMAIN_RUNTIME, RUNTIME_LAUNCH_KERNEL, &call);
	call = tell_make("cudaLaunchKernel", &launch);
	call.context = (void *)0x40000;
	call.context_id = UINT32_MAX;
	tell_both(DOMAIN_RUNTIME, RUNTIME_LAUNCH_KERNEL, &call);
	tell_cupti->any_callback(DOMAIN_RESOURCE, 3, &resource);
	tell_cupti->any_callback(DOMAIN_RESOURCE, 4, &resource);
}

/* Of a version that is to come. */
static void unknown_ids(void)
{
	static const uint32_t ids[] = {0, 900, 1023, 1024, 70000, UINT32_MAX};
	struct call call;

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		for (uint32_t domain = DOMAIN_DRIVER; domain <= DOMAIN_RUNTIME; domain++) {
			call = tell_make("cudaOfTomorrow", NULL);
			call.site = 0;
			tell_cupti->any_callback(domain, ids[i], &call);
			call.site = 1;
			call.result = NULL;
			tell_cupti->any_callback(domain, ids[i], &call);
		}
	}
	for (uint32_t domain = 7; domain < 12; domain++)
		tell_cupti->any_callback(domain, 1, &call);
	tell_cupti->any_callback(UINT32_MAX, 1, &call);
	tell_cupti->any_callback(DOMAIN_RESOURCE, UINT32_MAX, page_end(NULL, 1));
	tell_cupti->any_callback(DOMAIN_STATE, 77, page_end(NULL, 1));
}

static void modules(void)
{
	static const char cubin[] = "\177ELF";
	struct module module = {1, 0, NULL};
	struct resource resource = {CONTEXT, NULL, NULL};

	tell_cupti->callback(DOMAIN_RESOURCE, 6, &resource);
	resource.descriptor = &module;
	tell_cupti->callback(DOMAIN_RESOURCE, 6, &resource);
	module = (struct module){2, 4096, NULL};
	tell_cupti->callback(DOMAIN_RESOURCE, 6, &resource);
	module = (struct module){3, 0, cubin};
	tell_cupti->callback(DOMAIN_RESOURCE, 6, &resource);
	module = (struct module){4, 3, page_end(cubin, 3)};
	tell_cupti->callback(DOMAIN_RESOURCE, 6, &resource);
}

/* Ends without a beginning, with whatever lies in the word between. */
static void lone_ends(void)
{
	static const uint64_t words[] = {1, 2, 8, 9, UINT32_MAX, UINT64_MAX};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct call call = tell_make("cudaDeviceSynchronize", NULL);

		tell_between = words[i];
		tell_leave(DOMAIN_RUNTIME, RUNTIME_DEVICE_SYNCHRONIZE, &call);
		tell_between = words[i];
		tell_leave(DOMAIN_DRIVER, DRIVER_LAUNCH_KERNEL, &call);
	}
}

/* More calls inside of each other than anybody counts, and none ends. */
static void lone_beginnings(void)
{
	static uint64_t words[40];

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct call call = tell_make("cudaDeviceSynchronize", NULL);

		call.between = &words[i];
		tell_enter(DOMAIN_RUNTIME, RUNTIME_DEVICE_SYNCHRONIZE, &call);
	}
	for (size_t i = sizeof(words) / sizeof(words[0]); i--;) {
		struct call call = tell_make("cudaDeviceSynchronize", NULL);

		call.correlation = tell_correlation - 1 -
				   (uint32_t)(sizeof(words) / sizeof(words[0]) - 1 - i) * 2;
		call.between = &words[i];
		tell_leave(DOMAIN_RUNTIME, RUNTIME_DEVICE_SYNCHRONIZE, &call);
	}
}

/* A capture whose beginning was not heard ends; the next one counts all the same. */
static void capture_end(void)
{
	struct launch launch = {.stream = STREAM};
	struct call call = tell_make("cuStreamEndCapture", NULL);

	tell_both(DOMAIN_DRIVER, DRIVER_STREAM_END_CAPTURE, &call);
	call = tell_make("cuStreamBeginCapture_v2", NULL);
	tell_both(DOMAIN_DRIVER, DRIVER_STREAM_BEGIN_CAPTURE, &call);
	call = tell_make("cudaLaunchKernel", &launch);
	call.symbol = "captured";
	tell_both(DOMAIN_RUNTIME, RUNTIME_LAUNCH_KERNEL, &call);
	call = tell_make("cuStreamEndCapture", NULL);
	tell_both(DOMAIN_DRIVER, DRIVER_STREAM_END_CAPTURE, &call);
}

/* --- activity */

static void odd_kernels(void)
{
	struct kernel kernel = kernel_make();

	kernel.name = NULL;
	kernel_tell(&kernel);
	kernel = kernel_make();
	kernel.correlation = 0;
	kernel_tell(&kernel);
	kernel = kernel_make();
	kernel.device = UINT32_MAX - 1;
	kernel.context = UINT32_MAX;
	kernel.stream = UINT32_MAX;
	kernel_tell(&kernel);
	kernel = kernel_make();
	kernel.start = kernel.end + 1000000;
	kernel_tell(&kernel);
	kernel = kernel_make();
	kernel.start = 0;
	kernel_tell(&kernel);
	kernel = kernel_make();
	kernel.start = kernel.end = UINT64_MAX;
	kernel_tell(&kernel);
}

/* Values that no table has. */
static void odd_values(void)
{
	uint8_t record[512];
	static const struct {
		uint32_t kind, at; /* of a value */
	} values[] = {{1, 4},	{1, 5},	  {1, 6},   {2, 54}, {2, 4},  {22, 4},
		      {22, 48}, {25, 4},  {25, 40}, {17, 4}, {17, 6}, {17, 8},
		      {39, 4},	{51, 24}, {5, 4},   {4, 4},  {10, 32}};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		memset(record, 0, sizeof(record));
		memcpy(record, &values[i].kind, 4);
		memset(record + values[i].at, 0xee, 4);
		tell_cupti->any_activity(record, 192);
	}
}

/* Records of kinds that were never asked for, and of kinds that are to come. */
static void unknown_kinds(void)
{
	uint64_t record[4];

	for (uint32_t kind = 0; kind < 256; kind++) {
		static const uint32_t known[] = {1, 2, 3, 4, 5, 10, 17, 22, 25, 39, 51};
		int skip = 0;

		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			skip |= known[i] == kind;
		memset(record, 0xff, sizeof(record));
		memcpy(record, &kind, sizeof(kind));
		if (!skip)
			tell_cupti->any_activity(record, sizeof(record));
	}
	memset(record, 0xff, sizeof(record));
	tell_cupti->any_activity(record, sizeof(record));
}

/* Of a version that has more at the end. */
static void long_records(void)
{
	struct {
		struct kernel kernel;
		uint8_t more[1000];
	} record = {kernel_make(), {0}};

	memset(record.more, 0xff, sizeof(record.more));
	tell_cupti->activity(&record, sizeof(record));
}

static void no_buffer(void)
{
	for (int i = 0; i < 4; i++)
		tell_cupti->no_buffer();
}

static const struct tell_case cases[] = {
	TELL_CASE(no_status),	    TELL_CASE(null_status),	TELL_CASE(null_arguments),
	TELL_CASE(null_behind),	    TELL_CASE(null_size),	TELL_CASE(short_arguments),
	TELL_CASE(null_between),    TELL_CASE(null_data),	TELL_CASE(null_context),
	TELL_CASE(unknown_handles), TELL_CASE(unknown_ids),	TELL_CASE(modules),
	TELL_CASE(lone_ends),	    TELL_CASE(lone_beginnings), TELL_CASE(capture_end),
	TELL_CASE(odd_kernels),	    TELL_CASE(odd_values),	TELL_CASE(unknown_kinds),
	TELL_CASE(long_records),    TELL_CASE(no_buffer),	{NULL, NULL},
};

int main(int argc, char **argv)
{
	void (*tell)(void);
	int status = tell_begin_case(argc, argv, cases, &tell);

	if (!tell)
		return status;
	launch_normal();
	tell();
	launch_normal();
	return 0;
}
