/* SPDX-License-Identifier: MIT */
/* Commands that read, write, copy and fill images. */
#include <string.h>

#include "memory.h"
#include "queue.h"
#include "rect.h"

static cl_int rect_enqueue(struct stub_command command, const struct stub_rect *rect)
{
	command.run = stub_rect_run;
	command.payload = rect;
	command.payload_bytes = sizeof(*rect);
	return stub_enqueue(&command);
}

static bool image_check(cl_mem image)
{
	return stub_object_check(image, STUB_memory) && stub_memory_is_image(image);
}

/* A 1D array has its layers where other images have their rows. */
static size_t row_bytes(cl_mem image)
{
	return image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? image->slice_bytes : image->row_bytes;
}

static struct stub_place image_place(cl_mem image, const size_t *origin)
{
	return (struct stub_place){
		.data = image->data + origin[2] * image->slice_bytes +
			origin[1] * row_bytes(image) + origin[0] * image->element_bytes,
		.row_bytes = row_bytes(image),
		.slice_bytes = image->slice_bytes,
	};
}

static struct stub_place host_place(cl_mem image, char *data, const size_t *region, size_t row,
				    size_t slice)
{
	if (!row)
		row = region[0] * image->element_bytes;
	if (image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY && slice)
		row = slice;
	if (!slice)
		slice = row * region[1];
	return (struct stub_place){.data = data, .row_bytes = row, .slice_bytes = slice};
}

static bool region_is_inside(cl_mem image, const size_t *origin, const size_t *region)
{
	if (!origin || !region || !region[0] || !region[1] || !region[2] ||
	    origin[0] + region[0] > image->desc.image_width)
		return false;

	struct stub_place start = image_place(image, origin);
	size_t last = (size_t)(start.data - image->data) + (region[2] - 1) * start.slice_bytes +
		      (region[1] - 1) * start.row_bytes + region[0] * image->element_bytes;

	return last <= image->bytes;
}

cl_int stub_clEnqueueReadImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_read,
			       const size_t *origin, const size_t *region, size_t row_pitch,
			       size_t slice_pitch, void *ptr, cl_uint num_events_in_wait_list,
			       const cl_event *event_wait_list, cl_event *event)
{
	ENTER(clEnqueueReadImage);
	if (!image_check(image))
		return CL_INVALID_MEM_OBJECT;
	if (!ptr || !region_is_inside(image, origin, region))
		return CL_INVALID_VALUE;

	const struct stub_rect rect = {
		.to = host_place(image, ptr, region, row_pitch, slice_pitch),
		.from = image_place(image, origin),
		.size = {region[0] * image->element_bytes, region[1], region[2]},
	};

	return rect_enqueue((struct stub_command){STUB_COMMAND(CL_COMMAND_READ_IMAGE),
						  .blocking = blocking_read},
			    &rect);
}

cl_int stub_clEnqueueWriteImage(cl_command_queue command_queue, cl_mem image,
				cl_bool blocking_write, const size_t *origin, const size_t *region,
				size_t input_row_pitch, size_t input_slice_pitch, const void *ptr,
				cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
				cl_event *event)
{
	ENTER(clEnqueueWriteImage);
	if (!image_check(image))
		return CL_INVALID_MEM_OBJECT;
	if (!ptr || !region_is_inside(image, origin, region))
		return CL_INVALID_VALUE;

	const struct stub_rect rect = {
		.to = image_place(image, origin),
		.from = host_place(image, (char *)ptr, region, input_row_pitch, input_slice_pitch),
		.size = {region[0] * image->element_bytes, region[1], region[2]},
	};

	return rect_enqueue((struct stub_command){STUB_COMMAND(CL_COMMAND_WRITE_IMAGE),
						  .blocking = blocking_write},
			    &rect);
}

cl_int stub_clEnqueueFillImage(cl_command_queue command_queue, cl_mem image, const void *fill_color,
			       const size_t *origin, const size_t *region,
			       cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
			       cl_event *event)
{
	struct stub_rect rect = {.size = {0}};

	ENTER(clEnqueueFillImage);
	if (!image_check(image))
		return CL_INVALID_MEM_OBJECT;
	if (!fill_color || !region_is_inside(image, origin, region))
		return CL_INVALID_VALUE;
	/* The colour as it is given: the stub converts no channel. */
	memcpy(rect.pattern, fill_color, 16);
	rect.pattern_bytes = image->element_bytes < 16 ? image->element_bytes : 16;
	rect.to = image_place(image, origin);
	rect.size[0] = region[0] * image->element_bytes;
	rect.size[1] = region[1];
	rect.size[2] = region[2];
	return rect_enqueue((struct stub_command){STUB_COMMAND(CL_COMMAND_FILL_IMAGE)}, &rect);
}

cl_int stub_clEnqueueCopyImage(cl_command_queue command_queue, cl_mem src_image, cl_mem dst_image,
			       const size_t *src_origin, const size_t *dst_origin,
			       const size_t *region, cl_uint num_events_in_wait_list,
			       const cl_event *event_wait_list, cl_event *event)
{
	ENTER(clEnqueueCopyImage);
	if (!image_check(src_image) || !image_check(dst_image))
		return CL_INVALID_MEM_OBJECT;
	if (src_image->element_bytes != dst_image->element_bytes)
		return CL_IMAGE_FORMAT_MISMATCH;
	if (!region_is_inside(src_image, src_origin, region) ||
	    !region_is_inside(dst_image, dst_origin, region))
		return CL_INVALID_VALUE;

	const struct stub_rect rect = {
		.to = image_place(dst_image, dst_origin),
		.from = image_place(src_image, src_origin),
		.size = {region[0] * src_image->element_bytes, region[1], region[2]},
	};

	return rect_enqueue((struct stub_command){STUB_COMMAND(CL_COMMAND_COPY_IMAGE)}, &rect);
}

/* Where an image's region lies in a buffer: without gaps. */
static bool buffer_place(cl_mem buffer, size_t offset, cl_mem image, const size_t *region,
			 struct stub_place *start)
{
	size_t bytes = region[0] * region[1] * region[2] * image->element_bytes;

	if (offset > buffer->bytes || bytes > buffer->bytes - offset)
		return false;
	*start = host_place(image, buffer->data + offset, region, 0, 0);
	return true;
}

cl_int stub_clEnqueueCopyImageToBuffer(cl_command_queue command_queue, cl_mem src_image,
				       cl_mem dst_buffer, const size_t *src_origin,
				       const size_t *region, size_t dst_offset,
				       cl_uint num_events_in_wait_list,
				       const cl_event *event_wait_list, cl_event *event)
{
	struct stub_rect rect = {.size = {0}};

	ENTER(clEnqueueCopyImageToBuffer);
	if (!image_check(src_image) || !stub_object_check(dst_buffer, STUB_memory))
		return CL_INVALID_MEM_OBJECT;
	if (!region_is_inside(src_image, src_origin, region) ||
	    !buffer_place(dst_buffer, dst_offset, src_image, region, &rect.to))
		return CL_INVALID_VALUE;
	rect.from = image_place(src_image, src_origin);
	rect.size[0] = region[0] * src_image->element_bytes;
	rect.size[1] = region[1];
	rect.size[2] = region[2];
	return rect_enqueue((struct stub_command){STUB_COMMAND(CL_COMMAND_COPY_IMAGE_TO_BUFFER)},
			    &rect);
}

cl_int stub_clEnqueueCopyBufferToImage(cl_command_queue command_queue, cl_mem src_buffer,
				       cl_mem dst_image, size_t src_offset,
				       const size_t *dst_origin, const size_t *region,
				       cl_uint num_events_in_wait_list,
				       const cl_event *event_wait_list, cl_event *event)
{
	struct stub_rect rect = {.size = {0}};

	ENTER(clEnqueueCopyBufferToImage);
	if (!image_check(dst_image) || !stub_object_check(src_buffer, STUB_memory))
		return CL_INVALID_MEM_OBJECT;
	if (!region_is_inside(dst_image, dst_origin, region) ||
	    !buffer_place(src_buffer, src_offset, dst_image, region, &rect.from))
		return CL_INVALID_VALUE;
	rect.to = image_place(dst_image, dst_origin);
	rect.size[0] = region[0] * dst_image->element_bytes;
	rect.size[1] = region[1];
	rect.size[2] = region[2];
	return rect_enqueue((struct stub_command){STUB_COMMAND(CL_COMMAND_COPY_BUFFER_TO_IMAGE)},
			    &rect);
}

/* Maps give the memory itself, to be read with what kernels changed (rect.c). */
void *stub_clEnqueueMapImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_map,
			     cl_map_flags map_flags, const size_t *origin, const size_t *region,
			     size_t *image_row_pitch, size_t *image_slice_pitch,
			     cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
			     cl_event *event, cl_int *errcode_ret)
{
	ENTER_HANDLE(clEnqueueMapImage);
	(void)map_flags;
	if (!image_check(image))
		return stub_fail(errcode_ret, CL_INVALID_MEM_OBJECT);
	if (!image_row_pitch || !region_is_inside(image, origin, region))
		return stub_fail(errcode_ret, CL_INVALID_VALUE);

	struct stub_place start = image_place(image, origin);
	cl_int error = stub_enqueue(&(struct stub_command){STUB_COMMAND(CL_COMMAND_MAP_IMAGE),
							   .blocking = blocking_map});

	if (error)
		return stub_fail(errcode_ret, error);
	*image_row_pitch = start.row_bytes;
	if (image_slice_pitch)
		*image_slice_pitch = start.slice_bytes;
	image->maps++;
	stub_succeed(errcode_ret);
	return start.data;
}

void *stub_clEnqueueMapBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_map,
			      cl_map_flags map_flags, size_t offset, size_t size,
			      cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
			      cl_event *event, cl_int *errcode_ret)
{
	ENTER_HANDLE(clEnqueueMapBuffer);
	if (!stub_object_check(buffer, STUB_memory))
		return stub_fail(errcode_ret, CL_INVALID_MEM_OBJECT);
	if (!size || offset > buffer->bytes || size > buffer->bytes - offset)
		return stub_fail(errcode_ret, CL_INVALID_VALUE);

	/* The end of it, by which it is told. */
	const size_t end_bytes = size < 4096 ? size : 4096;
	char *end = buffer->data + offset + size - end_bytes;
	const struct stub_rect rect = {
		.to = {.data = end},
		.from = {.data = end},
		.size = {end_bytes, 1, 1},
		.changes = map_flags & CL_MAP_READ ? stub_memory_changes(buffer) : 0,
	};
	cl_int error = stub_enqueue(&(struct stub_command){
		STUB_COMMAND(CL_COMMAND_MAP_BUFFER), .run = stub_rect_run, .payload = &rect,
		.payload_bytes = sizeof(rect), .blocking = blocking_map});

	if (error)
		return stub_fail(errcode_ret, error);
	buffer->maps++;
	stub_succeed(errcode_ret);
	return buffer->data + offset;
}

cl_int stub_clEnqueueUnmapMemObject(cl_command_queue command_queue, cl_mem memory, void *mapped_ptr,
				    cl_uint num_events_in_wait_list,
				    const cl_event *event_wait_list, cl_event *event)
{
	ENTER(clEnqueueUnmapMemObject);
	if (!stub_object_check(memory, STUB_memory))
		return CL_INVALID_MEM_OBJECT;
	if (!memory->maps || (char *)mapped_ptr < memory->data ||
	    (char *)mapped_ptr >= memory->data + memory->bytes)
		return CL_INVALID_VALUE;

	cl_int error =
		stub_enqueue(&(struct stub_command){STUB_COMMAND(CL_COMMAND_UNMAP_MEM_OBJECT)});

	if (!error)
		memory->maps--;
	return error;
}
