/* SPDX-License-Identifier: MIT */
/* Reads, writes, copies, fills, maps, migrations and their rectangles, blocking
 * and not, with the bytes checked. */
#include "world.h"

#include <stdio.h>
#include <string.h>

enum { BYTES = 4096, ROW = 64, ROWS = BYTES / ROW };

static unsigned char pattern[BYTES], back[BYTES];

static void whole(struct world *world, cl_mem a, cl_mem b)
{
	cl_event written, copied;

	CL(clEnqueueWriteBuffer(world->queue, a, CL_FALSE, 0, BYTES, pattern, 0, NULL, &written));
	CL(clEnqueueCopyBuffer(world->queue, a, b, 0, 0, BYTES, 1, &written, &copied));
	CL(clEnqueueReadBuffer(world->queue, b, CL_FALSE, 0, BYTES, back, 1, &copied, NULL));
	CL(clFinish(world->queue));
	CHECK(!memcmp(back, pattern, BYTES));
	CL(clReleaseEvent(written));
	CL(clReleaseEvent(copied));
	puts("write, copy, read");
}

static void filled(struct world *world, cl_mem a)
{
	const cl_uint word = 0xa1b2c3d4;

	CL(clEnqueueFillBuffer(world->queue, a, &word, sizeof(word), 16, 64, 0, NULL, NULL));
	CL(clEnqueueReadBuffer(world->queue, a, CL_TRUE, 0, BYTES, back, 0, NULL, NULL));
	for (int i = 16; i < 80; i += 4)
		CHECK(!memcmp(back + i, &word, sizeof(word)));
	CHECK(!memcmp(back, pattern, 16) && !memcmp(back + 80, pattern + 80, BYTES - 80));
	CL_FAILS(CL_INVALID_VALUE,
		 clEnqueueFillBuffer(world->queue, a, NULL, 4, 0, 64, 0, NULL, NULL));
	puts("fill");
}

static void mapped(struct world *world, cl_mem a)
{
	cl_int error;
	cl_event event;
	unsigned char *data =
		clEnqueueMapBuffer(world->queue, a, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 128, 256,
				   0, NULL, NULL, &error);

	CL(error);
	CHECK(data && !memcmp(data, pattern + 128, 256));
	memset(data, 0xee, 256);
	CL(clEnqueueUnmapMemObject(world->queue, a, data, 0, NULL, &event));
	CL(clWaitForEvents(1, &event));
	CL(clReleaseEvent(event));

	data = clEnqueueMapBuffer(world->queue, a, CL_FALSE, CL_MAP_WRITE_INVALIDATE_REGION, 0, 128,
				  0, NULL, &event, &error);
	CL(error);
	CL(clWaitForEvents(1, &event));
	memset(data, 0xdd, 128);
	CL(clEnqueueUnmapMemObject(world->queue, a, data, 0, NULL, NULL));
	CL(clReleaseEvent(event));
	CL(clEnqueueReadBuffer(world->queue, a, CL_TRUE, 0, BYTES, back, 0, NULL, NULL));
	for (int i = 0; i < 384; i++)
		CHECK(back[i] == (i < 128 ? 0xdd : 0xee));
	CHECK(!clEnqueueMapBuffer(world->queue, a, CL_TRUE, CL_MAP_READ, BYTES, 1, 0, NULL, NULL,
				  &error));
	CHECK(error == CL_INVALID_VALUE);
	puts("map");
}

static void rectangles(struct world *world, cl_mem a, cl_mem b)
{
	const size_t zero[3] = {0, 0, 0}, at[3] = {8, 2, 0}, region[3] = {16, 4, 1};
	unsigned char box[16 * 4];

	CL(clEnqueueWriteBuffer(world->queue, a, CL_TRUE, 0, BYTES, pattern, 0, NULL, NULL));
	CL(clEnqueueReadBufferRect(world->queue, a, CL_TRUE, at, zero, region, ROW, 0, 16, 0, box,
				   0, NULL, NULL));
	for (int y = 0; y < 4; y++)
		CHECK(!memcmp(box + y * 16, pattern + (y + 2) * ROW + 8, 16));
	memset(box, 0x55, sizeof(box));
	CL(clEnqueueWriteBufferRect(world->queue, a, CL_TRUE, zero, zero, region, ROW, 0, 16, 0,
				    box, 0, NULL, NULL));
	CL(clEnqueueCopyBufferRect(world->queue, a, b, zero, at, region, ROW, 0, ROW, 0, 0, NULL,
				   NULL));
	CL(clEnqueueReadBuffer(world->queue, b, CL_TRUE, 0, BYTES, back, 0, NULL, NULL));
	for (int y = 0; y < 4; y++)
		CHECK(!memcmp(back + (y + 2) * ROW + 8, box + y * 16, 16));
	puts("rectangles");
}

int main(void)
{
	struct world world;
	cl_int error;

	world_create(&world, 0, 0);
	for (int i = 0; i < BYTES; i++)
		pattern[i] = (unsigned char)(i * 7 + i / 256);

	cl_mem a = clCreateBuffer(world.context, CL_MEM_READ_WRITE, BYTES, NULL, &error);

	CL(error);

	cl_mem b = clCreateBuffer(world.context, CL_MEM_READ_WRITE, BYTES, NULL, &error);

	CL(error);
	whole(&world, a, b);
	filled(&world, a);
	CL(clEnqueueWriteBuffer(world.queue, a, CL_TRUE, 0, BYTES, pattern, 0, NULL, NULL));
	mapped(&world, a);
	rectangles(&world, a, b);
	CL(clEnqueueMigrateMemObjects(world.queue, 1, &a, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL,
				      NULL));
	CL(clFinish(world.queue));
	CL(clReleaseMemObject(a));
	CL(clReleaseMemObject(b));
	world_destroy(&world);
	return 0;
}
