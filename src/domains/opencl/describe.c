/* SPDX-License-Identifier: MIT */
/* What OpenCL's objects are, as the records of core.events. Asked of the
 * driver once per object. */
#include <errno.h>
#include <string.h>

#include "core/call/call.h"
#include "core/device.h"
#include "domains/opencl/cl.h"
#include "domains/opencl/describe.h"
#include "domains/opencl/memory.h"
#include "domains/opencl/query.h"
#include "domains/opencl/queue.h"
#include "schema/gen/core_records.h"

#define TEXT_BYTES 512

struct text {
	uint16_t length;
	char bytes[TEXT_BYTES + 1]; /* NUL behind */
};

static void info_text(struct text *text, opencl_get_info get, void *object, uint32_t name)
{
	size_t size = 0;

	if (get(object, name, TEXT_BYTES, text->bytes, &size) != CL_SUCCESS)
		size = 0;
	if (size > TEXT_BYTES)
		size = TEXT_BYTES;
	text->length = (uint16_t)strnlen(text->bytes, size);
	text->bytes[text->length] = '\0';
}

/* Which platform is it, and which of the platform's devices. */
static void device_ordinals(void *device, void *platform, uint32_t *platform_ordinal,
			    uint32_t *ordinal)
{
	void *platforms[64], *devices[64];
	uint32_t count = 0;

	*platform_ordinal = 0;
	*ordinal = 0;
	if (!opencl_next.clGetPlatformIDs(64, platforms, &count))
		for (uint32_t i = 0; i < count && i < 64; i++)
			if (platforms[i] == platform)
				*platform_ordinal = i;
	if (!opencl_next.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 64, devices, &count))
		for (uint32_t i = 0; i < count && i < 64; i++)
			if (devices[i] == device)
				*ordinal = i;
}

static uint8_t device_type(uint64_t type)
{
	if (type & CL_DEVICE_TYPE_GPU)
		return TANDEM_DEVICE_TYPE_gpu;
	if (type & CL_DEVICE_TYPE_CPU)
		return TANDEM_DEVICE_TYPE_cpu;
	if (type & CL_DEVICE_TYPE_ACCELERATOR)
		return TANDEM_DEVICE_TYPE_accelerator;
	return TANDEM_DEVICE_TYPE_other;
}

static void describe_device(void *device, uint32_t number)
{
	opencl_get_info get = opencl_next.clGetDeviceInfo;
	void *platform = (void *)(uintptr_t)opencl_info_u64(get, device, CL_DEVICE_PLATFORM);
	void *parent = (void *)(uintptr_t)opencl_info_u64(get, device, CL_DEVICE_PARENT_DEVICE);
	struct text name, platform_name, vendor, version, driver;
	struct tandem_rec_device described = {.device = number};
	uint32_t platform_ordinal, ordinal;

	device_ordinals(device, platform, &platform_ordinal, &ordinal);
	info_text(&name, get, device, CL_DEVICE_NAME);
	info_text(&vendor, get, device, CL_DEVICE_VENDOR);
	info_text(&version, get, device, CL_DEVICE_VERSION);
	info_text(&driver, get, device, CL_DRIVER_VERSION);
	info_text(&platform_name, opencl_next.clGetPlatformInfo, platform, CL_PLATFORM_NAME);
	described.domain = TANDEM_DOMAIN_opencl;
	described.type = device_type(opencl_info_u64(get, device, CL_DEVICE_TYPE));
	described.handle = (uint64_t)(uintptr_t)device;
	described.parent = tandem_object_number(TANDEM_KIND(opencl, device), parent);
	described.platform = platform_ordinal;
	described.ordinal = ordinal;
	described.compute_units =
		(uint32_t)opencl_info_u64(get, device, CL_DEVICE_MAX_COMPUTE_UNITS);
	described.clock_mhz = (uint32_t)opencl_info_u64(get, device, CL_DEVICE_MAX_CLOCK_FREQUENCY);
	described.memory_bytes = opencl_info_u64(get, device, CL_DEVICE_GLOBAL_MEM_SIZE);
	described.timer_ns = opencl_info_u64(get, device, CL_DEVICE_PROFILING_TIMER_RESOLUTION);
	described.max_work_group = opencl_info_u64(get, device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
	tandem_device_describe(described, &(struct tandem_device_texts){
						  name.bytes, platform_name.bytes, vendor.bytes,
						  version.bytes, driver.bytes});
}

static void describe_context(void *context, uint32_t number)
{
	struct tandem_rec_context *record;
	void *devices[64];
	uint32_t numbers[64], count;
	size_t size = 0;

	if (opencl_next.clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof(devices), devices,
					 &size))
		size = 0;
	count = (uint32_t)(size / sizeof(devices[0]));
	if (count > 64)
		count = 64;
	for (uint32_t i = 0; i < count; i++)
		numbers[i] = tandem_object_number(TANDEM_KIND(opencl, device), devices[i]);
	record = tandem_record_begin(TANDEM_EVENT_context,
				     (uint32_t)(sizeof(*record) + count * sizeof(numbers[0])));
	if (!record)
		return;
	record->context = number;
	record->domain = TANDEM_DOMAIN_opencl;
	record->handle = (uint64_t)(uintptr_t)context;
	record->devices_count = (uint16_t)count;
	memcpy(record + 1, numbers, count * sizeof(numbers[0]));
	tandem_record_commit();
}

void opencl_program_hash_set(void *program, uint64_t hash)
{
	tandem_handle_set(TANDEM_HANDLE_STATE(opencl), program, hash);
}

uint64_t opencl_program_hash(void *program)
{
	return tandem_handle_get(TANDEM_HANDLE_STATE(opencl), program);
}

static void program_hash_write(void *program, uint32_t number)
{
	uint64_t hash = opencl_program_hash(program);
	struct tandem_rec_program_hash *record =
		hash ? tandem_record_begin(TANDEM_EVENT_program_hash, sizeof(*record)) : NULL;

	if (!record)
		return;
	record->program = number;
	record->domain = TANDEM_DOMAIN_opencl;
	record->hash = hash;
	tandem_record_commit();
}

static void program_write(void *program, uint32_t number, const void *context, uint8_t source,
			  uint64_t bytes)
{
	uint32_t context_number = tandem_object_number(TANDEM_KIND(opencl, context), context);
	struct tandem_rec_program *record =
		tandem_record_begin(TANDEM_EVENT_program, sizeof(*record));

	if (!record)
		return;
	record->program = number;
	record->domain = TANDEM_DOMAIN_opencl;
	record->handle = (uint64_t)(uintptr_t)program;
	record->context = context_number;
	record->source = source;
	record->bytes = bytes;
	tandem_record_commit();
	program_hash_write(program, number);
}

static void describe_program(void *program, uint32_t number)
{
	opencl_get_info get = opencl_next.clGetProgramInfo;
	void *context = (void *)(uintptr_t)opencl_info_u64(get, program, CL_PROGRAM_CONTEXT);
	size_t source = 0, il = 0;

	if (get(program, CL_PROGRAM_SOURCE, 0, NULL, &source))
		source = 0;
	if (source <= 1 && get(program, CL_PROGRAM_IL, 0, NULL, &il))
		il = 0;
	program_write(program, number, context,
		      source > 1 ? TANDEM_PROGRAM_SOURCE_source
		      : il	 ? TANDEM_PROGRAM_SOURCE_il
				 : TANDEM_PROGRAM_SOURCE_unknown,
		      source > 1 ? source - 1 : il);
}

static uint64_t work_group_info(void *kernel, void *device, uint32_t name)
{
	uint64_t value = 0;

	if (opencl_next.clGetKernelWorkGroupInfo(kernel, device, name, sizeof(value), &value, NULL))
		return 0;
	return value;
}

static void describe_kernel(void *kernel, uint32_t number)
{
	opencl_get_info get = opencl_next.clGetKernelInfo;
	void *program = (void *)(uintptr_t)opencl_info_u64(get, kernel, CL_KERNEL_PROGRAM);
	void *context = (void *)(uintptr_t)opencl_info_u64(get, kernel, CL_KERNEL_CONTEXT);
	uint32_t program_number = tandem_object_number(TANDEM_KIND(opencl, program), program);
	struct tandem_rec_kernel *record;
	void *devices[64] = {NULL};
	struct text name;

	info_text(&name, get, kernel, CL_KERNEL_FUNCTION_NAME);
	if (context)
		opencl_next.clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof(devices), devices,
					     NULL);
	record = NULL;
	if (name.length || program)
		record = tandem_record_begin(TANDEM_EVENT_kernel,
					     (uint32_t)sizeof(*record) + name.length);
	if (!record)
		return;
	/* Nothing in here records: the real functions are called directly. */
	record->kernel = number;
	record->domain = TANDEM_DOMAIN_opencl;
	record->handle = (uint64_t)(uintptr_t)kernel;
	record->program = program_number;
	record->max_work_group = work_group_info(kernel, devices[0], CL_KERNEL_WORK_GROUP_SIZE);
	record->preferred_multiple =
		work_group_info(kernel, devices[0], CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
	record->local_bytes = work_group_info(kernel, devices[0], CL_KERNEL_LOCAL_MEM_SIZE);
	record->private_bytes = work_group_info(kernel, devices[0], CL_KERNEL_PRIVATE_MEM_SIZE);
	record->name_count = name.length;
	memcpy(record + 1, name.bytes, name.length);
	tandem_record_commit();
}

void opencl_describe(unsigned type, void *handle, uint32_t number)
{
	int saved = errno;

	switch (type) {
	case TANDEM_OBJECT_device:
		describe_device(handle, number);
		break;
	case TANDEM_OBJECT_context:
		describe_context(handle, number);
		break;
	case TANDEM_OBJECT_queue:
		/* Describes it under a number of its own choosing when it has no
		 * state yet; the next use finds that one. */
		opencl_queue_get(handle);
		break;
	case TANDEM_OBJECT_program:
		describe_program(handle, number);
		break;
	case TANDEM_OBJECT_kernel:
		describe_kernel(handle, number);
		break;
	case TANDEM_OBJECT_memory:
		opencl_memory_describe(handle, number);
		break;
	default:
		break;
	}
	errno = saved;
}

uint32_t opencl_created(unsigned type, void *handle)
{
	uint32_t number;

	if (!handle)
		return 0;
	number = tandem_object_assign(tandem_kind(TANDEM_DOMAIN_opencl, type), handle);
	opencl_describe(type, handle, number);
	return number;
}

uint32_t opencl_created_context(void *context, enum opencl_fn fn)
{
	(void)fn;
	return opencl_created(TANDEM_OBJECT_context, context);
}

uint32_t opencl_created_kernel(void *kernel, enum opencl_fn fn, const void *program)
{
	(void)fn;
	(void)program;
	return opencl_created(TANDEM_OBJECT_kernel, kernel);
}

uint32_t opencl_created_program(void *program, enum opencl_fn fn, enum tandem_program_source source,
				const void *context, uint64_t bytes, uint64_t hash)
{
	int saved = errno;
	uint32_t number;
	(void)fn;

	if (!program)
		return 0;
	number = tandem_object_assign(TANDEM_KIND(opencl, program), program);
	opencl_program_hash_set(program, hash);
	program_write(program, number, context, (uint8_t)source, bytes);
	errno = saved;
	return number;
}
