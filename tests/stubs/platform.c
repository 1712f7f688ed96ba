/* SPDX-License-Identifier: MIT */
/* The platform and its devices; the driver's entry and its end. */
#include "queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

#ifndef STUB_NAME
#define STUB_NAME "Stub"
#endif
#define EXTENSIONS                                                                        \
	"cl_khr_icd cl_khr_command_buffer cl_khr_create_command_queue cl_khr_gl_sharing " \
	"cl_khr_egl_image cl_ext_device_fission cl_intel_unified_shared_memory"

struct _cl_platform_id stub_platform = {
	.object = {.dispatch = &stub_dispatch, .type = STUB_platform, .references = 1},
};

static struct _cl_device_id devices[STUB_DEVICES] = {
	{.object = {.dispatch = &stub_dispatch, .type = STUB_device, .references = 1}, .number = 0},
	{.object = {.dispatch = &stub_dispatch, .type = STUB_device, .references = 1}, .number = 1},
};

pthread_mutex_t stub_lock = PTHREAD_MUTEX_INITIALIZER;

static char version[32];

__attribute__((constructor)) static void driver_start(void)
{
	stub_config_read();
	snprintf(version, sizeof(version), "OpenCL %s stub", stub_config.version);
	stub_calls_start();
}

__attribute__((destructor)) static void driver_end(void)
{
	/* A callback that is being made holds its event, which nobody has left over. */
	stub_callbacks_wait();
	stub_calls_report(STUB_NAME);
}

cl_int stub_info(size_t size, void *value, size_t *size_ret, const void *data, size_t bytes)
{
	if (value && size < bytes)
		return CL_INVALID_VALUE;
	if (value && bytes)
		memcpy(value, data, bytes);
	if (size_ret)
		*size_ret = bytes;
	return CL_SUCCESS;
}

cl_int stub_callback_add(struct stub_callback **list, struct stub_callback callback)
{
	struct stub_callback *added = malloc(sizeof(*added));

	if (!added)
		return CL_OUT_OF_HOST_MEMORY;
	*added = callback;
	pthread_mutex_lock(&stub_lock);
	added->next = *list;
	*list = added;
	pthread_mutex_unlock(&stub_lock);
	return CL_SUCCESS;
}

static cl_int platforms_give(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
	if ((!platforms && !num_platforms) || (platforms && !num_entries))
		return CL_INVALID_VALUE;
	if (platforms)
		platforms[0] = &stub_platform;
	if (num_platforms)
		*num_platforms = 1;
	return CL_SUCCESS;
}

cl_int stub_clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
	ENTER(clGetPlatformIDs);
	return platforms_give(num_entries, platforms, num_platforms);
}

cl_int stub_clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms,
				   cl_uint *num_platforms)
{
	ENTER(clIcdGetPlatformIDsKHR);
	return platforms_give(num_entries, platforms, num_platforms);
}

cl_int stub_clGetPlatformInfo(cl_platform_id platform, cl_platform_info param_name,
			      size_t param_value_size, void *param_value,
			      size_t *param_value_size_ret)
{
	ENTER(clGetPlatformInfo);
	if (platform != &stub_platform)
		return CL_INVALID_PLATFORM;
	switch (param_name) {
	case CL_PLATFORM_PROFILE:
		INFO_TEXT("FULL_PROFILE");
	case CL_PLATFORM_VERSION:
		INFO_TEXT(version);
	case CL_PLATFORM_NAME:
		INFO_TEXT(STUB_NAME);
	case CL_PLATFORM_VENDOR:
		INFO_TEXT("Tandem");
	case CL_PLATFORM_EXTENSIONS:
		INFO_TEXT(EXTENSIONS);
	case CL_PLATFORM_ICD_SUFFIX_KHR:
		INFO_TEXT("STUB");
	case CL_PLATFORM_HOST_TIMER_RESOLUTION:
		INFO(cl_ulong, (cl_ulong)stub_config.timer);
	default:
		return CL_INVALID_VALUE;
	}
}

cl_int stub_clGetDeviceIDs(cl_platform_id platform, cl_device_type device_type, cl_uint num_entries,
			   cl_device_id *list, cl_uint *num_devices)
{
	ENTER(clGetDeviceIDs);
	if (platform && platform != &stub_platform)
		return CL_INVALID_PLATFORM;
	if ((!list && !num_devices) || (list && !num_entries))
		return CL_INVALID_VALUE;
	if (!(device_type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT)))
		return CL_DEVICE_NOT_FOUND;

	cl_uint count = device_type == CL_DEVICE_TYPE_DEFAULT ? 1 : STUB_DEVICES;

	for (cl_uint i = 0; list && i < num_entries && i < count; i++)
		list[i] = &devices[i];
	if (num_devices)
		*num_devices = count;
	return CL_SUCCESS;
}

cl_int stub_clGetDeviceInfo(cl_device_id device, cl_device_info param_name, size_t param_value_size,
			    void *param_value, size_t *param_value_size_ret)
{
	static const char *const device_names[STUB_DEVICES] = {STUB_NAME " device A",
							       STUB_NAME " device B"};
	static const size_t sizes[3] = {256, 256, 64};

	ENTER(clGetDeviceInfo);
	if (!stub_object_check(device, STUB_device))
		return CL_INVALID_DEVICE;
	switch (param_name) {
	case CL_DEVICE_TYPE:
		INFO(cl_device_type, CL_DEVICE_TYPE_GPU);
	case CL_DEVICE_NAME:
		INFO_TEXT(device_names[device->number]);
	case CL_DEVICE_VENDOR:
		INFO_TEXT("Tandem");
	case CL_DEVICE_VENDOR_ID:
		INFO(cl_uint, 0x7a7d);
	case CL_DRIVER_VERSION:
		INFO_TEXT("1.0");
	case CL_DEVICE_VERSION:
		INFO_TEXT(version);
	case CL_DEVICE_OPENCL_C_VERSION:
		INFO_TEXT("OpenCL C 1.2");
	case CL_DEVICE_PROFILE:
		INFO_TEXT("FULL_PROFILE");
	case CL_DEVICE_EXTENSIONS:
		INFO_TEXT(EXTENSIONS);
	case CL_DEVICE_PLATFORM:
		INFO(cl_platform_id, &stub_platform);
	case CL_DEVICE_PARENT_DEVICE:
		INFO(cl_device_id, device->parent);
	case CL_DEVICE_REFERENCE_COUNT:
		INFO(cl_uint, device->parent ? (cl_uint)device->object.references : 1);
	case CL_DEVICE_MAX_COMPUTE_UNITS:
	case CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
		INFO(cl_uint, 4);
	case CL_DEVICE_MAX_CLOCK_FREQUENCY:
		INFO(cl_uint, 1000);
	case CL_DEVICE_GLOBAL_MEM_SIZE:
		INFO(cl_ulong, (cl_ulong)1 << 32);
	case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
		INFO(cl_ulong, (cl_ulong)1 << 30);
	case CL_DEVICE_LOCAL_MEM_SIZE:
		INFO(cl_ulong, 65536);
	case CL_DEVICE_MAX_WORK_GROUP_SIZE:
		INFO(size_t, 256);
	case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS:
		INFO(cl_uint, 3);
	case CL_DEVICE_MAX_WORK_ITEM_SIZES:
		INFO_BYTES(sizes, sizeof(sizes));
	case CL_DEVICE_PROFILING_TIMER_RESOLUTION:
		INFO(size_t, (size_t)stub_config.resolution_ns);
	case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
		INFO(cl_uint, 1024);
	case CL_DEVICE_IMAGE_SUPPORT:
	case CL_DEVICE_AVAILABLE:
	case CL_DEVICE_COMPILER_AVAILABLE:
	case CL_DEVICE_LINKER_AVAILABLE:
	case CL_DEVICE_ENDIAN_LITTLE:
	case CL_DEVICE_HOST_UNIFIED_MEMORY:
		INFO(cl_bool, CL_TRUE);
	case CL_DEVICE_ADDRESS_BITS:
		INFO(cl_uint, 64);
	case CL_DEVICE_SVM_CAPABILITIES:
		INFO(cl_device_svm_capabilities, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER);
	case CL_DEVICE_EXECUTION_CAPABILITIES:
		INFO(cl_device_exec_capabilities, CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL);
	case CL_DEVICE_QUEUE_ON_HOST_PROPERTIES:
		INFO(cl_command_queue_properties,
		     CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
	default:
		return CL_INVALID_VALUE;
	}
}

cl_int stub_clCreateSubDevices(cl_device_id device, const cl_device_partition_property *properties,
			       cl_uint num_entries, cl_device_id *out, cl_uint *num_devices_ret)
{
	ENTER(clCreateSubDevices);
	if (!stub_object_check(device, STUB_device))
		return CL_INVALID_DEVICE;
	if (!properties || properties[0] != CL_DEVICE_PARTITION_EQUALLY || (out && num_entries < 2))
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; out && i < 2; i++) {
		out[i] = stub_object_create(STUB_device, sizeof(**out));
		if (!out[i])
			return CL_OUT_OF_HOST_MEMORY;
		out[i]->parent = device;
		out[i]->number = device->number;
	}
	if (num_devices_ret)
		*num_devices_ret = 2;
	return CL_SUCCESS;
}

static cl_int device_retain(cl_device_id device)
{
	if (!stub_object_check(device, STUB_device))
		return CL_INVALID_DEVICE;
	if (device->parent)
		stub_object_retain(device);
	return CL_SUCCESS;
}

static cl_int device_release(cl_device_id device)
{
	if (!stub_object_check(device, STUB_device))
		return CL_INVALID_DEVICE;
	if (device->parent && stub_object_release(device))
		stub_object_free(device);
	return CL_SUCCESS;
}

cl_int stub_clRetainDevice(cl_device_id device)
{
	ENTER(clRetainDevice);
	return device_retain(device);
}

cl_int stub_clReleaseDevice(cl_device_id device)
{
	ENTER(clReleaseDevice);
	return device_release(device);
}

cl_int stub_clRetainDeviceEXT(cl_device_id device)
{
	ENTER(clRetainDeviceEXT);
	return device_retain(device);
}

cl_int stub_clReleaseDeviceEXT(cl_device_id device)
{
	ENTER(clReleaseDeviceEXT);
	return device_release(device);
}

cl_int stub_clCreateSubDevicesEXT(cl_device_id device,
				  const cl_device_partition_property_ext *properties,
				  cl_uint num_entries, cl_device_id *out, cl_uint *num_devices)
{
	ENTER(clCreateSubDevicesEXT);
	(void)properties, (void)num_entries, (void)out, (void)num_devices;
	return stub_object_check(device, STUB_device) ? CL_INVALID_VALUE : CL_INVALID_DEVICE;
}

cl_int stub_clGetDeviceAndHostTimer(cl_device_id device, cl_ulong *device_timestamp,
				    cl_ulong *host_timestamp)
{
	ENTER(clGetDeviceAndHostTimer);
	if (!stub_object_check(device, STUB_device))
		return CL_INVALID_DEVICE;
	if (!device_timestamp || !host_timestamp)
		return CL_INVALID_VALUE;
	if (!stub_config.timer)
		return CL_INVALID_OPERATION;
	*device_timestamp = stub_clock_device_ns() + (stub_config.timer == 2 ? 1000000000 : 0);
	*host_timestamp = stub_clock_host_ns();
	return CL_SUCCESS;
}

cl_int stub_clGetHostTimer(cl_device_id device, cl_ulong *host_timestamp)
{
	ENTER(clGetHostTimer);
	if (!stub_object_check(device, STUB_device))
		return CL_INVALID_DEVICE;
	if (!host_timestamp)
		return CL_INVALID_VALUE;
	if (!stub_config.timer)
		return CL_INVALID_OPERATION;
	*host_timestamp = stub_clock_host_ns();
	return CL_SUCCESS;
}
