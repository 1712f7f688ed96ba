/* Devices, contexts and streams as records. CUPTI's activity names them by small
 * numbers of its own, the calls by handles: both lead to one number of ours. The
 * table of core/object.h is asked with addresses that no handle has: handles are
 * aligned, and ours have something in their low four bits. */
#include <stdio.h>
#include <string.h>

#include "core/process.h"
#include "domains/cuda/cuda.h"

enum tag { TAG_LEGACY = 1, TAG_ID = 3, TAG_DEVICE = 5, TAG_CONTEXT = 7, TAG_UNIFIED = 9 };

/* CUdevice_attribute. */
enum {
	GROUP_ITEMS = 1,
	GROUP_SHARED_BYTES = 8,
	WARP_ITEMS = 10,
	GROUP_REGISTERS = 12,
	CLOCK_KHZ = 13,
	MULTIPROCESSORS = 16,
	ITEMS = 39,
	MAJOR = 75,
	MINOR = 76,
	SHARED_BYTES = 81,
	REGISTERS = 82,
	GROUP_SHARED_OPTIN_BYTES = 97,
	GROUPS = 106,
	GROUP_RESERVED_BYTES = 111,
};

#define DEVICES_MOST 64u

static const void *address_of(uint32_t high, uint32_t low, enum tag tag)
{
	return (const void *)((uintptr_t)high << 36 | (uintptr_t)low << 4 | (uintptr_t)tag);
}

static uint32_t unsigned_attribute(uint32_t device, int32_t attribute)
{
	int32_t value = cuda_driver_attribute(device, attribute);

	return value > 0 ? (uint32_t)value : 0;
}

static void limits_describe(uint32_t device, uint32_t number)
{
	struct tandem_cuda_multiprocessor limits = {
		.device = number,
		.major = (uint16_t)unsigned_attribute(device, MAJOR),
		.minor = (uint16_t)unsigned_attribute(device, MINOR),
		.count = unsigned_attribute(device, MULTIPROCESSORS),
		.warp_items = unsigned_attribute(device, WARP_ITEMS),
		.items = unsigned_attribute(device, ITEMS),
		.groups = unsigned_attribute(device, GROUPS),
		.registers = unsigned_attribute(device, REGISTERS),
		.group_registers = unsigned_attribute(device, GROUP_REGISTERS),
		.shared_bytes = unsigned_attribute(device, SHARED_BYTES),
		.group_shared_bytes = unsigned_attribute(device, GROUP_SHARED_BYTES),
		.group_shared_optin_bytes = unsigned_attribute(device, GROUP_SHARED_OPTIN_BYTES),
		.group_reserved_bytes = unsigned_attribute(device, GROUP_RESERVED_BYTES),
	};
	struct tandem_cuda_multiprocessor *record =
		tandem_record_begin(TANDEM_CUDA_EVENT_multiprocessor, sizeof(*record));

	if (!record)
		return;
	limits.head = record->head;
	*record = limits;
	tandem_record_commit();
}

static void device_describe(uint32_t device, uint32_t number)
{
	static const char platform[] = "NVIDIA CUDA", vendor[] = "NVIDIA Corporation";
	char name[256] = "", version[48], driver[24];
	uint32_t driver_version = cuda_driver_version();
	const char *texts[] = { name, platform, vendor, version, driver };
	struct tandem_rec_device fixed = {
		.device = number,
		.domain = TANDEM_DOMAIN_cuda,
		.type = TANDEM_DEVICE_TYPE_gpu,
		.ordinal = device,
		.compute_units = unsigned_attribute(device, MULTIPROCESSORS),
		.clock_mhz = unsigned_attribute(device, CLOCK_KHZ) / 1000,
		.memory_bytes = cuda_driver_memory_bytes(device),
		.max_work_group = unsigned_attribute(device, GROUP_ITEMS),
	};
	struct tandem_rec_device *record;
	uint32_t bytes = sizeof(*record);
	uint8_t *at;

	cuda_driver_name(device, name, sizeof(name));
	snprintf(version, sizeof(version), "compute capability %u.%u",
		 unsigned_attribute(device, MAJOR), unsigned_attribute(device, MINOR));
	snprintf(driver, sizeof(driver), "CUDA %u.%u", driver_version / 1000,
		 driver_version % 1000 / 10);
	fixed.name_count = (uint16_t)strlen(name);
	fixed.platform_name_count = sizeof(platform) - 1;
	fixed.vendor_count = sizeof(vendor) - 1;
	fixed.version_count = (uint16_t)strlen(version);
	fixed.driver_count = (uint16_t)strlen(driver);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		bytes += (uint32_t)strlen(texts[i]);

	record = tandem_record_begin(TANDEM_EVENT_device, bytes);
	if (!record)
		return;
	fixed.head = record->head;
	*record = fixed;
	at = (uint8_t *)(record + 1);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		memcpy(at, texts[i], strlen(texts[i]));
		at += strlen(texts[i]);
	}
	tandem_record_commit();
	limits_describe(device, number);
}

uint32_t cuda_device(uint32_t device)
{
	const void *address = address_of(0, device, TAG_DEVICE);
	uint32_t number = tandem_object_find(TANDEM_OBJECT_device, address);

	if (tandem_unlikely(!number)) {
		number = tandem_object_assign(TANDEM_OBJECT_device, address);
		device_describe(device, number);
	}
	return number;
}

_Atomic uint64_t cuda_devices_described;

void cuda_devices_describe_all(void)
{
	uint64_t epoch = (uint64_t)tandem_process_epoch() + 1;

	if (atomic_exchange(&cuda_devices_described, epoch) == epoch)
		return;
	for (uint32_t device = 0; device < DEVICES_MOST; device++) {
		if (!unsigned_attribute(device, MULTIPROCESSORS))
			break;
		cuda_device(device);
	}
}

uint32_t cuda_context(uint32_t id, uint32_t device)
{
	const void *address = address_of(0, id, TAG_CONTEXT);
	uint32_t number = tandem_object_find(TANDEM_OBJECT_context, address);
	struct tandem_rec_context *record;
	uint32_t device_number;

	if (tandem_likely(number))
		return number;
	device_number = cuda_device(device);
	number = tandem_object_assign(TANDEM_OBJECT_context, address);
	record = tandem_record_begin(TANDEM_EVENT_context,
				     (uint32_t)(sizeof(*record) + sizeof(device_number)));
	if (!record)
		return number;
	record->context = number;
	record->domain = TANDEM_DOMAIN_cuda;
	record->handle = id;
	record->devices_count = 1;
	memcpy(record + 1, &device_number, sizeof(device_number));
	tandem_record_commit();
	return number;
}

static void queue_describe(uint32_t number, uint32_t context, uint32_t device, uint64_t handle)
{
	struct tandem_rec_queue *record =
		tandem_record_begin(TANDEM_EVENT_queue, sizeof(*record));

	if (!record)
		return;
	record->queue = number;
	record->domain = TANDEM_DOMAIN_cuda;
	record->handle = handle;
	record->context = context;
	record->device = device;
	record->properties = 0;
	record->timing = TANDEM_TIMING_forced;
	record->in_order = 1;
	tandem_record_commit();
}

/* Its handle in the description is CUPTI's number of the stream: activity knows no
 * other, and the handles of the program are reused. */
uint32_t cuda_queue(uint32_t device, uint32_t context, uint32_t stream)
{
	const void *address = address_of(context, stream, TAG_ID);
	uint32_t number = tandem_object_find(TANDEM_OBJECT_queue, address);
	uint32_t context_number;

	if (tandem_likely(number))
		return number;
	context_number = cuda_context(context, device);
	number = tandem_object_assign(TANDEM_OBJECT_queue, address);
	queue_describe(number, context_number, cuda_device(device), stream);
	return number;
}

/* Where the pages of unified memory move: no stream, but a row of the device. */
uint32_t cuda_unified_queue(uint32_t device)
{
	const void *address = address_of(0, device, TAG_UNIFIED);
	uint32_t number = tandem_object_find(TANDEM_OBJECT_queue, address);

	if (number)
		return number;
	number = tandem_object_assign(TANDEM_OBJECT_queue, address);
	queue_describe(number, 0, cuda_device(device), 0);
	return number;
}

static uint32_t device_id(void *context)
{
	uint32_t device = 0;

	cuda_inside_begin();
	if (!context || cupti.cuptiGetDeviceId(context, &device))
		device = 0;
	cuda_inside_end();
	return device;
}

uint32_t cuda_device_of(void *context)
{
	return cuda_device(device_id(context));
}

static uint32_t queue_ask(void *context, uint32_t context_id, const void *stream, bool per_thread)
{
	uint32_t id = 0;
	int32_t status;

	cuda_inside_begin();
	status = cupti.cuptiGetStreamIdEx(context, (void *)(uintptr_t)stream, per_thread, &id);
	cuda_inside_end();
	return status ? TANDEM_OBJECT_UNKNOWN : cuda_queue(device_id(context), context_id, id);
}

/* Handles that are no objects: the legacy default stream (0 or 1) and the thread's
 * own one (2), of whatever context is current. */
static bool is_special(const void *stream)
{
	return (uintptr_t)stream < 16;
}

static uint32_t queue_find(void *context, uint32_t context_id, const void *stream, bool per_thread)
{
	const void *address = is_special(stream) ? address_of(context_id, 0, TAG_LEGACY) : stream;
	uint32_t number;

	if (!context)
		return TANDEM_OBJECT_UNKNOWN; /* the call is about to make it */
	if ((uintptr_t)stream == 2 || (!stream && per_thread))
		return queue_ask(context, context_id, stream, true);
	number = tandem_object_find(TANDEM_OBJECT_queue, address);
	if (number)
		return number;
	number = queue_ask(context, context_id, stream, false);
	if (number != TANDEM_OBJECT_UNKNOWN)
		tandem_object_alias(TANDEM_OBJECT_queue, address, number);
	return number;
}

/* What a thread remembers of its latest stream holds until any is destroyed: the
 * handle may be another's then. */
static _Atomic uint32_t queues_destroyed;

static uint64_t queues_valid(void)
{
	return (uint64_t)tandem_process_epoch() << 32 |
	       atomic_load_explicit(&queues_destroyed, memory_order_relaxed);
}

uint32_t cuda_queue_of(void *context, uint32_t context_id, const void *stream, bool per_thread)
{
	struct cuda_thread *thread = &cuda_thread;
	const void *handle = !stream && per_thread ? (const void *)2 : stream;
	uint64_t valid = queues_valid();

	if (tandem_unlikely(!thread->queue_number || thread->queue_handle != handle ||
			    thread->queue_context != context_id || thread->queue_valid != valid)) {
		thread->queue_number = queue_find(context, context_id, stream, per_thread);
		thread->queue_handle = handle;
		thread->queue_context = context_id;
		thread->queue_valid = valid;
		if (thread->queue_number == TANDEM_OBJECT_UNKNOWN) {
			thread->queue_number = 0;
			return TANDEM_OBJECT_UNKNOWN;
		}
	}
	return thread->queue_number;
}

void cuda_queue_created(void *context, void *stream)
{
	uint32_t context_id = 0, number;

	int32_t status;

	if (!context || is_special(stream))
		return;
	cuda_inside_begin();
	status = cupti.cuptiGetContextId(context, &context_id);
	cuda_inside_end();
	if (status)
		return;
	number = queue_ask(context, context_id, stream, false);
	if (number != TANDEM_OBJECT_UNKNOWN)
		tandem_object_alias(TANDEM_OBJECT_queue, stream, number);
}

void cuda_queue_destroyed(void *stream)
{
	if (is_special(stream))
		return;
	tandem_object_forget(TANDEM_OBJECT_queue, stream);
	atomic_fetch_add(&queues_destroyed, 1);
}
