/* SPDX-License-Identifier: MIT */
/* libcuda.so.1 of the stub: as much as a tool asks of the driver. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay.h"

#define DEVICES 8
#define ATTRIBUTES 160

static struct {
	char name[256];
	size_t bytes;
	int attributes[ATTRIBUTES];
} devices[DEVICES];
static int device_count, driver_version = 13000;

int cuInit(unsigned flags);
int cuDriverGetVersion(int *version);
int cuDeviceGetCount(int *count);
int cuDeviceGet(int *device, int ordinal);
int cuDeviceGetName(char *name, int bytes, int device);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDeviceTotalMem_v2(size_t *bytes, int device);
int cuStreamIsCapturing(void *stream, int *status);
int cuStreamGetFlags(void *stream, unsigned *flags);
int cuPointerGetAttribute(void *value, int attribute, uint64_t address);
int cuArray3DGetDescriptor_v2(void *descriptor, void *array);
int cuFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *bytes);
int cuKernelGetParamInfo(const void *kernel, size_t index, size_t *offset, size_t *bytes);

static struct {
	const void *handle;
	const size_t *sizes;
	unsigned count;
	int is_kernel;
} functions[8];

enum {
	CUDA_SUCCESS = 0,
	CUDA_ERROR_INVALID_VALUE = 1,
	CUDA_ERROR_INVALID_DEVICE = 101,
	CUDA_ERROR_INVALID_HANDLE = 400
};

/* As the driver: the library that the variable names, its InitializeInjection(). */
int cuInit(unsigned flags)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
	int (*initialize)(void) = NULL;

	(void)flags;
	if (library)
		*(void **)&initialize = dlsym(library, "InitializeInjection");
	if (initialize && !initialize())
		abort(); /* a tool that says no makes cuInit() fail: none does */
	return CUDA_SUCCESS;
}

int cuDriverGetVersion(int *version)
{
	*version = driver_version;
	return CUDA_SUCCESS;
}

int cuDeviceGetCount(int *count)
{
	*count = device_count;
	return CUDA_SUCCESS;
}

int cuDeviceGet(int *device, int ordinal)
{
	*device = ordinal;
	return ordinal >= 0 && ordinal < device_count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

int cuDeviceGetName(char *name, int bytes, int device)
{
	snprintf(name, (size_t)bytes, "%s", devices[device].name);
	return CUDA_SUCCESS;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
	*value = devices[device].attributes[attribute];
	return CUDA_SUCCESS;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
	*bytes = devices[device].bytes;
	return CUDA_SUCCESS;
}

/* What is replayed was begun and ended in its calls: nobody asks in between but
 * for a stream that is being captured. */
int cuStreamIsCapturing(void *stream, int *status)
{
	(void)stream;
	*status = 1;
	return CUDA_SUCCESS;
}

int cuStreamGetFlags(void *stream, unsigned *flags)
{
	*flags = ((uintptr_t)stream & 0xF000) == 0xB000; /* non-blocking ones are called so here */
	return CUDA_SUCCESS;
}

static void set_version(int version)
{
	driver_version = version;
}

static void set_device(int device, const char *name)
{
	if (device < 0 || device >= DEVICES)
		return;
	snprintf(devices[device].name, sizeof(devices[device].name), "%s", name);
	if (device >= device_count)
		device_count = device + 1;
}

static void set_memory(int device, size_t bytes)
{
	if (device >= 0 && device < DEVICES)
		devices[device].bytes = bytes;
}

static void set_attribute(int device, int attribute, int value)
{
	if (device >= 0 && device < DEVICES && attribute >= 0 && attribute < ATTRIBUTES)
		devices[device].attributes[attribute] = value;
}

/* A handle that is there already is another function's from now on. */
static void set_function(const void *handle, int is_kernel, unsigned count, const size_t *sizes)
{
	unsigned at = 0;

	while (functions[at].handle && functions[at].handle != handle)
		at++;
	if (at == sizeof(functions) / sizeof(functions[0]))
		abort();
	functions[at].handle = handle;
	functions[at].is_kernel = is_kernel;
	functions[at].count = count;
	functions[at].sizes = sizes;
}

/* As the driver: each of the two functions refuses the other's handles. */
static int parameter_info(const void *handle, int is_kernel, size_t index, size_t *offset,
			  size_t *bytes)
{
	for (unsigned i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (!handle || functions[i].handle != handle || functions[i].is_kernel != is_kernel)
			continue;
		if (index >= functions[i].count)
			return CUDA_ERROR_INVALID_VALUE;
		*offset = 8 * index;
		*bytes = functions[i].sizes[index];
		return CUDA_SUCCESS;
	}
	return CUDA_ERROR_INVALID_HANDLE;
}

int cuFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *bytes)
{
	return parameter_info(function, 0, index, offset, bytes);
}

int cuKernelGetParamInfo(const void *kernel, size_t index, size_t *offset, size_t *bytes)
{
	return parameter_info(kernel, 1, index, offset, bytes);
}

const struct stub_cuda *stub_cuda_get(void)
{
	static const struct stub_cuda stub = {set_version, set_device, set_memory, set_attribute,
					      set_function};

	return &stub;
}

/* What the program has is host memory, from its executable's data on; addresses below are the
 * device's, as in faulty.c; what replay.c was told lies anywhere, and cannot be read as a whole. */
/* Its elements are numbers of 32 bits with a point. */
int cuArray3DGetDescriptor_v2(void *descriptor, void *array)
{
	struct {
		size_t size[3];
		unsigned format, channels, flags;
	} *to = descriptor;

	(void)array;
	to->format = 0x20;
	to->channels = 1;
	return CUDA_SUCCESS;
}

int cuPointerGetAttribute(void *value, int attribute, uint64_t address)
{
	enum { MEMORY_TYPE = 2, IS_MANAGED = 8, HOST = 1, DEVICE = 2, INVALID_VALUE = 1 };
	const char *memory = getenv("STUB_HOST_MEMORY");

	if (memory && !strcmp(memory, "ordinary") && address >= UINT64_C(0x100000000))
		return INVALID_VALUE;
	if (attribute == IS_MANAGED)
		*(unsigned *)value = memory && !strcmp(memory, "managed");
	else
		*(unsigned *)value =
			memory && *memory && address >= UINT64_C(0x100000000) ? HOST : DEVICE;
	return CUDA_SUCCESS;
}
