/* SPDX-License-Identifier: MIT */
/* What HSA's runtime and a tool exchange, as far as the ABI needs it. Facts: the public
 * headers hsa.h, hsa_ext_amd.h, hsa_api_trace.h and amd_hsa_signal.h. Handles are words. */
#ifndef TANDEM_DOMAINS_HSA_ABI_H
#define TANDEM_DOMAINS_HSA_ABI_H

#include <stdint.h>

struct hsa_table_version { /* each table begins so */
	uint32_t major;
	uint32_t bytes; /* of the table */
	uint32_t step;
	uint32_t reserved;
};

struct hsa_api_table {
	struct hsa_table_version version;
	struct hsa_table_version *core;
	struct hsa_table_version *amd;
};

enum { HSA_PACKET_KERNEL_DISPATCH = 2 };

struct hsa_packet {	 /* of 64 bytes: a kernel's dispatch */
	uint16_t header; /* the type is in the low eight bits */
	uint16_t setup;
	uint16_t workgroup[3];
	uint16_t reserved0;
	uint32_t grid[3];
	uint32_t private_bytes;
	uint32_t group_bytes;
	uint64_t kernel_object;
	uint64_t kernarg;
	uint64_t reserved2;
	uint64_t signal;
};

_Static_assert(sizeof(struct hsa_packet) == 64, "AQL packet");

struct hsa_times {	     /* hsa_amd_profiling_dispatch_time_t, _async_copy_time_t */
	uint64_t start, end; /* in ticks of the system's clock */
};

/* amd_signal_t, which a signal's handle is the address of. */
struct hsa_amd_signal {
	int64_t kind, value;
	uint64_t mailbox;
	uint32_t event, reserved;
	uint64_t start, end; /* in the agent's own ticks */
};

enum { HSA_CONDITION_LT = 2 };
enum { HSA_SYSTEM_TIMESTAMP = 2, HSA_SYSTEM_TIMESTAMP_HZ = 3 };
enum {
	HSA_AGENT_NAME = 0,
	HSA_AGENT_VENDOR = 1,
	HSA_AGENT_WAVE_ITEMS = 6,
	HSA_AGENT_DEVICE = 17,
	HSA_AGENT_COMPUTE_UNITS = 0xA002,
	HSA_AGENT_CLOCK_MHZ = 0xA003,
	HSA_AGENT_NODE = 0xA004,
	HSA_AGENT_PRODUCT = 0xA009,
	HSA_AGENT_WAVES = 0xA00A, /* that a compute unit can hold */
};
enum { HSA_DEVICE_CPU = 0, HSA_DEVICE_GPU = 1 };
enum { HSA_SEGMENT_GROUP = 3 };
enum { HSA_POOL_SEGMENT = 0, HSA_POOL_FLAGS = 1, HSA_POOL_SIZE = 2 };
enum {
	HSA_SYMBOL_TYPE = 0,
	HSA_SYMBOL_NAME_LENGTH = 1,
	HSA_SYMBOL_NAME = 2,
	HSA_SYMBOL_OBJECT = 22
};
enum { HSA_SYMBOL_KERNEL = 1 };

#define HSA_NAME_BYTES 64

/* What a kernel's object is the address of (LLVM's User Guide for AMDGPU Backend, "Kernel
 * Descriptor"); code objects of version 2 have the same in these places. */
struct hsa_kernel_descriptor {
	uint8_t before[48];
	uint32_t rsrc1; /* vector registers in its low six bits, in portions, less one */
	uint32_t rsrc2;
	uint16_t properties;
	uint8_t after[6];
};

_Static_assert(sizeof(struct hsa_kernel_descriptor) == 64, "kernel descriptor");

#define HSA_KERNEL_REGISTERS 0x3fu
#define HSA_KERNEL_WAVE32 0x400u

/* hsa_ven_amd_loader_1_00_pfn_t begins so. */
#define HSA_EXTENSION_LOADER 0x201
struct hsa_loader {
	int32_t (*host_address)(const void *device, const void **host);
};

#endif
