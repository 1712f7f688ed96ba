/* SPDX-License-Identifier: MIT */
/* The addresses by which core/object.h is asked for what HIP has no handle of: handles are
 * aligned, and these have something in their low four bits. */
#ifndef TANDEM_DOMAINS_HIP_OBJECT_H
#define TANDEM_DOMAINS_HIP_OBJECT_H

#include <stdint.h>

#include "core/object.h"

enum hip_tag {
	HIP_TAG_DEFAULT = 1,
	HIP_TAG_PER_THREAD = 3,
	HIP_TAG_DEVICE = 5,
	HIP_TAG_HARDWARE = 7
};

static inline const void *hip_address_of(uint32_t high, uint32_t low, enum hip_tag tag)
{
	return (const void *)((uintptr_t)high << 36 | (uintptr_t)low << 4 | (uintptr_t)tag);
}

#define HIP_KIND(type) TANDEM_KIND(hip, type)
#define HIP_STATE TANDEM_HANDLE_STATE(hip)

#endif
