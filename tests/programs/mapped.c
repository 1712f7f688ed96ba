/* SPDX-License-Identifier: MIT */
/* Memory that is mapped: a field that goes from one buffer to another, tables that are written again
 * as they are (of a buffer, of an image, of shared memory), a part that is new each time, and
 * mappings of which nothing is known: not waited for, of no more than a page, to be read only. */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 1 << 18, ROUNDS = 10, SIDE = 256 };

static unsigned char *field;

static void change(void)
{
	for (int i = 0; i < BYTES; i++)
		field[i] = (unsigned char)rand();
}

static void *map(struct world *world, cl_mem buffer, cl_bool blocking, cl_map_flags flags,
		 size_t offset, size_t bytes)
{
	cl_int error;
	void *mapped = clEnqueueMapBuffer(world->queue, buffer, blocking, flags, offset, bytes, 0,
					  NULL, NULL, &error);

	CL(error);
	return mapped;
}

static void unmap(struct world *world, cl_mem memory, void *mapped)
{
	CL(clEnqueueUnmapMemObject(world->queue, memory, mapped, 0, NULL, NULL));
}

static void by_host(struct world *world, cl_mem from, cl_mem to)
{
	for (int i = 0; i < ROUNDS; i++) {
		unsigned char *read, *written;

		change();
		CL(clEnqueueWriteBuffer(world->queue, from, CL_TRUE, 0, BYTES, field, 0, NULL,
					NULL));
		read = map(world, from, CL_TRUE, CL_MAP_READ, 0, BYTES);
		written = map(world, to, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, BYTES);
		CHECK(!memcmp(read, field, BYTES));
		memcpy(written, read, BYTES);
		unmap(world, from, read);
		unmap(world, to, written);
	}
}

static void again(struct world *world, cl_mem buffer, cl_mem image)
{
	const size_t origin[3] = {0}, region[3] = {SIDE, SIDE, 1};
	size_t pitch;
	cl_int error;

	for (int i = 0; i < ROUNDS; i++) {
		unsigned char *table = map(world, buffer, CL_TRUE, CL_MAP_WRITE, 0, BYTES);
		unsigned char *texels;

		memset(table, 7, BYTES);
		unmap(world, buffer, table);
		texels = clEnqueueMapImage(world->queue, image, CL_TRUE,
					   CL_MAP_WRITE_INVALIDATE_REGION, origin, region, &pitch,
					   NULL, 0, NULL, NULL, &error);
		CL(error);
		for (int y = 0; y < SIDE; y++)
			memset(texels + y * pitch, y, SIDE * sizeof(float));
		unmap(world, image, texels);
	}
}

static void shared(struct world *world, void *memory)
{
	for (int i = 0; memory && i < ROUNDS; i++) {
		CL(clEnqueueSVMMap(world->queue, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, memory,
				   BYTES, 0, NULL, NULL));
		memset(memory, 9, BYTES);
		CL(clEnqueueSVMUnmap(world->queue, memory, 0, NULL, NULL));
	}
}

/* The same by copies: to it, back to the host, and within it. */
static void copied(struct world *world, unsigned char *memory)
{
	change();
	for (int i = 0; memory && i < ROUNDS; i++)
		CL(clEnqueueSVMMemcpy(world->queue, CL_TRUE, memory, field, BYTES, 0, NULL, NULL));
	if (!memory)
		return;
	CL(clEnqueueSVMMemcpy(world->queue, CL_TRUE, field, memory + BYTES / 2, BYTES / 2, 0, NULL,
			      NULL));
	CL(clEnqueueSVMMemcpy(world->queue, CL_TRUE, memory, memory + BYTES / 2, BYTES / 2, 0, NULL,
			      NULL));
}

static void parts(struct world *world, cl_mem buffer)
{
	for (int i = 0; i < ROUNDS; i++) {
		unsigned char *part = map(world, buffer, CL_FALSE, CL_MAP_WRITE, BYTES / 4, 4096);

		CL(clFinish(world->queue));
		memset(part, i, 4096);
		unmap(world, buffer, part);
	}
}

/* The last one is mapped at the same place as one of all of it, which is unmapped behind it. */
static void unknown(struct world *world, cl_mem buffer)
{
	unsigned char *read = map(world, buffer, CL_TRUE, CL_MAP_READ, 0, BYTES);
	unsigned char *little = map(world, buffer, CL_TRUE, CL_MAP_WRITE, 0, 64);

	CHECK(read && little);
	unmap(world, buffer, little);
	unmap(world, buffer, read);
}

int main(void)
{
	const cl_image_format format = {CL_R, CL_FLOAT};
	const cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE};
	struct world own, *world = &own;
	cl_mem from, to, image;
	void *memory;
	cl_int error;

	world_create(world, 0, 0);
	field = malloc(BYTES);
	CHECK(field);
	from = clCreateBuffer(world->context, CL_MEM_ALLOC_HOST_PTR, BYTES, NULL, &error);
	CL(error);
	to = clCreateBuffer(world->context, CL_MEM_ALLOC_HOST_PTR, BYTES, NULL, &error);
	CL(error);
	image = clCreateImage(world->context, CL_MEM_READ_ONLY, &format, &desc, NULL, &error);
	CL(error);
	memory = clSVMAlloc(world->context, CL_MEM_READ_WRITE, BYTES, 0);
	by_host(world, from, to);
	again(world, from, image);
	shared(world, memory);
	copied(world, memory);
	parts(world, from);
	unknown(world, from);
	CL(clFinish(world->queue));
	clSVMFree(world->context, memory);
	CL(clReleaseMemObject(from));
	CL(clReleaseMemObject(to));
	CL(clReleaseMemObject(image));
	free(field);
	world_destroy(world);
	puts("mapped");
	return 0;
}
