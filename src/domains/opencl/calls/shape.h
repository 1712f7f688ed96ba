/* SPDX-License-Identifier: MIT */
/* The index space of a kernel launch, and regions, as records hold them.
 *
 * A launch's sizes nearly always fit into fewer bits than size_t has: global
 * size and offset are written as 32 bits, local size as 16, and `high` holds
 * what lies above (of all global, then all local, then all offset sizes; for a
 * local size its bits from 16 on), empty when all of it is zero. An offset of
 * zeros is no offset.
 *
 *   struct opencl_shape shape;
 *   opencl_shape_read(&shape, work_dim, offset, global, local);
 *   ... opencl_shape_bytes(&shape) more bytes in the record ...
 *   at = opencl_shape_put(at, &shape);
 *
 * Any thread; pure functions of their arguments.
 */
#ifndef TANDEM_DOMAINS_OPENCL_SHAPE_H
#define TANDEM_DOMAINS_OPENCL_SHAPE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define OPENCL_DIMENSIONS 3u /* CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS of every full device */
#define OPENCL_BUFFER_CREATE_TYPE_REGION 0x1220u

struct opencl_shape {
	const size_t *global, *local, *offset;
	uint8_t globals, locals, offsets, highs; /* how many of each are written */
};

static inline void opencl_shape_read(struct opencl_shape *shape, uint32_t work_dim,
				     const void *offset, const void *global, const void *local)
{
	/* A work_dim out of range is an error of the program's: nothing is read. */
	uint8_t n = work_dim <= OPENCL_DIMENSIONS ? (uint8_t)work_dim : 0;
	uint64_t high = 0, any_offset = 0;

	shape->global = global;
	shape->local = local;
	shape->offset = offset;
	shape->globals = global ? n : 0;
	shape->locals = local ? n : 0;
	for (uint8_t i = 0; i < shape->globals; i++)
		high |= shape->global[i] >> 32;
	for (uint8_t i = 0; i < shape->locals; i++)
		high |= shape->local[i] >> 16;
	for (uint8_t i = 0; offset && i < n; i++) {
		any_offset |= shape->offset[i];
		high |= shape->offset[i] >> 32;
	}
	shape->offsets = any_offset ? n : 0;
	shape->highs = high ? (uint8_t)(shape->globals + shape->locals + shape->offsets) : 0;
}

static inline uint32_t opencl_shape_bytes(const struct opencl_shape *shape)
{
	return shape->globals * 4u + shape->locals * 2u + shape->offsets * 4u + shape->highs * 4u;
}

static inline uint8_t *opencl_words_put(uint8_t *at, const size_t *sizes, uint8_t count,
					unsigned shift)
{
	for (uint8_t i = 0; i < count; i++, at += 4) {
		uint32_t word = (uint32_t)(sizes[i] >> shift);

		memcpy(at, &word, sizeof(word));
	}
	return at;
}

/* In the order of the fields: global, local, offset, high. */
static inline uint8_t *opencl_shape_put(void *to, const struct opencl_shape *shape)
{
	uint8_t *at = opencl_words_put(to, shape->global, shape->globals, 0);

	for (uint8_t i = 0; i < shape->locals; i++, at += 2) {
		uint16_t half = (uint16_t)shape->local[i];

		memcpy(at, &half, sizeof(half));
	}
	at = opencl_words_put(at, shape->offset, shape->offsets, 0);
	if (shape->highs) {
		at = opencl_words_put(at, shape->global, shape->globals, 32);
		at = opencl_words_put(at, shape->local, shape->locals, 16);
		at = opencl_words_put(at, shape->offset, shape->offsets, 32);
	}
	return at;
}

/* Bytes of a rectangle in a buffer: its width is in bytes. 0 for NULL. */
static inline uint64_t opencl_region_bytes(const void *region)
{
	const size_t *size = region;

	return size ? (uint64_t)size[0] * size[1] * size[2] : 0;
}

/* cl_buffer_region: word 0 its origin, word 1 its size, in bytes. 0 if the
 * sub-buffer is made in another way, or wrongly. */
static inline uint64_t opencl_sub_buffer_word(uint32_t type, const void *info, unsigned word)
{
	const size_t *region = info;

	return type == OPENCL_BUFFER_CREATE_TYPE_REGION && region ? region[word] : 0;
}

#endif
