/* SPDX-License-Identifier: MIT */
/* Shared virtual memory, and unified memory but for the host's own: which addresses are there. A copy by
 * addresses goes to the device where one end is such memory and the other is none: so its call does not say.
 * As many as 256 at a time are known; where more were there, or the program had some before it was recorded,
 * all copies are taken for such as stay on the device. Any thread. */
#ifndef TANDEM_OPENCL_SHARED_H
#define TANDEM_OPENCL_SHARED_H

#include <stdint.h>

#include "domains/opencl/command.h"

void opencl_shared_made(const void *pointer, uint64_t bytes);
void opencl_shared_freed(const void *pointer);

/* TANDEM_OPERATION_KIND_copy_h2d, _d2h or _d2d. */
unsigned opencl_shared_kind(const void *to, const void *from);

/* What such a copy moves, behind its call (content.h). */
void opencl_shared_content(const struct opencl_command *command, const void *to, const void *from,
			   uint64_t bytes, uint32_t blocking, int32_t result);

#endif
