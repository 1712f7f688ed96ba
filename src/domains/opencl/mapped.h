/* SPDX-License-Identifier: MIT */
/* What memory brings that is mapped for the host, and what it takes back: looked at behind the call that maps
 * it and waits, as what a read brought; and, where it is mapped to be written, before the call that unmaps it,
 * as what a write takes (core/call/content.h). Only where all arguments are recorded. The latest 64 that are
 * mapped are remembered. Any thread. */
#ifndef TANDEM_OPENCL_MAPPED_H
#define TANDEM_OPENCL_MAPPED_H

#include <stdint.h>

#include "domains/opencl/command.h"

/* Behind the call. `memory`: NULL of shared virtual memory; `data` is where it is mapped. */
void opencl_mapped(const struct opencl_command *command, const void *memory, const void *data,
		   uint64_t flags, uint64_t offset, uint64_t bytes, uint32_t blocking,
		   int32_t result);

/* Same, of an image; the pitches are what the call returned. */
void opencl_image_mapped(const struct opencl_command *command, void *image, const void *data,
			 uint64_t flags, const void *origin, const void *region,
			 const void *row_pitch, const void *slice_pitch, uint32_t blocking,
			 int32_t result);

/* Before the call, and behind it: `looked` is what the first returned. */
uint64_t opencl_unmapping(const void *memory, const void *data);
void opencl_unmapped(const struct opencl_command *command, uint64_t looked, int32_t result);

#endif
