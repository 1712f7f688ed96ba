/* SPDX-License-Identifier: MIT */
/* Commands that read, write, copy and fill buffers. */
#include <string.h>

#include "memory.h"
#include "queue.h"
#include "rect.h"

/* The command that moves or fills the box. */
static cl_int rect_enqueue(struct stub_command command, const struct stub_rect *rect)
{
	command.run = stub_rect_run;
	command.payload = rect;
	command.payload_bytes = sizeof(*rect);
	return stub_enqueue(&command);
}

/* Bytes that take as long as these. */
static size_t host_amount(const void *host, size_t bytes)
{
	return (uintptr_t)host % 64 ? bytes + bytes * (size_t)stub_config.odd_percent / 100 : bytes;
}

static bool buffer_holds(cl_mem buffer, size_t offset, size_t bytes)
{
	return bytes && offset <= buffer->bytes && bytes <= buffer->bytes - offset;
}

static cl_int buffer_check(cl_mem buffer)
{
	return stub_object_check(buffer, STUB_memory) ? CL_SUCCESS : CL_INVALID_MEM_OBJECT;
}

cl_uint stub_memory_changes(cl_mem buffer)
{
	cl_mem root = stub_memory_root(buffer);

	return root->changes == root->written ? 0 : root->changes;
}

cl_int stub_clEnqueueReadBuffer(cl_command_queue command_queue, cl_mem buffer,
				cl_bool blocking_read, size_t offset, size_t size, void *ptr,
				cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
				cl_event *event)
{
	ENTER(clEnqueueReadBuffer);
	if (buffer_check(buffer))
		return CL_INVALID_MEM_OBJECT;
	if (!ptr || !buffer_holds(buffer, offset, size))
		return CL_INVALID_VALUE;

	const struct stub_rect rect = {
		.to = {.data = ptr},
		.from = {.data = buffer->data + offset},
		.size = {size, 1, 1},
		.changes = stub_memory_changes(buffer),
	};

	return rect_enqueue((struct stub_command){STUB_COMMAND(CL_COMMAND_READ_BUFFER),
						  .amount = host_amount(ptr, size),
						  .blocking = blocking_read},
			    &rect);
}

cl_int stub_clEnqueueWriteBuffer(cl_command_queue command_queue, cl_mem buffer,
				 cl_bool blocking_write, size_t offset, size_t size,
				 const void *ptr, cl_uint num_events_in_wait_list,
				 const cl_event *event_wait_list, cl_event *event)
{
	ENTER(clEnqueueWriteBuffer);
	if (buffer_check(buffer))
		return CL_INVALID_MEM_OBJECT;
	if (!ptr || !buffer_holds(buffer, offset, size))
		return CL_INVALID_VALUE;

	if (size == buffer->bytes)
		buffer->written = buffer->changes;

	const struct stub_rect rect = {
		.to = {.data = buffer->data + offset},
		.from = {.data = (char *)ptr},
		.size = {size, 1, 1},
	};

	return rect_enqueue((struct stub_command){STUB_COMMAND(CL_COMMAND_WRITE_BUFFER),
						  .amount = host_amount(ptr, size),
						  .blocking = blocking_write},
			    &rect);
}

cl_int stub_clEnqueueCopyBuffer(cl_command_queue command_queue, cl_mem src_buffer,
				cl_mem dst_buffer, size_t src_offset, size_t dst_offset,
				size_t size, cl_uint num_events_in_wait_list,
				const cl_event *event_wait_list, cl_event *event)
{
	ENTER(clEnqueueCopyBuffer);
	if (buffer_check(src_buffer) || buffer_check(dst_buffer))
		return CL_INVALID_MEM_OBJECT;
	if (!buffer_holds(src_buffer, src_offset, size) ||
	    !buffer_holds(dst_buffer, dst_offset, size))
		return CL_INVALID_VALUE;

	const struct stub_rect rect = {
		.to = {.data = dst_buffer->data + dst_offset},
		.from = {.data = src_buffer->data + src_offset},
		.size = {size, 1, 1},
	};

	return rect_enqueue((struct stub_command){STUB_COMMAND(CL_COMMAND_COPY_BUFFER)}, &rect);
}

cl_int stub_clEnqueueFillBuffer(cl_command_queue command_queue, cl_mem buffer, const void *pattern,
				size_t pattern_size, size_t offset, size_t size,
				cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
				cl_event *event)
{
	struct stub_rect rect = {.size = {size, 1, 1}, .pattern_bytes = pattern_size};

	ENTER(clEnqueueFillBuffer);
	if (buffer_check(buffer))
		return CL_INVALID_MEM_OBJECT;
	if (!pattern || !pattern_size || pattern_size > sizeof(rect.pattern) ||
	    size % pattern_size || offset % pattern_size || !buffer_holds(buffer, offset, size))
		return CL_INVALID_VALUE;
	memcpy(rect.pattern, pattern, pattern_size);
	rect.to.data = buffer->data + offset;
	return rect_enqueue((struct stub_command){STUB_COMMAND(CL_COMMAND_FILL_BUFFER)}, &rect);
}

/* The place of a box in memory; the pitches become what they are by default. */
static struct stub_place place(char *data, const size_t *origin, const size_t *region,
			       size_t row_bytes, size_t slice_bytes)
{
	if (!row_bytes)
		row_bytes = region[0];
	if (!slice_bytes)
		slice_bytes = row_bytes * region[1];
	return (struct stub_place){
		.data = data + origin[2] * slice_bytes + origin[1] * row_bytes + origin[0],
		.row_bytes = row_bytes,
		.slice_bytes = slice_bytes,
	};
}

/* Whether the box that starts at `place` ends within the buffer. */
static bool place_is_inside(cl_mem buffer, struct stub_place start, const size_t *region)
{
	size_t offset = (size_t)(start.data - buffer->data);

	if (!region[0] || !region[1] || !region[2])
		return false;
	return buffer_holds(buffer, offset,
			    (region[2] - 1) * start.slice_bytes +
				    (region[1] - 1) * start.row_bytes + region[0]);
}

cl_int stub_clEnqueueReadBufferRect(cl_command_queue command_queue, cl_mem buffer,
				    cl_bool blocking_read, const size_t *buffer_origin,
				    const size_t *host_origin, const size_t *region,
				    size_t buffer_row_pitch, size_t buffer_slice_pitch,
				    size_t host_row_pitch, size_t host_slice_pitch, void *ptr,
				    cl_uint num_events_in_wait_list,
				    const cl_event *event_wait_list, cl_event *event)
{
	ENTER(clEnqueueReadBufferRect);
	if (buffer_check(buffer))
		return CL_INVALID_MEM_OBJECT;
	if (!ptr || !buffer_origin || !host_origin || !region)
		return CL_INVALID_VALUE;

	const struct stub_rect rect = {
		.to = place(ptr, host_origin, region, host_row_pitch, host_slice_pitch),
		.from = place(buffer->data, buffer_origin, region, buffer_row_pitch,
			      buffer_slice_pitch),
		.size = {region[0], region[1], region[2]},
	};

	if (!place_is_inside(buffer, rect.from, region))
		return CL_INVALID_VALUE;
	return rect_enqueue((struct stub_command){STUB_COMMAND(CL_COMMAND_READ_BUFFER_RECT),
						  .blocking = blocking_read},
			    &rect);
}

cl_int stub_clEnqueueWriteBufferRect(cl_command_queue command_queue, cl_mem buffer,
				     cl_bool blocking_write, const size_t *buffer_origin,
				     const size_t *host_origin, const size_t *region,
				     size_t buffer_row_pitch, size_t buffer_slice_pitch,
				     size_t host_row_pitch, size_t host_slice_pitch,
				     const void *ptr, cl_uint num_events_in_wait_list,
				     const cl_event *event_wait_list, cl_event *event)
{
	ENTER(clEnqueueWriteBufferRect);
	if (buffer_check(buffer))
		return CL_INVALID_MEM_OBJECT;
	if (!ptr || !buffer_origin || !host_origin || !region)
		return CL_INVALID_VALUE;

	const struct stub_rect rect = {
		.to = place(buffer->data, buffer_origin, region, buffer_row_pitch,
			    buffer_slice_pitch),
		.from = place((char *)ptr, host_origin, region, host_row_pitch, host_slice_pitch),
		.size = {region[0], region[1], region[2]},
	};

	if (!place_is_inside(buffer, rect.to, region))
		return CL_INVALID_VALUE;
	return rect_enqueue((struct stub_command){STUB_COMMAND(CL_COMMAND_WRITE_BUFFER_RECT),
						  .blocking = blocking_write},
			    &rect);
}

cl_int stub_clEnqueueCopyBufferRect(cl_command_queue command_queue, cl_mem src_buffer,
				    cl_mem dst_buffer, const size_t *src_origin,
				    const size_t *dst_origin, const size_t *region,
				    size_t src_row_pitch, size_t src_slice_pitch,
				    size_t dst_row_pitch, size_t dst_slice_pitch,
				    cl_uint num_events_in_wait_list,
				    const cl_event *event_wait_list, cl_event *event)
{
	ENTER(clEnqueueCopyBufferRect);
	if (buffer_check(src_buffer) || buffer_check(dst_buffer))
		return CL_INVALID_MEM_OBJECT;
	if (!src_origin || !dst_origin || !region)
		return CL_INVALID_VALUE;

	const struct stub_rect rect = {
		.to = place(dst_buffer->data, dst_origin, region, dst_row_pitch, dst_slice_pitch),
		.from = place(src_buffer->data, src_origin, region, src_row_pitch, src_slice_pitch),
		.size = {region[0], region[1], region[2]},
	};

	if (!place_is_inside(src_buffer, rect.from, region) ||
	    !place_is_inside(dst_buffer, rect.to, region))
		return CL_INVALID_VALUE;
	return rect_enqueue((struct stub_command){STUB_COMMAND(CL_COMMAND_COPY_BUFFER_RECT)},
			    &rect);
}
