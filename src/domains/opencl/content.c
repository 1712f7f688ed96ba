/* SPDX-License-Identifier: MIT */
#include "domains/opencl/content.h"

#include "core/call/content.h"
#include "core/call/content_later.h"
#include "core/control.h"
#include "domains/opencl/cl.h"
#include "domains/opencl/query.h"
#include "domains/opencl/queue.h"

static bool is_wanted(int32_t result)
{
	return result == CL_SUCCESS && tandem_control.args_level == TANDEM_ARGS_FULL;
}

void opencl_content(const struct opencl_command *command, const void *data, uint64_t offset,
		    uint64_t bytes, int32_t result)
{
	if (is_wanted(result))
		tandem_content_record(command->op, data, offset, bytes);
}

void opencl_content_read(const struct opencl_command *command, const void *data, uint64_t offset,
			 uint64_t bytes, uint32_t blocking, int32_t result)
{
	const struct opencl_queue *queue = command->queue;

	if (!is_wanted(result) || !queue)
		return;
	if (!blocking) {
		tandem_content_expect(&(struct tandem_content_later){
			.op = command->op,
			.data = data,
			.offset = offset,
			.bytes = bytes,
			.queue = queue->handle,
			.event = command->program_wants ? *(void **)command->event : NULL,
		});
		return;
	}
	tandem_content_read_record(command->op, data, offset, bytes);
	if (queue->in_order)
		tandem_content_arrived(queue->handle);
}

/* Where a box of an image is, and its bytes; 0: its rows do not lie behind each other. */
static uint64_t image_place(void *image, const size_t *from, const size_t *size, uint64_t row_pitch,
			    uint64_t slice_pitch, uint64_t *offset)
{
	uint64_t element =
		opencl_info_u64(opencl_next.clGetImageInfo, image, CL_IMAGE_ELEMENT_SIZE);
	uint64_t row = element * size[0], width, height;

	if ((row_pitch && row_pitch != row) ||
	    (slice_pitch && size[2] > 1 && slice_pitch != row * size[1]))
		return 0;
	width = opencl_info_u64(opencl_next.clGetImageInfo, image, CL_IMAGE_WIDTH);
	height = opencl_info_u64(opencl_next.clGetImageInfo, image, CL_IMAGE_HEIGHT);
	*offset = ((from[2] * (height ? height : 1) + from[1]) * width + from[0]) * element;
	return row * size[1] * size[2];
}

void opencl_image_content(const struct opencl_command *command, void *image, const void *data,
			  const void *origin, const void *region, uint64_t row_pitch,
			  uint64_t slice_pitch, int32_t result)
{
	uint64_t offset = 0, bytes;

	if (!is_wanted(result) || !image || !origin || !region)
		return;
	bytes = image_place(image, origin, region, row_pitch, slice_pitch, &offset);
	opencl_content(command, data, offset, bytes, result);
}

void opencl_image_content_read(const struct opencl_command *command, void *image, const void *data,
			       const void *origin, const void *region, uint64_t row_pitch,
			       uint64_t slice_pitch, uint32_t blocking, int32_t result)
{
	uint64_t offset = 0, bytes;

	if (!is_wanted(result) || !image || !origin || !region)
		return;
	bytes = image_place(image, origin, region, row_pitch, slice_pitch, &offset);
	opencl_content_read(command, data, offset, bytes, blocking, result);
}
