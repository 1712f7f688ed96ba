/* SPDX-License-Identifier: MIT */
#include "domains/cuda/calls/box.h"

#include <stddef.h>
#include <string.h>

#include "domains/cuda/api.h"
#include "domains/cuda/cupti/driver.h"

/* CUmemorytype */
enum { MEMORY_HOST = 1, MEMORY_ARRAY = 3, MEMORY_BY_ADDRESS = 4 };

_Static_assert(offsetof(struct cuda_box, kind) == 152, "cudaMemcpy3DParms");

struct driver_end {
	uint64_t x, y, z, level;
	uint32_t type;
	const void *host, *device, *array, *reserved;
	uint64_t pitch, height;
};

struct driver_box { /* CUDA_MEMCPY3D */
	struct driver_end from, to;
	uint64_t width, height, depth;
};

_Static_assert(sizeof(struct driver_box) == 200, "CUDA_MEMCPY3D");

struct driver_flat_end {
	uint64_t x, y;
	uint32_t type;
	const void *host, *device, *array;
	uint64_t pitch;
};

struct driver_flat { /* CUDA_MEMCPY2D */
	struct driver_flat_end from, to;
	uint64_t width, height;
};

_Static_assert(sizeof(struct driver_flat) == 128, "CUDA_MEMCPY2D");

static struct driver_end end_of_flat(const struct driver_flat_end *flat)
{
	return (struct driver_end){
		.x = flat->x,
		.y = flat->y,
		.type = flat->type,
		.host = flat->host,
		.device = flat->device,
		.array = flat->array,
		.pitch = flat->pitch,
	};
}

static struct cuda_box_end end_of(const struct driver_end *end)
{
	return (struct cuda_box_end){
		.array = end->type == MEMORY_ARRAY ? end->array : NULL,
		.x = end->x,
		.y = end->y,
		.z = end->z,
		.at = end->type == MEMORY_HOST ? end->host : end->device,
		.pitch = end->pitch,
		.height = end->height,
	};
}

static int32_t kind_of(const struct driver_box *box)
{
	if (box->from.type == MEMORY_BY_ADDRESS || box->to.type == MEMORY_BY_ADDRESS)
		return CUDA_BY_ADDRESSES;
	if ((box->from.type == MEMORY_HOST) == (box->to.type == MEMORY_HOST))
		return 0;
	return box->from.type == MEMORY_HOST ? CUDA_TO_DEVICE : CUDA_TO_HOST;
}

void cuda_box_take(struct cuda_box *box, const void *argument, unsigned flags)
{
	const struct driver_flat *flat = argument;
	struct driver_box driver;

	box->in_bytes = flags & (CUDA_CONTENT_DRIVER_2D | CUDA_CONTENT_DRIVER_3D);
	if (!box->in_bytes) {
		memcpy(box, argument, offsetof(struct cuda_box, kind) + sizeof(box->kind));
		return;
	}
	if (flags & CUDA_CONTENT_DRIVER_3D)
		driver = *(const struct driver_box *)argument;
	else
		driver = (struct driver_box){end_of_flat(&flat->from), end_of_flat(&flat->to),
					     flat->width, flat->height, 1};
	box->from = end_of(&driver.from);
	box->to = end_of(&driver.to);
	box->width = driver.width;
	box->height = driver.height;
	box->depth = driver.depth;
	box->kind = kind_of(&driver);
}

const struct cuda_box_end *cuda_box_host(const struct cuda_box *box)
{
	bool to_host = box->from.array || box->kind == CUDA_TO_HOST ||
		       (box->kind == CUDA_BY_ADDRESSES && !box->to.array &&
			!cuda_driver_is_host_memory(box->from.at));
	const struct cuda_box_end *host = to_host ? &box->to : &box->from;

	return host->array || !box->kind ? NULL : host;
}

static uint64_t element_bytes(const struct cuda_box *box)
{
	const void *array = box->from.array ? box->from.array : box->to.array;

	return array && !box->in_bytes ? cuda_driver_element_bytes(array) : 1;
}

uint64_t cuda_box_bytes(const struct cuda_box *box, const struct cuda_box_end *host)
{
	uint64_t row, slice, bytes;

	if (__builtin_mul_overflow(box->width, element_bytes(box), &row) ||
	    __builtin_mul_overflow(row, box->height, &slice) ||
	    __builtin_mul_overflow(slice, box->depth, &bytes))
		return 0;
	if ((box->height > 1 || box->depth > 1) && host->pitch != row)
		return 0;
	return box->depth > 1 && host->height != box->height ? 0 : bytes;
}

uint64_t cuda_box_place(const struct cuda_box_end *host)
{
	return host->x + (host->y + host->z * host->height) * host->pitch;
}

uint64_t cuda_box_offset(const struct cuda_box *box, const struct cuda_box_end *device)
{
	if (!device->array)
		return cuda_box_place(device);
	return element_bytes(box) *
	       (device->x + (device->y + device->z * box->height) * box->width);
}
