/* SPDX-License-Identifier: MIT */
/* The few questions that we ask of the CUDA driver itself. The program has it
 * loaded: we never do. */
#include "domains/cuda/cupti/driver.h"

#include <dlfcn.h>

#include "domains/cuda/thread.h"

typedef int32_t parameter_info(const void *function, size_t index, size_t *offset, size_t *bytes);

struct array_descriptor { /* CUDA_ARRAY3D_DESCRIPTOR */
	size_t width, height, depth;
	uint32_t format, channels, flags;
};

static struct {
	int32_t (*version)(int32_t *version);
	int32_t (*count)(int32_t *count);
	int32_t (*get)(int32_t *device, int32_t ordinal);
	int32_t (*name)(char *name, int32_t bytes, int32_t device);
	int32_t (*attribute)(int32_t *value, int32_t attribute, int32_t device);
	int32_t (*memory)(size_t *bytes, int32_t device);
	int32_t (*capturing)(void *stream, int32_t *status);
	int32_t (*flags)(void *stream, uint32_t *flags);
	int32_t (*pointer)(void *value, int32_t attribute, uint64_t address);
	int32_t (*array)(struct array_descriptor *descriptor, const void *array);
	parameter_info *parameter, *kernel_parameter;
} driver;

void cuda_driver_find(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);

	if (!library)
		return;
	*(void **)&driver.version = dlsym(library, "cuDriverGetVersion");
	*(void **)&driver.count = dlsym(library, "cuDeviceGetCount");
	*(void **)&driver.get = dlsym(library, "cuDeviceGet");
	*(void **)&driver.name = dlsym(library, "cuDeviceGetName");
	*(void **)&driver.attribute = dlsym(library, "cuDeviceGetAttribute");
	*(void **)&driver.memory = dlsym(library, "cuDeviceTotalMem_v2");
	*(void **)&driver.capturing = dlsym(library, "cuStreamIsCapturing");
	*(void **)&driver.flags = dlsym(library, "cuStreamGetFlags");
	*(void **)&driver.pointer = dlsym(library, "cuPointerGetAttribute");
	*(void **)&driver.array = dlsym(library, "cuArray3DGetDescriptor_v2");
	*(void **)&driver.parameter = dlsym(library, "cuFuncGetParamInfo");
	*(void **)&driver.kernel_parameter = dlsym(library, "cuKernelGetParamInfo");
}

uint32_t cuda_driver_version(void)
{
	int32_t version = 0;

	if (!driver.version || driver.version(&version))
		return 0;
	return (uint32_t)version;
}

bool cuda_driver_has_devices(void)
{
	int32_t count = 0;

	cuda_in_tool_begin();
	if (driver.count && driver.count(&count))
		count = 0;
	cuda_in_tool_end();
	return !driver.count || count > 0;
}

static bool device_get(uint32_t ordinal, int32_t *device)
{
	return driver.get && !driver.get(device, (int32_t)ordinal);
}

int32_t cuda_driver_attribute(uint32_t ordinal, int32_t attribute)
{
	int32_t device, value = 0;

	cuda_in_tool_begin();
	if (!device_get(ordinal, &device) || !driver.attribute ||
	    driver.attribute(&value, attribute, device))
		value = 0;
	cuda_in_tool_end();
	return value;
}

uint64_t cuda_driver_memory_bytes(uint32_t ordinal)
{
	size_t bytes = 0;
	int32_t device;

	cuda_in_tool_begin();
	if (!device_get(ordinal, &device) || !driver.memory || driver.memory(&bytes, device))
		bytes = 0;
	cuda_in_tool_end();
	return bytes;
}

void cuda_driver_name(uint32_t ordinal, char *name, int bytes)
{
	int32_t device;

	cuda_in_tool_begin();
	if (!device_get(ordinal, &device) || !driver.name || driver.name(name, bytes, device))
		name[0] = 0;
	name[bytes - 1] = 0;
	cuda_in_tool_end();
}

bool cuda_driver_is_capturing(void *stream)
{
	int32_t status = 0;

	cuda_in_tool_begin();
	if (!driver.capturing || driver.capturing(stream, &status))
		status = 0;
	cuda_in_tool_end();
	return status != 0;
}

uint32_t cuda_driver_stream_flags(const void *stream)
{
	uint32_t flags = 0;

	cuda_in_tool_begin();
	if (!driver.flags || driver.flags((void *)(uintptr_t)stream, &flags))
		flags = 0;
	cuda_in_tool_end();
	return flags;
}

/* CUpointer_attribute, CUmemorytype, CUresult. */
enum { POINTER_MEMORY_TYPE = 2, POINTER_IS_MANAGED = 8, MEMORY_HOST = 1, INVALID_VALUE = 1 };

bool cuda_driver_is_host_memory(const void *address)
{
	uint32_t type = 0, managed = 0;
	int32_t status;
	bool is_host = false;

	if (!driver.pointer)
		return false;
	cuda_in_tool_begin();
	status = driver.pointer(&type, POINTER_MEMORY_TYPE, (uintptr_t)address);
	if (status == INVALID_VALUE) /* the driver knows nothing of it: ordinary memory */
		is_host = true;
	else if (!status && type == MEMORY_HOST)
		is_host = !driver.pointer(&managed, POINTER_IS_MANAGED, (uintptr_t)address) &&
			  !managed;
	cuda_in_tool_end();
	return is_host;
}

/* CUarray_format: of integers with and without a sign, and of numbers with a point. */
static uint32_t format_bytes(uint32_t format)
{
	switch (format) {
	case 0x01:
	case 0x08:
		return 1;
	case 0x02:
	case 0x09:
	case 0x10:
		return 2;
	case 0x03:
	case 0x0a:
	case 0x20:
		return 4;
	default:
		return 0;
	}
}

uint32_t cuda_driver_element_bytes(const void *array)
{
	struct array_descriptor descriptor = {.channels = 0};

	cuda_in_tool_begin();
	if (!driver.array || driver.array(&descriptor, array))
		descriptor.channels = 0;
	cuda_in_tool_end();
	return format_bytes(descriptor.format) * descriptor.channels;
}

/* By one of the two functions, each of which knows its own handles only. */
static uint32_t parameters_by(parameter_info *info, const void *function, size_t *bytes,
			      uint32_t most)
{
	size_t offset, beyond;
	uint32_t count = 0;
	int32_t status;

	if (!info)
		return UINT32_MAX;
	do
		status = info(function, count, &offset, count < most ? &bytes[count] : &beyond);
	while (!status && count++ < most);
	return status == INVALID_VALUE ? count : UINT32_MAX;
}

/* The runtime launches a CUkernel, in the place of a CUfunction. */
uint32_t cuda_driver_parameters(const void *function, size_t *bytes, uint32_t most)
{
	uint32_t count;

	cuda_in_tool_begin();
	count = parameters_by(driver.kernel_parameter, function, bytes, most);
	if (count == UINT32_MAX)
		count = parameters_by(driver.parameter, function, bytes, most);
	cuda_in_tool_end();
	return count;
}
