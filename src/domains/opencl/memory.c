/* SPDX-License-Identifier: MIT */
/* Memory objects: described when made, said to be freed with the program's
 * last reference, by what it retains and releases. (The driver may keep the memory longer: commands under way,
 * kernels' arguments and sub-buffers hold references of their own.) */
#include "domains/opencl/memory.h"

#include <errno.h>

#include "core/call/call.h"
#include "core/process.h"
#include "domains/opencl/cl.h"
#include "domains/opencl/query.h"
#include "domains/opencl/recording.h"
#include "domains/opencl/shared.h"

static uint64_t memory_info(void *memory, uint32_t name)
{
	return opencl_info_u64(opencl_next.clGetMemObjectInfo, memory, name);
}

static uint8_t memory_kind(uint64_t type, bool has_parent)
{
	switch (type) {
	case CL_MEM_OBJECT_BUFFER:
		return has_parent ? TANDEM_MEMORY_KIND_sub_buffer : TANDEM_MEMORY_KIND_buffer;
	case CL_MEM_OBJECT_PIPE:
		return TANDEM_MEMORY_KIND_pipe;
	default:
		return TANDEM_MEMORY_KIND_image;
	}
}

static void memory_write(const struct tandem_rec_memory *described)
{
	struct tandem_rec_memory *record =
		tandem_record_begin(TANDEM_EVENT_memory, sizeof(*record));

	if (!record)
		return;
	record->memory = described->memory;
	record->domain = TANDEM_DOMAIN_opencl;
	record->kind = described->kind;
	record->handle = described->handle;
	record->context = described->context;
	record->device = 0;
	record->parent = described->parent;
	record->flags = described->flags;
	record->bytes = described->bytes;
	tandem_record_commit();
}

void opencl_memory_describe(void *memory, uint32_t number)
{
	void *context = (void *)(uintptr_t)memory_info(memory, CL_MEM_CONTEXT);
	void *parent = (void *)(uintptr_t)memory_info(memory, CL_MEM_ASSOCIATED_MEMOBJECT);
	struct tandem_rec_memory described = {
		.memory = number,
		.kind = memory_kind(memory_info(memory, CL_MEM_TYPE), parent != NULL),
		.handle = (uint64_t)(uintptr_t)memory,
		.context = tandem_object_number(TANDEM_KIND(opencl, context), context),
		.parent = tandem_object_number(TANDEM_KIND(opencl, memory), parent),
		.flags = memory_info(memory, CL_MEM_FLAGS),
		.bytes = memory_info(memory, CL_MEM_SIZE),
	};

	/* Not a memory object after all (a call with a wrong argument). */
	if (context)
		memory_write(&described);
}

void opencl_memory_freed(uint32_t number, uint64_t bytes)
{
	struct tandem_rec_memory_free *record =
		tandem_record_begin(TANDEM_EVENT_memory_free, sizeof(*record));

	if (!record)
		return;
	record->memory = number;
	record->domain = TANDEM_DOMAIN_opencl;
	record->bytes = bytes;
	tandem_record_commit();
}

/* The program's references to an object, as far as all were counted: the statedump in which it
 * was made, plus one, and their number. What is retained or released while nothing is
 * recorded is not counted, and a statedump ends. */
static uint64_t references_of_one(void)
{
	return ((uint64_t)tandem_process_statedump() + 1) << 32 | 1;
}

static bool references_are_counted(const void *memory)
{
	return tandem_handle_get(TANDEM_HANDLE_STATE(opencl), memory) >> 32 ==
	       (uint64_t)tandem_process_statedump() + 1;
}

void opencl_memory_retained(const void *memory, int32_t result)
{
	if (result == CL_SUCCESS && references_are_counted(memory))
		tandem_handle_add(TANDEM_HANDLE_STATE(opencl), memory, 1);
}

void opencl_memory_release_failed(const void *memory)
{
	if (references_are_counted(memory))
		tandem_handle_add(TANDEM_HANDLE_STATE(opencl), memory, 1);
}

static bool is_last(void *memory)
{
	if (!references_are_counted(memory))
		return memory_info(memory, CL_MEM_REFERENCE_COUNT) == 1;
	return !(uint32_t)tandem_handle_add(TANDEM_HANDLE_STATE(opencl), memory, -1);
}

bool opencl_memory_release(void *memory, uint64_t *bytes)
{
	*bytes = 0;
	if (!is_last(memory))
		return false;
	/* A sub-buffer has no memory of its own. */
	if (!memory_info(memory, CL_MEM_ASSOCIATED_MEMOBJECT))
		*bytes = memory_info(memory, CL_MEM_SIZE);
	return true;
}

uint32_t opencl_created_memory(void *memory, enum opencl_fn fn, enum tandem_memory_kind kind,
			       const void *context, const void *parent, uint64_t flags,
			       uint64_t bytes)
{
	struct tandem_rec_memory described = {
		.kind = (uint8_t)kind,
		.handle = (uint64_t)(uintptr_t)memory,
		.flags = flags,
		.bytes = bytes,
	};
	int saved = errno;
	(void)fn;

	if (!memory)
		return 0;
	/* What the call says is taken from it, the rest from the driver. */
	if (!context)
		context = (void *)(uintptr_t)memory_info(memory, CL_MEM_CONTEXT);
	if (!bytes)
		described.bytes = memory_info(memory, CL_MEM_SIZE);
	described.context = tandem_object_number(TANDEM_KIND(opencl, context), context);
	described.parent = tandem_object_number(TANDEM_KIND(opencl, memory), parent);
	described.memory = tandem_object_assign(TANDEM_KIND(opencl, memory), memory);
	tandem_handle_set(TANDEM_HANDLE_STATE(opencl), memory, references_of_one());
	memory_write(&described);
	errno = saved;
	return described.memory;
}

uint32_t opencl_allocated(void *pointer, enum opencl_fn fn, enum tandem_memory_kind kind,
			  const void *context, const void *device, uint64_t flags, uint64_t bytes)
{
	struct tandem_rec_memory described = {
		.kind = (uint8_t)kind,
		.handle = (uint64_t)(uintptr_t)pointer,
		.context = tandem_object_number(TANDEM_KIND(opencl, context), context),
		.device = tandem_object_number(TANDEM_KIND(opencl, device), device),
		.flags = flags,
		.bytes = bytes,
	};
	(void)fn;

	if (!pointer)
		return 0;
	if (kind != TANDEM_MEMORY_KIND_usm_host)
		opencl_shared_made(pointer, bytes);
	described.memory = tandem_object_assign(TANDEM_KIND(opencl, memory), pointer);
	tandem_handle_set(TANDEM_HANDLE_STATE(opencl), pointer, bytes);
	memory_write(&described);
	return described.memory;
}

uint64_t opencl_freeing(const void *pointer)
{
	uint32_t number = tandem_object_find(TANDEM_KIND(opencl, memory), pointer);

	opencl_shared_freed(pointer);
	if (number) {
		opencl_memory_freed(number,
				    tandem_handle_get(TANDEM_HANDLE_STATE(opencl), pointer));
		tandem_object_forget(TANDEM_KIND(opencl, memory), pointer);
	}
	return number;
}

void opencl_freed_list(uint32_t count, const void *pointers, int32_t result)
{
	for (uint32_t i = 0; result == CL_SUCCESS && pointers && i < count; i++)
		opencl_freeing(((void *const *)pointers)[i]);
}

uint64_t opencl_image_bytes(void *image, const void *region)
{
	const size_t *size = region;

	if (!image || !size)
		return 0;
	return opencl_info_u64(opencl_next.clGetImageInfo, image, CL_IMAGE_ELEMENT_SIZE) * size[0] *
	       size[1] * size[2];
}

uint64_t opencl_memories_bytes(uint32_t count, const void *memories)
{
	void *const *memory = memories;
	uint64_t bytes = 0;

	for (uint32_t i = 0; memory && i < count; i++)
		bytes += memory[i] ? memory_info(memory[i], CL_MEM_SIZE) : 0;
	return bytes;
}
