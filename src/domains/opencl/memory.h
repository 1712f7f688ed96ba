/* SPDX-License-Identifier: MIT */
/* Memory objects and allocations: described when made, recorded as freed with the
 * program's last reference; and how many bytes a command moves. Any thread. */
#ifndef TANDEM_OPENCL_MEMORY_H
#define TANDEM_OPENCL_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "domains/opencl/cl.h"
#include "domains/opencl/gen/next.h"
#include "schema/gen/core_records.h"

/* A new memory object (NULL, 0: asked of the driver), an allocation
 * by address, and an address about to be freed (0: not ours). */
uint32_t opencl_created_memory(void *memory, enum opencl_fn fn, enum tandem_memory_kind kind,
			       const void *context, const void *parent, uint64_t flags,
			       uint64_t bytes);
uint32_t opencl_allocated(void *pointer, enum opencl_fn fn, enum tandem_memory_kind kind,
			  const void *context, const void *device, uint64_t flags, uint64_t bytes);
uint64_t opencl_freeing(const void *pointer);
void opencl_freed_list(uint32_t count, const void *pointers, int32_t result);
void opencl_memory_describe(void *memory, uint32_t number);

/* The program took one more reference. */
void opencl_memory_retained(const void *memory, int32_t result);

/* Whether the program's last reference is about to go; then how many bytes go with it.
 * The references are those that the program itself took since the object was made, where
 * that was recorded: the driver's count has those of commands in flight, too. */
bool opencl_memory_release(void *memory, uint64_t *bytes);
/* It did not go after all. */
void opencl_memory_release_failed(const void *memory);
void opencl_memory_freed(uint32_t number, uint64_t bytes);

uint64_t opencl_image_bytes(void *image, const void *region);
uint64_t opencl_memories_bytes(uint32_t count, const void *memories);

#endif
