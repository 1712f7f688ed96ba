/* SPDX-License-Identifier: MIT */
#include "domains/cuda/calls/content.h"

#include "core/call/content.h"
#include "core/call/content_later.h"
#include "core/control.h"
#include "domains/cuda/calls/box.h"
#include "domains/cuda/calls/call.h"
#include "domains/cuda/cupti/driver.h"
#include "domains/cuda/operation_id.h"
#include "domains/cuda/state.h"

/* Of cudaMemcpy(), cuMemcpyHtoD_v2(), cuMemcpyDtoH_v2(), and what their asynchronous ones have behind it. */
struct transfer {
	const void *to, *from;
	uint64_t bytes;
	union {
		const void *driver_stream;
		struct {
			int32_t kind;
			const void *stream;
		} runtime;
	};
};

/* The end of the arguments of cudaMemcpy2D() and cudaMemcpy2DToArray(). */
struct rows {
	const void *from;
	uint64_t pitch, width, height;
	int32_t kind;
};

/* Before it. */
struct linear_rows {
	const void *to;
	uint64_t pitch;
	struct rows rows;
};

struct array_rows {
	const void *to;
	uint64_t x, y;
	struct rows rows;
};

/* What is captured into a graph moves nothing yet. */
static bool is_looked_at(const struct cupti_call *data, uint64_t bytes)
{
	return tandem_control.args_level == TANDEM_ARGS_FULL && bytes >= CONTENT_LEAST &&
	       cuda_call_succeeded(data) && cuda_recording() && cuda_wanted(TANDEM_CUDA_kernels) &&
	       !atomic_load_explicit(&cuda_captures, memory_order_relaxed);
}

/* The default stream has no handle. */
static const void *queue_key(const void *stream)
{
	static const char default_stream;

	return stream ? stream : &default_stream;
}

/* Whether it goes from the host's memory to other. `to`: NULL where that is an array. */
static bool is_sent(int32_t kind, const void *to, const void *from)
{
	if (kind != CUDA_TO_DEVICE && kind != CUDA_BY_ADDRESSES)
		return false;
	return cuda_driver_is_host_memory(from) &&
	       (kind == CUDA_TO_DEVICE || !to || !cuda_driver_is_host_memory(to));
}

/* The other way. */
static bool is_brought(int32_t kind, const void *to, const void *from)
{
	return is_sent(kind == CUDA_TO_HOST	   ? CUDA_TO_DEVICE
		       : kind == CUDA_BY_ADDRESSES ? kind
						   : 0,
		       from, to);
}

static void read_record(const struct cupti_call *data, const void *to, uint64_t offset,
			uint64_t bytes)
{
	tandem_content_read_record(cuda_operation_id(data->correlation), to, offset, bytes);
}

static void read_expect(const struct cupti_call *data, const void *to, uint64_t offset,
			uint64_t bytes, const void *stream)
{
	tandem_content_expect(&(struct tandem_content_later){
		.op = cuda_operation_id(data->correlation),
		.data = to,
		.offset = offset,
		.bytes = bytes,
		.queue = queue_key(stream),
	});
}

static void content_sent(const struct cupti_call *data, bool runtime)
{
	const struct transfer *transfer = data->arguments;

	if (transfer && is_looked_at(data, transfer->bytes) &&
	    is_sent(runtime ? transfer->runtime.kind : CUDA_TO_DEVICE, transfer->to,
		    transfer->from))
		tandem_content_record(cuda_operation_id(data->correlation), transfer->from, 0,
				      transfer->bytes);
}

static void content_rows(const struct cupti_call *data, bool to_array)
{
	const struct array_rows *array = data->arguments;
	const struct linear_rows *linear = data->arguments;
	const struct rows *rows = to_array ? &array->rows : &linear->rows;
	uint64_t bytes, offset = 0;

	if (!data->arguments || __builtin_mul_overflow(rows->width, rows->height, &bytes))
		return;
	if (to_array)
		offset = array->x + array->y * rows->width;
	if (is_looked_at(data, bytes) &&
	    is_sent(rows->kind, to_array ? NULL : linear->to, rows->from))
		tandem_content_rows_record(cuda_operation_id(data->correlation),
					   (struct content_rows){
						   .data = rows->from,
						   .width = rows->width,
						   .rows = rows->height,
						   .slices = 1,
						   .pitch = rows->pitch,
					   },
					   offset);
}

static void content_box(const struct cupti_call *data, unsigned flags)
{
	const void *const *arguments = data->arguments;
	struct cuda_box box;
	const struct cuda_box_end *host, *device;
	const void *other;
	const uint8_t *at;
	uint64_t bytes;

	if (!arguments || !arguments[0] || !is_looked_at(data, CONTENT_LEAST))
		return;
	cuda_box_take(&box, arguments[0], flags);
	host = cuda_box_host(&box);
	if (!host)
		return;
	device = host == &box.from ? &box.to : &box.from;
	other = device->array ? NULL : device->at;
	at = (const uint8_t *)host->at + cuda_box_place(host);
	bytes = cuda_box_bytes(&box, host);
	if (bytes < CONTENT_LEAST)
		return;
	if (host == &box.from && is_sent(box.kind, other, at))
		tandem_content_record(cuda_operation_id(data->correlation), at,
				      cuda_box_offset(&box, device), bytes);
	if (host == &box.from || !is_brought(box.kind, at, other))
		return;
	if (flags & CUDA_CONTENT_BOX_LATER)
		read_expect(data, at, cuda_box_offset(&box, device), bytes, arguments[1]);
	else
		read_record(data, at, cuda_box_offset(&box, device), bytes);
}

static void content_read(const struct cupti_call *data, bool runtime, bool later)
{
	const struct transfer *transfer = data->arguments;

	if (!transfer || !is_looked_at(data, transfer->bytes) ||
	    !is_brought(runtime ? transfer->runtime.kind : CUDA_TO_HOST, transfer->to,
			transfer->from))
		return;
	if (!later)
		read_record(data, transfer->to, 0, transfer->bytes);
	else
		read_expect(data, transfer->to, 0, transfer->bytes,
			    runtime ? transfer->runtime.stream : transfer->driver_stream);
}

void cuda_content(const struct cupti_call *data, unsigned flags, bool runtime)
{
	const void *const *stream = data->arguments;

	if (flags & CUDA_CONTENT)
		content_sent(data, runtime);
	if (flags & (CUDA_CONTENT_ROWS | CUDA_CONTENT_ARRAY))
		content_rows(data, flags & CUDA_CONTENT_ARRAY);
	if (flags & (CUDA_CONTENT_BOX | CUDA_CONTENT_BOX_LATER))
		content_box(data, flags);
	if (flags & (CUDA_CONTENT_READ | CUDA_CONTENT_LATER))
		content_read(data, runtime, flags & CUDA_CONTENT_LATER);
	if (!(flags & (CUDA_WAITS_QUEUE | CUDA_WAITS_DEVICE)) || !cuda_call_succeeded(data) ||
	    !cuda_recording())
		return;
	if (flags & CUDA_WAITS_DEVICE)
		tandem_content_arrived_all();
	else if (stream)
		tandem_content_arrived(queue_key(*stream));
}
