/* SPDX-License-Identifier: MIT */
/* Memory objects of the stub driver: host memory behind buffers, sub-buffers,
 * images and pipes. */
#ifndef STUB_MEMORY_H
#define STUB_MEMORY_H

#include "stub.h"

struct _cl_mem {
	struct stub_object object;
	cl_context context;
	cl_mem parent; /* of a sub-buffer: holds a reference */
	cl_mem_object_type type;
	cl_mem_flags flags;
	size_t bytes, offset;
	char *data;
	bool owns_data;
	void *host_ptr;
	_Atomic cl_uint maps;
	cl_image_format format;
	cl_image_desc desc;
	size_t element_bytes, row_bytes, slice_bytes; /* of an image */
	cl_uint pipe_packet_bytes, pipe_packets;
	cl_uint property_count;
	cl_mem_properties *properties;
	struct stub_callback *destructors;
	_Atomic cl_uint changes; /* kernels that could have changed it ... */
	cl_uint written;	 /* ... until all of it was written */
};

/* A memory object with `bytes` of memory, filled from host_ptr as `flags` say. */
cl_mem stub_memory_create(cl_context context, cl_mem_object_type type, cl_mem_flags flags,
			  size_t bytes, void *host_ptr, cl_int *errcode_ret);
void stub_memory_put(cl_mem memory);

/* By kernels, behind what the host wrote; 0: none. */
cl_uint stub_memory_changes(cl_mem memory);
bool stub_memory_is_image(const struct _cl_mem *memory);

/* The object that has the memory. */
static inline cl_mem stub_memory_root(cl_mem memory)
{
	while (memory->parent)
		memory = memory->parent;
	return memory;
}

#endif
