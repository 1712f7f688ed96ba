/* SPDX-License-Identifier: MIT */
/* Allocations, by the calls of the driver API that make them: the runtime's own
 * end there too. An allocation is named by its address, an array or a physical
 * block by its handle. */
#include "domains/cuda/calls/memory.h"

#include "core/object.h"
#include "core/process.h"
#include "core/stream/stream.h"
#include "domains/cuda/activity/activity.h"
#include "domains/cuda/calls/call.h"
#include "domains/cuda/device.h"
#include "domains/cuda/gen/ids.h"
#include "domains/cuda/state.h"
#include "schema/gen/core_records.h"

/* CUarray_format: bytes of one channel of the plain formats. */
static uint32_t format_bytes(uint32_t format)
{
	switch (format) {
	case 0x01: /* unsigned, signed 8 */
	case 0x08:
		return 1;
	case 0x02: /* 16, half */
	case 0x09:
	case 0x10:
		return 2;
	case 0x03: /* 32, float */
	case 0x0a:
	case 0x20:
		return 4;
	default:
		return 0; /* compressed and video formats: not known */
	}
}

/* CUDA_ARRAY_DESCRIPTOR, CUDA_ARRAY3D_DESCRIPTOR. */
struct array2 {
	size_t width, height;
	uint32_t format, channels;
};

struct array3 {
	size_t width, height, depth;
	uint32_t format, channels, flags;
};

static uint64_t at_least_one(uint64_t value)
{
	return value ? value : 1;
}

static uint64_t array2_bytes(const struct array2 *array)
{
	return array->width * at_least_one(array->height) * format_bytes(array->format) *
	       array->channels;
}

static uint64_t array3_bytes(const struct array3 *array)
{
	return array->width * at_least_one(array->height) * at_least_one(array->depth) *
	       format_bytes(array->format) * array->channels;
}

static void allocated(const struct cupti_call *data, uint8_t kind, const void *address,
		      uint64_t bytes, uint64_t flags)
{
	struct tandem_rec_memory *record;
	uint32_t number, device, context;

	if (!address || !cuda_recording())
		return;
	device = cuda_device_of(data->context);
	context = tandem_object_find(TANDEM_KIND(cuda, context), data->context);
	number = tandem_object_assign(TANDEM_KIND(cuda, memory), address);
	/* For the free, which says only where. */
	tandem_handle_set(TANDEM_HANDLE_STATE(cuda), address, bytes);
	record = tandem_record_begin(TANDEM_EVENT_memory, sizeof(*record));
	if (!record)
		return;
	record->memory = number;
	record->domain = TANDEM_DOMAIN_cuda;
	record->kind = kind;
	record->handle = (uintptr_t)address;
	record->context = context;
	record->device = device;
	record->parent = 0;
	record->flags = flags;
	record->bytes = bytes;
	tandem_record_commit();
}

static void freed(const void *address)
{
	uint32_t number = tandem_object_find(TANDEM_KIND(cuda, memory), address);
	uint64_t bytes = tandem_handle_get(TANDEM_HANDLE_STATE(cuda), address);
	struct tandem_rec_memory_free *record;

	if (!number || !cuda_recording())
		return;
	tandem_object_forget(TANDEM_KIND(cuda, memory), address);
	record = tandem_record_begin(TANDEM_EVENT_memory_free, sizeof(*record));
	if (!record)
		return;
	record->memory = number;
	record->domain = TANDEM_DOMAIN_cuda;
	record->bytes = bytes;
	tandem_record_commit();
}

/* The address that the call left at the place which its first argument names. */
static const void *given(const struct cupti_call *data)
{
	const void *const *at = CUDA_ARGUMENT(data, void *, 0);

	return at ? *at : NULL;
}

enum what {
	NONE,
	FREE,
	DEVICE,
	POOLED,
	PITCH,
	MANAGED,
	HOST,
	HOST_FLAGS,
	REGISTER,
	ARRAY2,
	ARRAY3,
	BLOCK
};

/* What a call allocates or frees, by its callback id. */
static const uint8_t calls[] = {
	[CUDA_DRIVER_cuMemAlloc_v2] = DEVICE,
	[CUDA_DRIVER_cuMemAllocPitch_v2] = PITCH,
	[CUDA_DRIVER_cuMemAllocAsync] = POOLED,
	[CUDA_DRIVER_cuMemAllocAsync_ptsz] = POOLED,
	[CUDA_DRIVER_cuMemAllocFromPoolAsync] = POOLED,
	[CUDA_DRIVER_cuMemAllocFromPoolAsync_ptsz] = POOLED,
	[CUDA_DRIVER_cuMemAllocManaged] = MANAGED,
	[CUDA_DRIVER_cuMemAllocHost_v2] = HOST,
	[CUDA_DRIVER_cuMemHostAlloc] = HOST_FLAGS,
	[CUDA_DRIVER_cuMemHostRegister_v2] = REGISTER,
	[CUDA_DRIVER_cuArrayCreate_v2] = ARRAY2,
	[CUDA_DRIVER_cuArray3DCreate_v2] = ARRAY3,
	[CUDA_DRIVER_cuMipmappedArrayCreate] = ARRAY3,
	[CUDA_DRIVER_cuMemCreate] = BLOCK,
	[CUDA_DRIVER_cuMemFree_v2] = FREE,
	[CUDA_DRIVER_cuMemFreeAsync] = FREE,
	[CUDA_DRIVER_cuMemFreeAsync_ptsz] = FREE,
	[CUDA_DRIVER_cuMemFreeHost] = FREE,
	[CUDA_DRIVER_cuMemHostUnregister] = FREE,
	[CUDA_DRIVER_cuArrayDestroy] = FREE,
	[CUDA_DRIVER_cuMipmappedArrayDestroy] = FREE,
	[CUDA_DRIVER_cuMemRelease] = FREE,
};

#define CALLS (sizeof(calls) / sizeof(calls[0]))

uint32_t cuda_memory_next(uint32_t id)
{
	while (++id < CALLS)
		if (calls[id])
			return id;
	return 0;
}

static void array2_called(const struct cupti_call *data)
{
	const struct array2 *array = CUDA_ARGUMENT(data, struct array2 *, 8);

	if (array)
		allocated(data, TANDEM_MEMORY_KIND_array, given(data), array2_bytes(array), 0);
}

static void array3_called(const struct cupti_call *data)
{
	const struct array3 *array = CUDA_ARGUMENT(data, struct array3 *, 8);

	if (array)
		allocated(data, TANDEM_MEMORY_KIND_array, given(data), array3_bytes(array),
			  array->flags);
}

/* Rows of *pPitch bytes. */
static void pitch_called(const struct cupti_call *data)
{
	const uint64_t *pitch = CUDA_ARGUMENT(data, uint64_t *, 8);

	if (pitch)
		allocated(data, TANDEM_MEMORY_KIND_device, given(data),
			  *pitch * CUDA_ARGUMENT(data, uint64_t, 24), 0);
}

/* Of each function no more than the arguments that it has is read. */
static void called(enum what what, const struct cupti_call *data)
{
	switch (what) {
	case NONE:
		break;
	case FREE:
		freed(CUDA_ARGUMENT(data, void *, 0));
		break;
	case DEVICE:
	case BLOCK:
		allocated(data, TANDEM_MEMORY_KIND_device, given(data),
			  CUDA_ARGUMENT(data, uint64_t, 8), 0);
		break;
	case POOLED:
		allocated(data, TANDEM_MEMORY_KIND_pooled, given(data),
			  CUDA_ARGUMENT(data, uint64_t, 8), 0);
		break;
	case PITCH:
		pitch_called(data);
		break;
	case MANAGED:
		allocated(data, TANDEM_MEMORY_KIND_managed, given(data),
			  CUDA_ARGUMENT(data, uint64_t, 8), CUDA_ARGUMENT(data, uint32_t, 16));
		cuda_activity_unified();
		break;
	case HOST:
		allocated(data, TANDEM_MEMORY_KIND_host, given(data),
			  CUDA_ARGUMENT(data, uint64_t, 8), 0);
		break;
	case HOST_FLAGS:
		allocated(data, TANDEM_MEMORY_KIND_host, given(data),
			  CUDA_ARGUMENT(data, uint64_t, 8), CUDA_ARGUMENT(data, uint32_t, 16));
		break;
	case REGISTER:
		allocated(data, TANDEM_MEMORY_KIND_host, CUDA_ARGUMENT(data, void *, 0),
			  CUDA_ARGUMENT(data, uint64_t, 8), CUDA_ARGUMENT(data, uint32_t, 16));
		break;
	case ARRAY2:
		array2_called(data);
		break;
	case ARRAY3:
		array3_called(data);
		break;
	}
}

/* A free is told before it happens: once it has, another thread may be given the
 * same address. */
void cuda_memory_called(uint32_t id, const struct cupti_call *data)
{
	enum what what = id < CALLS ? calls[id] : NONE;

	if (tandem_likely(what == NONE) || !data->arguments || !cuda_wanted(TANDEM_CUDA_memory))
		return;
	if (!data->site == (what == FREE) && (!data->site || cuda_call_succeeded(data)))
		called(what, data);
}
