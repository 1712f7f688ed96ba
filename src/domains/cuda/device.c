/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "core/device.h"
#include "core/object.h"
#include "core/stream/stream.h"
#include "domains/cuda/cupti/driver.h"
#include "domains/cuda/cupti/library.h"
#include "domains/cuda/device.h"
#include "domains/cuda/link.h"
#include "domains/cuda/object.h"
#include "domains/cuda/thread.h"
#include "schema/gen/core_records.h"
#include "schema/gen/cuda_records.h"

/* CUdevice_attribute. */
enum {
	GROUP_ITEMS = 1,
	GROUP_SHARED_BYTES = 8,
	WARP_ITEMS = 10,
	GROUP_REGISTERS = 12,
	CLOCK_KHZ = 13,
	MULTIPROCESSORS = 16,
	PCI_BUS = 33,
	PCI_SLOT = 34,
	ITEMS = 39,
	PCI_DOMAIN = 50,
	MAJOR = 75,
	MINOR = 76,
	SHARED_BYTES = 81,
	REGISTERS = 82,
	GROUP_SHARED_OPTIN_BYTES = 97,
	GROUPS = 106,
	GROUP_RESERVED_BYTES = 111,
};

#define DEVICES_MOST 64u

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
	char name[256] = "", version[48], driver[24];
	uint32_t driver_version = cuda_driver_version();
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

	cuda_driver_name(device, name, sizeof(name));
	snprintf(version, sizeof(version), "compute capability %u.%u",
		 unsigned_attribute(device, MAJOR), unsigned_attribute(device, MINOR));
	snprintf(driver, sizeof(driver), "CUDA %u.%u", driver_version / 1000,
		 driver_version % 1000 / 10);
	tandem_device_describe(fixed, &(struct tandem_device_texts){name, "NVIDIA CUDA",
								    "NVIDIA Corporation", version,
								    driver});
	limits_describe(device, number);
	cuda_link_describe(number, unsigned_attribute(device, PCI_DOMAIN),
			   unsigned_attribute(device, PCI_BUS),
			   unsigned_attribute(device, PCI_SLOT));
}

uint32_t cuda_device(uint32_t device)
{
	const void *address = cuda_address_of(0, device, TAG_DEVICE);
	uint32_t number = tandem_object_find(TANDEM_KIND(cuda, device), address);

	if (tandem_unlikely(!number)) {
		number = tandem_object_assign(TANDEM_KIND(cuda, device), address);
		device_describe(device, number);
	}
	return number;
}

_Atomic uint64_t cuda_devices_described;

void cuda_devices_describe_all(void)
{
	uint64_t statedump = (uint64_t)tandem_process_statedump() + 1;

	if (atomic_exchange(&cuda_devices_described, statedump) == statedump)
		return;
	for (uint32_t device = 0; device < DEVICES_MOST; device++) {
		if (!unsigned_attribute(device, MULTIPROCESSORS))
			break;
		cuda_device(device);
	}
}

uint32_t cuda_device_id(void *context)
{
	uint32_t device = 0;

	cuda_in_tool_begin();
	if (!context || cupti.cuptiGetDeviceId(context, &device))
		device = 0;
	cuda_in_tool_end();
	return device;
}

uint32_t cuda_device_of(void *context)
{
	return cuda_device(cuda_device_id(context));
}
