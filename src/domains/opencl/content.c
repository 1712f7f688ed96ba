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

void opencl_content_rows_read(const struct opencl_command *command, struct content_rows rows,
			      uint64_t offset, bool blocking)
{
	const struct opencl_queue *queue = command->queue;
	uint64_t bytes = content_rows_join(&rows);

	if (!queue)
		return;
	if (!blocking) {
		/* Later, in one piece only. */
		if (bytes && bytes == rows.width)
			tandem_content_expect(&(struct tandem_content_later){
				.op = command->op,
				.data = rows.data,
				.offset = offset,
				.bytes = bytes,
				.queue = queue->handle,
				.event = command->program_wants ? *(void **)command->event : NULL,
			});
		return;
	}
	tandem_content_rows_read_record(command->op, rows, offset);
	if (queue->in_order)
		tandem_content_arrived(queue->handle);
}

void opencl_content_read(const struct opencl_command *command, const void *data, uint64_t offset,
			 uint64_t bytes, uint32_t blocking, int32_t result)
{
	if (is_wanted(result))
		opencl_content_rows_read(command, content_rows_one(data, bytes), offset, blocking);
}

uint64_t opencl_image_rows(void *image, const void *data, const void *origin, const void *region,
			   uint64_t row_pitch, uint64_t slice_pitch, struct content_rows *rows)
{
	const size_t *from = origin, *size = region;
	uint64_t element =
		opencl_info_u64(opencl_next.clGetImageInfo, image, CL_IMAGE_ELEMENT_SIZE);
	uint64_t width = opencl_info_u64(opencl_next.clGetImageInfo, image, CL_IMAGE_WIDTH);
	uint64_t height = opencl_info_u64(opencl_next.clGetImageInfo, image, CL_IMAGE_HEIGHT);

	*rows = (struct content_rows){
		.data = data,
		.width = element * size[0],
		.rows = size[1],
		.slices = size[2],
		/* Of an array of lines each is a slice. */
		.pitch = height || size[1] == 1 ? row_pitch : slice_pitch,
		.slice_pitch = slice_pitch,
	};
	return ((from[2] * (height ? height : 1) + from[1]) * width + from[0]) * element;
}

void opencl_image_content(const struct opencl_command *command, void *image, const void *data,
			  const void *origin, const void *region, uint64_t row_pitch,
			  uint64_t slice_pitch, int32_t result)
{
	struct content_rows rows;
	uint64_t offset;

	if (!is_wanted(result) || !image || !origin || !region)
		return;
	offset = opencl_image_rows(image, data, origin, region, row_pitch, slice_pitch, &rows);
	tandem_content_rows_record(command->op, rows, offset);
}

void opencl_image_content_read(const struct opencl_command *command, void *image, const void *data,
			       const void *origin, const void *region, uint64_t row_pitch,
			       uint64_t slice_pitch, uint32_t blocking, int32_t result)
{
	struct content_rows rows;
	uint64_t offset;

	if (!is_wanted(result) || !image || !origin || !region)
		return;
	offset = opencl_image_rows(image, data, origin, region, row_pitch, slice_pitch, &rows);
	opencl_content_rows_read(command, rows, offset, blocking);
}

/* A place in memory with such pitches; 0: those of a box that begins there. */
static uint64_t box_place(const size_t *origin, const size_t *size, uint64_t row_pitch,
			  uint64_t slice_pitch)
{
	uint64_t row = row_pitch ? row_pitch : size[0];
	uint64_t slice = slice_pitch ? slice_pitch : row * size[1];

	return origin[2] * slice + origin[1] * row + origin[0];
}

static uint64_t box_rows(const struct opencl_box *box, struct content_rows *rows)
{
	const size_t *size = box->region;

	*rows = (struct content_rows){
		.data = (const uint8_t *)box->data + box_place(box->host_origin, size,
							       box->host_row_pitch,
							       box->host_slice_pitch),
		.width = size[0],
		.rows = size[1],
		.slices = size[2],
		.pitch = box->host_row_pitch,
		.slice_pitch = box->host_slice_pitch,
	};
	return box_place(box->origin, size, box->row_pitch, box->slice_pitch);
}

void opencl_box_content(const struct opencl_command *command, const struct opencl_box *box,
			int32_t result)
{
	struct content_rows rows;
	uint64_t offset;

	if (!is_wanted(result) || !box->data)
		return;
	offset = box_rows(box, &rows);
	tandem_content_rows_record(command->op, rows, offset);
}

void opencl_box_content_read(const struct opencl_command *command, const struct opencl_box *box,
			     uint32_t blocking, int32_t result)
{
	struct content_rows rows;
	uint64_t offset;

	if (!is_wanted(result) || !box->data)
		return;
	offset = box_rows(box, &rows);
	opencl_content_rows_read(command, rows, offset, blocking);
}
