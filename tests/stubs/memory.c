/* SPDX-License-Identifier: MIT */
/* Buffers, sub-buffers, pipes, and what all memory objects share. */
#include "memory.h"

#include <stdlib.h>
#include <string.h>

bool stub_memory_is_image(const struct _cl_mem *memory)
{
	return memory->type != CL_MEM_OBJECT_BUFFER && memory->type != CL_MEM_OBJECT_PIPE;
}

cl_mem stub_memory_create(cl_context context, cl_mem_object_type type, cl_mem_flags flags,
			  size_t bytes, void *host_ptr, cl_int *errcode_ret)
{
	bool uses_host = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);

	if (!stub_object_check(context, STUB_context))
		return stub_fail(errcode_ret, CL_INVALID_CONTEXT);
	if (!bytes)
		return stub_fail(errcode_ret, CL_INVALID_BUFFER_SIZE);
	if (uses_host != !!host_ptr)
		return stub_fail(errcode_ret, CL_INVALID_HOST_PTR);

	cl_mem memory = stub_object_create(STUB_memory, sizeof(*memory));

	if (!memory)
		return stub_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
	memory->context = context;
	memory->type = type;
	memory->flags = flags ? flags : CL_MEM_READ_WRITE;
	memory->bytes = bytes;
	if (flags & CL_MEM_USE_HOST_PTR) {
		memory->data = memory->host_ptr = host_ptr;
	} else {
		memory->owns_data = true;
		memory->data = calloc(1, bytes);
	}
	if (!memory->data) {
		stub_object_release(memory);
		stub_object_free(memory);
		return stub_fail(errcode_ret, CL_MEM_OBJECT_ALLOCATION_FAILURE);
	}
	if (flags & CL_MEM_COPY_HOST_PTR)
		memcpy(memory->data, host_ptr, bytes);
	stub_succeed(errcode_ret);
	return memory;
}

void stub_memory_put(cl_mem memory)
{
	if (!stub_object_release(memory))
		return;
	while (memory->destructors) {
		struct stub_callback *callback = memory->destructors;

		memory->destructors = callback->next;
		callback->call.memory(memory, callback->user_data);
		free(callback);
	}

	cl_mem parent = memory->parent;

	if (memory->owns_data)
		free(memory->data);
	free(memory->properties);
	stub_object_free(memory);
	if (parent)
		stub_memory_put(parent);
}

cl_mem stub_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr,
			   cl_int *errcode_ret)
{
	ENTER_HANDLE(clCreateBuffer);
	return stub_memory_create(context, CL_MEM_OBJECT_BUFFER, flags, size, host_ptr,
				  errcode_ret);
}

cl_mem stub_clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties,
					 cl_mem_flags flags, size_t size, void *host_ptr,
					 cl_int *errcode_ret)
{
	ENTER_HANDLE(clCreateBufferWithProperties);
	if (properties && properties[0])
		return stub_fail(errcode_ret, CL_INVALID_PROPERTY);

	cl_mem memory = stub_memory_create(context, CL_MEM_OBJECT_BUFFER, flags, size, host_ptr,
					   errcode_ret);

	if (memory && properties) {
		memory->property_count = 1;
		memory->properties = calloc(1, sizeof(*properties));
	}
	return memory;
}

cl_mem stub_clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags,
			      cl_buffer_create_type buffer_create_type,
			      const void *buffer_create_info, cl_int *errcode_ret)
{
	const cl_buffer_region *region = buffer_create_info;

	ENTER_HANDLE(clCreateSubBuffer);
	if (!stub_object_check(buffer, STUB_memory) || buffer->parent)
		return stub_fail(errcode_ret, CL_INVALID_MEM_OBJECT);
	if (buffer_create_type != CL_BUFFER_CREATE_TYPE_REGION || !region)
		return stub_fail(errcode_ret, CL_INVALID_VALUE);
	if (!region->size)
		return stub_fail(errcode_ret, CL_INVALID_BUFFER_SIZE);
	if (region->origin + region->size > buffer->bytes)
		return stub_fail(errcode_ret, CL_INVALID_VALUE);

	cl_mem memory = stub_object_create(STUB_memory, sizeof(*memory));

	if (!memory)
		return stub_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
	stub_object_retain(buffer);
	memory->context = buffer->context;
	memory->parent = buffer;
	memory->type = CL_MEM_OBJECT_BUFFER;
	memory->flags = flags ? flags : buffer->flags;
	memory->bytes = region->size;
	memory->offset = region->origin;
	memory->data = buffer->data + region->origin;
	stub_succeed(errcode_ret);
	return memory;
}

cl_mem stub_clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint pipe_packet_size,
			 cl_uint pipe_max_packets, const cl_pipe_properties *properties,
			 cl_int *errcode_ret)
{
	ENTER_HANDLE(clCreatePipe);
	if (properties && properties[0])
		return stub_fail(errcode_ret, CL_INVALID_VALUE);
	if (!pipe_packet_size || !pipe_max_packets)
		return stub_fail(errcode_ret, CL_INVALID_PIPE_SIZE);

	cl_mem memory =
		stub_memory_create(context, CL_MEM_OBJECT_PIPE, flags,
				   (size_t)pipe_packet_size * pipe_max_packets, NULL, errcode_ret);

	if (memory) {
		memory->pipe_packet_bytes = pipe_packet_size;
		memory->pipe_packets = pipe_max_packets;
	}
	return memory;
}

cl_int stub_clGetPipeInfo(cl_mem pipe, cl_pipe_info param_name, size_t param_value_size,
			  void *param_value, size_t *param_value_size_ret)
{
	ENTER(clGetPipeInfo);
	if (!stub_object_check(pipe, STUB_memory) || pipe->type != CL_MEM_OBJECT_PIPE)
		return CL_INVALID_MEM_OBJECT;
	switch (param_name) {
	case CL_PIPE_PACKET_SIZE:
		INFO(cl_uint, pipe->pipe_packet_bytes);
	case CL_PIPE_MAX_PACKETS:
		INFO(cl_uint, pipe->pipe_packets);
	default:
		return CL_INVALID_VALUE;
	}
}

cl_int stub_clRetainMemObject(cl_mem memory)
{
	ENTER(clRetainMemObject);
	if (!stub_object_check(memory, STUB_memory))
		return CL_INVALID_MEM_OBJECT;
	stub_object_retain(memory);
	return CL_SUCCESS;
}

cl_int stub_clReleaseMemObject(cl_mem memory)
{
	ENTER(clReleaseMemObject);
	if (!stub_object_check(memory, STUB_memory))
		return CL_INVALID_MEM_OBJECT;
	stub_memory_put(memory);
	return CL_SUCCESS;
}

cl_int stub_clSetMemObjectDestructorCallback(cl_mem memory,
					     void(CL_CALLBACK *pfn_notify)(cl_mem, void *),
					     void *user_data)
{
	ENTER(clSetMemObjectDestructorCallback);
	if (!stub_object_check(memory, STUB_memory))
		return CL_INVALID_MEM_OBJECT;
	if (!pfn_notify)
		return CL_INVALID_VALUE;
	return stub_callback_add(
		&memory->destructors,
		(struct stub_callback){.call.memory = pfn_notify, .user_data = user_data});
}

cl_int stub_clGetMemObjectInfo(cl_mem memory, cl_mem_info param_name, size_t param_value_size,
			       void *param_value, size_t *param_value_size_ret)
{
	ENTER(clGetMemObjectInfo);
	if (!stub_object_check(memory, STUB_memory))
		return CL_INVALID_MEM_OBJECT;
	switch (param_name) {
	case CL_MEM_TYPE:
		INFO(cl_mem_object_type, memory->type);
	case CL_MEM_FLAGS:
		INFO(cl_mem_flags, memory->flags);
	case CL_MEM_SIZE:
		INFO(size_t, memory->bytes);
	case CL_MEM_HOST_PTR:
		INFO(void *, memory->host_ptr);
	case CL_MEM_MAP_COUNT:
		INFO(cl_uint, memory->maps);
	case CL_MEM_REFERENCE_COUNT:
		INFO(cl_uint, (cl_uint)memory->object.references);
	case CL_MEM_CONTEXT:
		INFO(cl_context, memory->context);
	case CL_MEM_ASSOCIATED_MEMOBJECT:
		INFO(cl_mem, memory->parent);
	case CL_MEM_OFFSET:
		INFO(size_t, memory->offset);
	case CL_MEM_USES_SVM_POINTER:
		INFO(cl_bool, CL_FALSE);
	case CL_MEM_PROPERTIES:
		INFO_BYTES(memory->properties, memory->property_count * sizeof(cl_mem_properties));
	default:
		return CL_INVALID_VALUE;
	}
}
