/* SPDX-License-Identifier: MIT */
/* The addresses by which core/object.h is asked for what CUPTI names by small numbers:
 * no handle has them, as handles are aligned, and these have something in their low
 * four bits. */
#ifndef TANDEM_DOMAINS_CUDA_OBJECT_H
#define TANDEM_DOMAINS_CUDA_OBJECT_H

#include <stdint.h>

enum cuda_tag { TAG_LEGACY = 1, TAG_ID = 3, TAG_DEVICE = 5, TAG_CONTEXT = 7, TAG_UNIFIED = 9 };

static inline const void *cuda_address_of(uint32_t high, uint32_t low, enum cuda_tag tag)
{
	return (const void *)((uintptr_t)high << 36 | (uintptr_t)low << 4 | (uintptr_t)tag);
}

#endif
