/* SPDX-License-Identifier: MIT */
/* A HIP runtime without a GPU: libamdhip64 of several versions (generation.h). Arguments
 * are where hip_prof_str.h of those versions has them. Where STUB_HIP_NO_DEVICE is set it
 * finds no device; STUB_HIP_ODD names what it answers oddly. */
#include "hip.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "generation.h"

#define NO_DEVICE 100
#define INVALID_VALUE 1
#define INVALID_FUNCTION 98
#define KERNELS 32u

static __thread int last_error, current;
static struct stream default_stream[2] = {{.number = 0, .captured = -1},
					  {.number = 4, .device = 1, .captured = -1}};
static _Atomic uint64_t stream_numbers;
static struct {
	const void *host;
	const char *name;
	void (*code)(void **arguments);
} kernels[KERNELS];
static uint32_t kernel_count;

#if STUB_HIP == 502
/* From the end: no number is the newest headers'. */
enum {
#define X(name, parameters, arguments) PLACE_##name,
	STUB_HIP_FUNCTIONS(X) PLACES
#undef X
};
#define ID(name) (PLACES - PLACE_##name)
#else
#define ID(name) HIP_ID_##name
#endif

static bool is_odd(const char *what)
{
	const char *odd = getenv("STUB_HIP_ODD");

	return odd && !strcmp(odd, what);
}

const char *hipApiName(uint32_t id)
{
	switch (id) {
#define X(name, parameters, arguments) \
	case ID(name):                 \
		return #name;
		STUB_HIP_FUNCTIONS(X)
#undef X
	default:
		return is_odd("api_names") ? NULL : "unknown";
	}
}

#if STUB_HIP < 600
#define FUNCTION(name, parameters) int name parameters
#else
int32_t rocprofiler_register_library_api_table(const char *name, uint32_t (*import)(void),
					       uint32_t version, void **tables, uint64_t count,
					       uint64_t *id);

/* The tables end with functions that no tool knows yet; HIP 6's are shorter than what it knows. */
#define TABLE_WORDS (STUB_HIP >= 700 ? 560u : 480u)
#define VERSION (STUB_HIP / 100 * 10000 + STUB_HIP % 100 * 100)
#define COMPILER_WORDS 10u

#define FUNCTION(name, parameters) static int real_##name parameters
#define X(name, parameters, arguments) FUNCTION(name, parameters);
STUB_HIP_FUNCTIONS(X)
#undef X

static uint64_t *tables(bool compiler)
{
	static uint64_t words[TABLE_WORDS], compiler_words[COMPILER_WORDS];
	static bool made;

	if (!made) {
		void *table = words, *compiler_table = compiler_words;
		uint64_t id;

		made = true;
		words[0] = sizeof(words);
		compiler_words[0] = sizeof(compiler_words);
#define X(name, parameters, arguments) words[HIP_RUNTIME_##name] = (uintptr_t)real_##name;
		STUB_HIP_FUNCTIONS(X)
#undef X
		rocprofiler_register_library_api_table("hip", NULL, VERSION, &table, 1, &id);
		rocprofiler_register_library_api_table("hip_compiler", NULL, VERSION,
						       &compiler_table, 1, &id);
	}
	return compiler ? compiler_words : words;
}

#define X(name, parameters, arguments)                                                  \
	int name parameters                                                             \
	{                                                                               \
		return ((int(*) parameters)tables(false)[HIP_RUNTIME_##name])arguments; \
	}
STUB_HIP_FUNCTIONS(X)
#undef X
#endif

static bool has_devices(void)
{
	return !getenv("STUB_HIP_NO_DEVICE");
}

/* As HIP_INIT_API and HIP_RETURN: the callback comes first, the lack of a device then. */
#define BEGIN(name, fill)                                           \
	struct call call_;                                          \
	call_begin(&call_, ID(name));                               \
	if (call_.arguments) {                                      \
		uint8_t *to_ = call_.arguments;                     \
		(void)to_;                                          \
		fill;                                               \
		call_filled(&call_);                                \
	}                                                           \
	if (!has_devices() && ID(name) != ID(hipRuntimeGetVersion)) \
	RETURN(NO_DEVICE)
#define PUT(at, value) memcpy(to_ + (at), &(value), sizeof(value))
#define RETURN(status)                 \
	do {                           \
		last_error = (status); \
		call_end(&call_);      \
		return last_error;     \
	} while (0)

static struct stream *stream_of(void *stream)
{
	return stream ? stream : &default_stream[current];
}

static void enqueue(void *stream, uint32_t command, uint32_t operation, uint64_t bytes,
		    const char *kernel, uint32_t microseconds)
{
	struct operation made = {
		.command = command,
		.operation = operation,
		.bytes = bytes,
		.kernel = kernel,
		.microseconds = microseconds,
		.correlation = call_correlation(),
	};

	engine_enqueue(stream_of(stream), &made);
}

void __hipRegisterFunction(void **modules, const void *host, char *device, const char *name,
			   unsigned limit, void *tid, void *bid, void *block, void *grid, int *size)
{
	(void)modules, (void)device, (void)limit, (void)tid, (void)bid, (void)block, (void)grid;
	(void)size;
	kernels[kernel_count].host = host;
	kernels[kernel_count++].name = name;
}

/* What the kernel is to do: at its launch. */
void stub_hip_code(const void *host, void (*code)(void **arguments))
{
	for (uint32_t i = 0; i < kernel_count; i++)
		if (kernels[i].host == host)
			kernels[i].code = code;
}

static void code_run(const void *host, void **arguments)
{
	for (uint32_t i = 0; i < kernel_count; i++)
		if (kernels[i].host == host && kernels[i].code)
			kernels[i].code(arguments);
}

const char *hipKernelNameRefByPtr(const void *function, void *stream)
{
	(void)stream;
	for (uint32_t i = 0; i < kernel_count; i++)
		if (kernels[i].host == function)
			return kernels[i].name;
	return NULL;
}

FUNCTION(hipInit, (unsigned flags))
{
	BEGIN(hipInit, PUT(0, flags));
	RETURN(flags ? INVALID_VALUE : 0);
}

FUNCTION(hipRuntimeGetVersion, (int *version))
{
	BEGIN(hipRuntimeGetVersion, PUT(0, version));
	*version = STUB_HIP / 100 * 10000000 + STUB_HIP % 100 * 100000;
	RETURN(0);
}

FUNCTION(hipGetDeviceCount, (int *count))
{
	BEGIN(hipGetDeviceCount, PUT(0, count));
	*count = is_odd("numbers") ? INT32_MAX : 2;
	RETURN(0);
}

FUNCTION(hipGetDevice, (int *device))
{
	BEGIN(hipGetDevice, PUT(0, device));
	*device = is_odd("numbers") ? -7 : current;
	RETURN(0);
}

FUNCTION(hipSetDevice, (int device))
{
	BEGIN(hipSetDevice, PUT(0, device));
	if (device < 0 || device > 1)
		RETURN(101);
	current = device;
	RETURN(0);
}

FUNCTION(hipDeviceGetName, (char *name, int bytes, int device))
{
	BEGIN(hipDeviceGetName, );
	snprintf(name, (size_t)bytes, "Stub GPU %d", device);
	if (is_odd("device_name")) /* no text, and without an end */
		memset(name, 0xff, (size_t)bytes);
	RETURN(is_odd("refused") ? INVALID_VALUE : 0);
}

FUNCTION(hipDeviceTotalMem, (size_t * bytes, int device))
{
	BEGIN(hipDeviceTotalMem, );
	*bytes = is_odd("numbers") ? SIZE_MAX : (size_t)(device + 1) << 30;
	RETURN(is_odd("refused") ? INVALID_VALUE : 0);
}

FUNCTION(hipDeviceGetAttribute, (int *value, int attribute, int device))
{
	BEGIN(hipDeviceGetAttribute, );
	(void)device;
	switch (attribute) {
	case 63: /* compute units */
		*value = 110;
		break;
	case 5: /* kHz */
		*value = 1700000;
		break;
	case 23: /* major */
		*value = 9;
		break;
	case 57: /* threads of one */
		*value = 2048;
		break;
	case 87: /* threads of a wave */
		*value = 64;
		break;
	case 74: /* local memory of a block, and of one */
	case 10002:
		*value = 65536;
		break;
	default:
		*value = 0;
		break;
	}
	if (is_odd("numbers"))
		*value = attribute % 2 ? INT32_MIN : INT32_MAX;
	RETURN(is_odd("refused") ? INVALID_VALUE : 0);
}

/* hipDeviceProp_t, whose name of the processor is elsewhere in each version; one of its words looks
 * like the beginning of one. */
int STUB_HIP_PROPERTIES(char *properties, int device)
{
	uint32_t bytes = STUB_HIP >= 600 ? 1472 : 792;

	memset(properties, is_odd("numbers") ? 0xff : 0, bytes);
	snprintf(properties, 256, "gfx1030 is not the name of Stub GPU %d", device);
	memcpy(properties + 300, "gfx9", 4);
	if (is_odd("numbers"))
		memcpy(properties + bytes - 12, "gfx123456789", 12);
	else
		strcpy(properties + (STUB_HIP >= 600 ? 1160 : 396), "gfx90a:sramecc+:xnack-");
	return is_odd("refused") ? INVALID_VALUE : 0;
}

FUNCTION(hipDeviceSynchronize, (void))
{
	BEGIN(hipDeviceSynchronize, );
	engine_wait(NULL);
	RETURN(0);
}

FUNCTION(hipMalloc, (void **pointer, size_t bytes))
{
	BEGIN(hipMalloc, PUT(0, pointer); PUT(16, bytes));
	*pointer = malloc(bytes);
	RETURN(*pointer ? 0 : 2);
}

FUNCTION(hipFree, (void *pointer))
{
	BEGIN(hipFree, PUT(0, pointer));
	free(pointer);
	RETURN(0);
}

FUNCTION(hipHostMalloc, (void **pointer, size_t bytes, unsigned flags))
{
	BEGIN(hipHostMalloc, PUT(0, pointer); PUT(16, bytes); PUT(24, flags));
	*pointer = malloc(bytes);
	RETURN(*pointer ? 0 : 2);
}

FUNCTION(hipHostFree, (void *pointer))
{
	BEGIN(hipHostFree, PUT(0, pointer));
	free(pointer);
	RETURN(0);
}

static uint32_t copy_command(int kind)
{
	return kind == HIP_HOST_TO_DEVICE ? 0x11F4 : kind == HIP_DEVICE_TO_HOST ? 0x11F3 : 0x11F5;
}

FUNCTION(hipMemcpy, (void *to, const void *from, size_t bytes, int kind))
{
	BEGIN(hipMemcpy, PUT(0, to); PUT(8, from); PUT(16, bytes); PUT(24, kind));
	if (!to || !from)
		RETURN(INVALID_VALUE);
	memcpy(to, from, bytes);
	enqueue(NULL, copy_command(kind), 1, bytes, NULL, 200);
	engine_wait(stream_of(NULL));
	RETURN(0);
}

FUNCTION(hipMemcpyAsync, (void *to, const void *from, size_t bytes, int kind, void *stream))
{
	BEGIN(hipMemcpyAsync, PUT(0, to); PUT(8, from); PUT(16, bytes); PUT(24, kind);
	      PUT(32, stream));
	memcpy(to, from, bytes);
	enqueue(stream, copy_command(kind), 1, bytes, NULL, 100);
	RETURN(0);
}

FUNCTION(hipMemsetAsync, (void *to, int value, size_t bytes, void *stream))
{
	BEGIN(hipMemsetAsync, PUT(0, to); PUT(8, value); PUT(16, bytes); PUT(24, stream));
	memset(to, value, bytes);
	enqueue(stream, 0x1207, 1, bytes, NULL, 50);
	RETURN(0);
}

FUNCTION(hipLaunchKernel, (const void *function, struct dim blocks, struct dim items,
			   void **arguments, size_t shared, void *stream))
{
	const char *name = hipKernelNameRefByPtr(function, stream);

	BEGIN(hipLaunchKernel, PUT(0, function); PUT(8, blocks); PUT(20, items); PUT(32, arguments);
	      PUT(48, shared); PUT(56, stream));
	if (!name)
		RETURN(INVALID_FUNCTION);
	if (stream_of(stream)->captured >= 0) {
		stream_of(stream)->captured++;
		RETURN(0);
	}
	code_run(function, arguments);
	enqueue(stream, 0x11F0, 0, 0, name, 300);
	RETURN(0);
}

#if STUB_HIP >= 700
FUNCTION(hipLaunchKernelExC,
	 (const struct launch_config *config, const void *function, void **arguments))
{
	const char *name = hipKernelNameRefByPtr(function, NULL);

	BEGIN(hipLaunchKernelExC, PUT(0, config); PUT(64, function); PUT(72, arguments));
	if (!name || !config)
		RETURN(config ? INVALID_FUNCTION : INVALID_VALUE);
	code_run(function, arguments);
	enqueue(config->stream, 0x11F0, 0, 0, name, 300);
	RETURN(0);
}

FUNCTION(hipMemsetD2D8Async,
	 (void *to, size_t pitch, unsigned char value, size_t width, size_t height, void *stream))
{
	BEGIN(hipMemsetD2D8Async, PUT(0, to); PUT(8, pitch); PUT(16, value); PUT(24, width);
	      PUT(32, height); PUT(40, stream));
	for (size_t y = 0; y < height; y++)
		memset((char *)to + y * pitch, value, width);
	enqueue(stream, 0x1207, 1, width * height, NULL, 50);
	RETURN(0);
}
#endif

FUNCTION(hipFuncGetAttributes, (void *attributes, const void *function))
{
	BEGIN(hipFuncGetAttributes, );
	if (!hipKernelNameRefByPtr(function, NULL))
		RETURN(INVALID_FUNCTION);
	memset(attributes, 0, 56);
	((int32_t *)attributes)[8] = 72;    /* registers */
	((uint64_t *)attributes)[6] = 2048; /* of the block */
	((uint64_t *)attributes)[2] = 16;   /* of a thread */
	if (is_odd("numbers"))
		memset(attributes, 0xff, 56);
	RETURN(is_odd("refused") ? INVALID_VALUE : 0);
}

FUNCTION(hipStreamCreate, (void **stream))
{
	struct stream *made;

	BEGIN(hipStreamCreate, PUT(0, stream));
	made = calloc(1, sizeof(*made));
	made->number = 8 + ++stream_numbers;
	made->device = current;
	made->captured = -1;
	*stream = made;
	RETURN(0);
}

FUNCTION(hipStreamDestroy, (void *stream))
{
	BEGIN(hipStreamDestroy, PUT(0, stream));
	engine_wait(stream);
	free(stream);
	RETURN(0);
}

FUNCTION(hipStreamSynchronize, (void *stream))
{
	BEGIN(hipStreamSynchronize, PUT(0, stream));
	engine_wait(stream_of(stream));
	RETURN(0);
}

FUNCTION(hipStreamBeginCapture, (void *stream, int mode))
{
	BEGIN(hipStreamBeginCapture, PUT(0, stream); PUT(8, mode));
	stream_of(stream)->captured = 0;
	RETURN(0);
}

FUNCTION(hipStreamEndCapture, (void *stream, void **graph))
{
	BEGIN(hipStreamEndCapture, PUT(0, stream); PUT(8, graph));
	*graph = (void *)(uintptr_t)(4096 + stream_of(stream)->captured * 16);
	stream_of(stream)->captured = -1;
	RETURN(0);
}

FUNCTION(hipStreamIsCapturing, (void *stream, int *status))
{
	BEGIN(hipStreamIsCapturing, PUT(0, stream); PUT(8, status));
	*status = stream_of(stream)->captured >= 0;
	RETURN(0);
}

FUNCTION(hipGraphInstantiate,
	 (void **executable, void *graph, void **node, char *text, size_t bytes))
{
	BEGIN(hipGraphInstantiate, PUT(0, executable); PUT(16, graph); PUT(24, node); PUT(40, text);
	      PUT(56, bytes));
	*executable = graph;
	RETURN(0);
}

FUNCTION(hipGraphLaunch, (void *executable, void *stream))
{
	uint64_t count = ((uintptr_t)executable - 4096) / 16;

	BEGIN(hipGraphLaunch, PUT(0, executable); PUT(8, stream));
	while (count--)
		enqueue(stream, 0x11F0, 0, 0, kernels[0].name, 100);
	RETURN(0);
}

FUNCTION(hipEventCreate, (void **event))
{
	BEGIN(hipEventCreate, PUT(0, event));
	*event = calloc(1, sizeof(struct stream *));
	RETURN(0);
}

FUNCTION(hipEventRecord, (void *event, void *stream))
{
	BEGIN(hipEventRecord, PUT(0, event); PUT(8, stream));
	*(struct stream **)event = stream_of(stream);
	enqueue(stream, 0x11FE, 2, 0, NULL, 5);
	RETURN(0);
}

FUNCTION(hipEventSynchronize, (void *event))
{
	BEGIN(hipEventSynchronize, PUT(0, event));
	engine_wait(*(struct stream **)event);
	RETURN(0);
}

FUNCTION(hipEventDestroy, (void *event))
{
	BEGIN(hipEventDestroy, PUT(0, event));
	free(event);
	RETURN(0);
}

FUNCTION(hipGetLastError, (void))
{
	int error;

	BEGIN(hipGetLastError, );
	error = last_error;
	last_error = 0;
	call_end(&call_);
	return error;
}

#if STUB_HIP >= 600
FUNCTION(hipExtGetLastError, (void))
{
	int error;

	BEGIN(hipExtGetLastError, );
	error = last_error;
	last_error = 0;
	call_end(&call_);
	return error;
}

FUNCTION(hipSetValidDevices, (int *devices, int count))
{
	BEGIN(hipSetValidDevices, PUT(0, devices); PUT(8, count));
	RETURN(devices && count > 0 ? 0 : 1);
}
#endif

FUNCTION(hipPeekAtLastError, (void))
{
	BEGIN(hipPeekAtLastError, );
	RETURN(last_error);
}
