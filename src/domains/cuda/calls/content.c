/* SPDX-License-Identifier: MIT */
#include "domains/cuda/calls/content.h"

#include "core/call/content.h"
#include "core/call/content_later.h"
#include "core/control.h"
#include "domains/cuda/calls/call.h"
#include "domains/cuda/cupti/driver.h"
#include "domains/cuda/operation_id.h"
#include "domains/cuda/state.h"

enum { TO_DEVICE = 1, TO_HOST = 2 }; /* cudaMemcpyKind */

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

static void content_sent(const struct cupti_call *data, bool runtime)
{
	const struct transfer *transfer = data->arguments;

	if (transfer && is_looked_at(data, transfer->bytes) &&
	    (!runtime || transfer->runtime.kind == TO_DEVICE) &&
	    cuda_driver_is_host_memory(transfer->from))
		tandem_content_record(cuda_operation_id(data->correlation), transfer->from, 0,
				      transfer->bytes);
}

static void content_rows(const struct cupti_call *data, bool to_array)
{
	const struct array_rows *array = data->arguments;
	const struct linear_rows *linear = data->arguments;
	const struct rows *rows = to_array ? &array->rows : &linear->rows;
	uint64_t bytes, offset = 0;

	if (!data->arguments || rows->kind != TO_DEVICE ||
	    __builtin_mul_overflow(rows->width, rows->height, &bytes))
		return;
	if (to_array)
		offset = array->x + array->y * rows->width;
	if (is_looked_at(data, bytes) && cuda_driver_is_host_memory(rows->from))
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

static void content_read(const struct cupti_call *data, bool runtime, bool later)
{
	const struct transfer *transfer = data->arguments;

	if (!transfer || !is_looked_at(data, transfer->bytes) ||
	    (runtime && transfer->runtime.kind != TO_HOST) ||
	    !cuda_driver_is_host_memory(transfer->to))
		return;
	if (!later)
		tandem_content_read_record(cuda_operation_id(data->correlation), transfer->to, 0,
					   transfer->bytes);
	else
		tandem_content_expect(&(struct tandem_content_later){
			.op = cuda_operation_id(data->correlation),
			.data = transfer->to,
			.bytes = transfer->bytes,
			.queue = queue_key(runtime ? transfer->runtime.stream
						   : transfer->driver_stream),
		});
}

void cuda_content(const struct cupti_call *data, unsigned flags, bool runtime)
{
	const void *const *stream = data->arguments;

	if (flags & CUDA_CONTENT)
		content_sent(data, runtime);
	if (flags & (CUDA_CONTENT_ROWS | CUDA_CONTENT_ARRAY))
		content_rows(data, flags & CUDA_CONTENT_ARRAY);
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
