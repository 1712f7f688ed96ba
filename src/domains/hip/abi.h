/* SPDX-License-Identifier: MIT */
/* What HIP's runtime and a tool exchange, as far as the ABI needs it. Facts: HIP's public
 * headers (hip_runtime_prof.h, prof_protocol.h, hip_prof_str.h) and ROCTracer's. */
#ifndef TANDEM_DOMAINS_HIP_ABI_H
#define TANDEM_DOMAINS_HIP_ABI_H

#include <stdint.h>

/* activity_domain_t. */
enum { HIP_DOMAIN_OPERATIONS = 2, HIP_DOMAIN_API = 3 };

/* Operations of HIP_DOMAIN_OPERATIONS. */
enum { HIP_OPERATION_DISPATCH, HIP_OPERATION_COPY, HIP_OPERATION_BARRIER, HIP_OPERATIONS };

enum { HIP_PHASE_ENTER, HIP_PHASE_EXIT };

/* activity_record_t: 64 bytes. */
struct hip_activity {
	uint32_t domain;
	uint32_t kind; /* the OpenCL command that AMD's runtime makes of it */
	uint32_t operation;
	uint64_t correlation;
	uint64_t begin_ns, end_ns; /* 0: without times */
	int32_t device;		   /* its node number */
	uint64_t queue;
	union {
		uint64_t bytes;
		const char *kernel; /* since HIP 5.4 */
	};
};

_Static_assert(sizeof(struct hip_activity) == 64, "activity_record_t");

/* Kinds: OpenCL's cl_command_type. */
enum {
	HIP_COMMAND_KERNEL = 0x11F0,
	HIP_COMMAND_TASK = 0x11F1,
	HIP_COMMAND_READ_BUFFER = 0x11F3,
	HIP_COMMAND_WRITE_BUFFER = 0x11F4,
	HIP_COMMAND_COPY_BUFFER = 0x11F5,
	HIP_COMMAND_READ_IMAGE = 0x11F6,
	HIP_COMMAND_WRITE_IMAGE = 0x11F7,
	HIP_COMMAND_COPY_IMAGE = 0x11F8,
	HIP_COMMAND_COPY_IMAGE_TO_BUFFER = 0x11F9,
	HIP_COMMAND_COPY_BUFFER_TO_IMAGE = 0x11FA,
	HIP_COMMAND_MARKER = 0x11FE,
	HIP_COMMAND_READ_BUFFER_RECT = 0x1201,
	HIP_COMMAND_WRITE_BUFFER_RECT = 0x1202,
	HIP_COMMAND_COPY_BUFFER_RECT = 0x1203,
	HIP_COMMAND_FILL_BUFFER = 0x1207,
	HIP_COMMAND_FILL_IMAGE = 0x1208,
};

/* hip_api_data_t: its arguments follow. What belongs to a tool behind it (HIP 5.4 and
 * later) is at offsets that depend on its size. */
struct hip_api_data {
	uint64_t correlation; /* the tool's */
	uint32_t phase;
};

#define HIP_ARGUMENTS_AT 16u

#endif
