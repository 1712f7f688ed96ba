/* SPDX-License-Identifier: MIT */
/* What transfers move (core/call/content.h, content_later.h): called behind them, in the thread that
 * enqueued them, with their arguments. */
#ifndef TANDEM_OPENCL_CONTENT_H
#define TANDEM_OPENCL_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/call/content_rows.h"
#include "domains/opencl/command.h"

void opencl_content(const struct opencl_command *command, const void *data, uint64_t offset,
		    uint64_t bytes, int32_t result);
void opencl_content_read(const struct opencl_command *command, const void *data, uint64_t offset,
			 uint64_t bytes, uint32_t blocking, int32_t result);

/* Of rows of the host's memory. The call succeeded, and all arguments are recorded. */
void opencl_content_rows_read(const struct opencl_command *command, struct content_rows rows,
			      uint64_t offset, bool blocking);

/* Same, of an image. */
void opencl_image_content(const struct opencl_command *command, void *image, const void *data,
			  const void *origin, const void *region, uint64_t row_pitch,
			  uint64_t slice_pitch, int32_t result);
void opencl_image_content_read(const struct opencl_command *command, void *image, const void *data,
			       const void *origin, const void *region, uint64_t row_pitch,
			       uint64_t slice_pitch, uint32_t blocking, int32_t result);

/* Same, of a box of a buffer: in the buffer, in the host's memory. Of a call that succeeded, all are valid. */
struct opencl_box {
	const void *origin, *host_origin, *region; /* three size_t each, the first of bytes */
	uint64_t row_pitch, slice_pitch, host_row_pitch, host_slice_pitch; /* bytes */
	const void *data;
};

void opencl_box_content(const struct opencl_command *command, const struct opencl_box *box,
			int32_t result);
void opencl_box_content_read(const struct opencl_command *command, const struct opencl_box *box,
			     uint32_t blocking, int32_t result);

/* The rows of a box of an image in the host's memory; where it is in the image. */
uint64_t opencl_image_rows(void *image, const void *data, const void *origin, const void *region,
			   uint64_t row_pitch, uint64_t slice_pitch, struct content_rows *rows);

#endif
