/* SPDX-License-Identifier: MIT */
#include "domains/hip/device.h"

#include <stdio.h>
#include <string.h>

#include "core/device.h"
#include "core/stream/stream.h"
#include "domains/hip/attach/runtime.h"
#include "domains/hip/calls/thread.h"
#include "domains/hip/object.h"
#include "schema/gen/core_records.h"
#include "schema/gen/hip_records.h"

/* hipDeviceAttribute_t, the same in HIP 5 and 6. */
enum {
	CLOCK_KHZ = 5,
	MAJOR = 23,
	GROUPS = 25,
	GROUP_ITEMS = 56,
	ITEMS = 57,
	MINOR = 61,
	MULTIPROCESSORS = 63,
	GROUP_REGISTERS = 71,
	REGISTERS = 72,
	GROUP_LOCAL_BYTES = 74,
	WAVE_ITEMS = 87,
	LOCAL_BYTES = 10002,
};

static uint32_t attribute(uint32_t device, int32_t which)
{
	int32_t value = 0;

	if (!hip_runtime.hipDeviceGetAttribute ||
	    hip_runtime.hipDeviceGetAttribute(&value, which, (int32_t)device))
		return 0;
	return value > 0 ? (uint32_t)value : 0;
}

/* hipDeviceProp_t: its first member is the device's name; where gcnArchName is differs from version
 * to version, and no other text in it begins so. */
#define PROPERTIES_BYTES 8192u
#define PROPERTIES_NAME_BYTES 256u

/* "gfx90a:sramecc+:xnack-": 0x90a; 0: it is none. */
static uint32_t gfx_number(const char *text)
{
	uint32_t number = 0;
	int digits;

	for (digits = 0; text[3 + digits] && !strchr(":", text[3 + digits]); digits++) {
		char digit = text[3 + digits];

		if (digits == 4 ||
		    !((digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f')))
			return 0;
		number = number << 4 | (uint32_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
	}
	return digits >= 3 ? number : 0;
}

static uint32_t gfx_of(uint32_t device)
{
	int32_t (*get)(void *, int32_t) = hip_runtime.hipGetDevicePropertiesR0600
						  ? hip_runtime.hipGetDevicePropertiesR0600
						  : hip_runtime.hipGetDeviceProperties;
	char properties[PROPERTIES_BYTES];
	uint32_t number = 0;

	memset(properties, 0, sizeof(properties));
	if (!get || get(properties, (int32_t)device))
		return 0;
	for (uint32_t at = PROPERTIES_NAME_BYTES; !number && at + 8 < PROPERTIES_BYTES; at++)
		if (!memcmp(properties + at, "gfx", 3))
			number = gfx_number(properties + at);
	return number;
}

static void instruction_set_describe(uint32_t device, uint32_t number)
{
	struct tandem_hip_instruction_set set = {.device = number};
	struct tandem_hip_instruction_set *record;

	hip_in_tool_begin();
	set.gfx = gfx_of(device);
	set.warp_items = attribute(device, WAVE_ITEMS);
	set.items = attribute(device, ITEMS);
	set.shared_bytes = attribute(device, LOCAL_BYTES);
	hip_in_tool_end();
	record = set.gfx ? tandem_record_begin(TANDEM_HIP_EVENT_instruction_set, sizeof(*record))
			 : NULL;
	if (!record)
		return;
	set.head = record->head;
	*record = set;
	tandem_record_commit();
}

static void compute_unit_describe(uint32_t device, uint32_t number)
{
	struct tandem_hip_compute_unit unit = {.device = number};
	struct tandem_hip_compute_unit *record;

	hip_in_tool_begin();
	unit.count = attribute(device, MULTIPROCESSORS);
	unit.wave_items = attribute(device, WAVE_ITEMS);
	unit.items = attribute(device, ITEMS);
	unit.groups = attribute(device, GROUPS);
	unit.registers = attribute(device, REGISTERS);
	unit.group_registers = attribute(device, GROUP_REGISTERS);
	unit.local_bytes = attribute(device, LOCAL_BYTES);
	unit.group_local_bytes = attribute(device, GROUP_LOCAL_BYTES);
	hip_in_tool_end();
	record = tandem_record_begin(TANDEM_HIP_EVENT_compute_unit, sizeof(*record));
	if (!record)
		return;
	unit.head = record->head;
	*record = unit;
	tandem_record_commit();
}

static void device_describe(uint32_t device, uint32_t number)
{
	char name[256] = "", version[48], driver[48];
	struct tandem_rec_device fixed = {
		.device = number,
		.domain = TANDEM_DOMAIN_hip,
		.type = TANDEM_DEVICE_TYPE_gpu,
		.ordinal = device,
	};
	size_t memory_bytes = 0;

	hip_in_tool_begin();
	fixed.compute_units = attribute(device, MULTIPROCESSORS);
	fixed.clock_mhz = attribute(device, CLOCK_KHZ) / 1000;
	fixed.max_work_group = attribute(device, GROUP_ITEMS);
	snprintf(version, sizeof(version), "compute capability %u.%u", attribute(device, MAJOR),
		 attribute(device, MINOR));
	if (hip_runtime.hipDeviceTotalMem &&
	    !hip_runtime.hipDeviceTotalMem(&memory_bytes, (int32_t)device))
		fixed.memory_bytes = memory_bytes;
	if (!hip_runtime.hipDeviceGetName ||
	    hip_runtime.hipDeviceGetName(name, sizeof(name), (int32_t)device))
		name[0] = 0;
	name[sizeof(name) - 1] = 0;
	hip_in_tool_end();
	snprintf(driver, sizeof(driver), "HIP %u.%u", hip_runtime.major, hip_runtime.minor);
	tandem_device_describe(fixed, &(struct tandem_device_texts){name, "AMD HIP",
								    "Advanced Micro Devices, Inc.",
								    version, driver});
}

uint32_t hip_device(uint32_t ordinal)
{
	const void *address = hip_address_of(0, ordinal, HIP_TAG_DEVICE);
	uint32_t number = tandem_object_find(HIP_KIND(device), address);

	if (tandem_unlikely(!number)) {
		if (!hip_runtime_has_devices())
			return 0;
		number = tandem_object_assign(HIP_KIND(device), address);
		device_describe(ordinal, number);
		compute_unit_describe(ordinal, number);
		instruction_set_describe(ordinal, number);
	}
	return number;
}

uint32_t hip_device_current(void)
{
	struct hip_thread *thread = &hip_thread;
	int32_t device = 0;

	if (tandem_unlikely(!thread->device)) {
		hip_in_tool_begin();
		if (!hip_runtime.hipGetDevice || hip_runtime.hipGetDevice(&device) || device < 0)
			device = 0;
		hip_in_tool_end();
		thread->device = (uint32_t)device + 1;
	}
	return thread->device - 1;
}

void hip_device_changed(void)
{
	hip_thread.device = 0;
}
