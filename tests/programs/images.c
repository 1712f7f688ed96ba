/* SPDX-License-Identifier: MIT */
/* Every image function, with pixels checked: the pointers that go through a
 * recorder are the program's own. */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 32, HEIGHT = 16, DEPTH = 4, PIXELS = WIDTH * HEIGHT };

static const cl_image_format rgba = {CL_RGBA, CL_UNSIGNED_INT8};
static const size_t zero[3];

static void pattern_make(uint32_t *pixels, size_t count, uint32_t seed)
{
	for (size_t i = 0; i < count; i++)
		pixels[i] = seed + (uint32_t)i * 2654435761u;
}

static cl_mem image_create(struct world *world, const cl_image_desc *desc, void *host)
{
	cl_int error;
	cl_mem image =
		clCreateImage(world->context, CL_MEM_READ_WRITE | (host ? CL_MEM_COPY_HOST_PTR : 0),
			      &rgba, desc, host, &error);

	CL(error);
	return image;
}

static void image_read_check(struct world *world, cl_mem image, const size_t *region,
			     const uint32_t *expected)
{
	size_t count = region[0] * region[1] * region[2];
	uint32_t *pixels = calloc(count, sizeof(*pixels));

	CL(clEnqueueReadImage(world->queue, image, CL_TRUE, zero, region, 0, 0, pixels, 0, NULL,
			      NULL));
	CHECK(!memcmp(pixels, expected, count * sizeof(*pixels)));
	free(pixels);
}

static void flat(struct world *world)
{
	const cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
	const size_t region[3] = {WIDTH, HEIGHT, 1};
	uint32_t first[PIXELS], second[PIXELS];
	cl_int error;
	cl_event event;

	pattern_make(first, PIXELS, 1);
	pattern_make(second, PIXELS, 99);

	cl_mem image = image_create(world, &desc, first), copy = image_create(world, &desc, NULL);

	image_read_check(world, image, region, first);
	CL(clEnqueueWriteImage(world->queue, image, CL_FALSE, zero, region, 0, 0, second, 0, NULL,
			       &event));
	CL(clEnqueueCopyImage(world->queue, image, copy, zero, zero, region, 1, &event, NULL));
	CL(clReleaseEvent(event));
	image_read_check(world, copy, region, second);

	/* Through a buffer and back. */
	cl_mem buffer =
		clCreateBuffer(world->context, CL_MEM_READ_WRITE, sizeof(first), NULL, &error);

	CL(error);
	CL(clEnqueueWriteImage(world->queue, image, CL_TRUE, zero, region, 0, 0, first, 0, NULL,
			       NULL));
	CL(clEnqueueCopyImageToBuffer(world->queue, image, buffer, zero, region, 0, 0, NULL, NULL));
	CL(clEnqueueCopyBufferToImage(world->queue, buffer, copy, 0, zero, region, 0, NULL, NULL));
	image_read_check(world, copy, region, first);

	/* A map shows the pixels, and what is written there lands in the image. */
	size_t row_bytes = 0;
	char *mapped = clEnqueueMapImage(world->queue, copy, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
					 zero, region, &row_bytes, NULL, 0, NULL, &event, &error);

	CL(error);
	CHECK(mapped && row_bytes >= WIDTH * sizeof(uint32_t));
	for (size_t y = 0; y < HEIGHT; y++) {
		CHECK(!memcmp(mapped + y * row_bytes, first + y * WIDTH, WIDTH * sizeof(uint32_t)));
		memcpy(mapped + y * row_bytes, second + y * WIDTH, WIDTH * sizeof(uint32_t));
	}
	CL(clReleaseEvent(event));
	CL(clEnqueueUnmapMemObject(world->queue, copy, mapped, 0, NULL, NULL));
	CL(clFinish(world->queue));
	image_read_check(world, copy, region, second);

	CL(clReleaseMemObject(buffer));
	CL(clReleaseMemObject(copy));
	CL(clReleaseMemObject(image));
	puts("2D");
}

static void fill(struct world *world)
{
	const cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
	const size_t region[3] = {WIDTH, HEIGHT, 1};
	/* One byte each, so that the stub's pixels come out alike. */
	const cl_uint colour[4] = {7, 7, 7, 7};
	uint32_t pixels[PIXELS];
	cl_mem image = image_create(world, &desc, NULL);

	CL(clEnqueueFillImage(world->queue, image, colour, zero, region, 0, NULL, NULL));
	CL(clEnqueueReadImage(world->queue, image, CL_TRUE, zero, region, 0, 0, pixels, 0, NULL,
			      NULL));
	for (size_t i = 0; i < PIXELS; i++)
		CHECK(pixels[i] == (world->is_stub ? 7 : 0x07070707));
	CL(clReleaseMemObject(image));
	puts("fill");
}

static void solid(struct world *world)
{
	const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D,
				    .image_width = WIDTH,
				    .image_height = HEIGHT,
				    .image_depth = DEPTH};
	const size_t region[3] = {WIDTH, HEIGHT, DEPTH};
	static uint32_t pixels[PIXELS * DEPTH];
	cl_int error;
	size_t row_bytes, slice_bytes;

	pattern_make(pixels, PIXELS * DEPTH, 5);

	cl_mem image = image_create(world, &desc, pixels);

	image_read_check(world, image, region, pixels);

	char *mapped = clEnqueueMapImage(world->queue, image, CL_TRUE, CL_MAP_READ, zero, region,
					 &row_bytes, &slice_bytes, 0, NULL, NULL, &error);

	CL(error);
	CHECK(slice_bytes >= row_bytes * HEIGHT);
	CHECK(!memcmp(mapped + slice_bytes, pixels + PIXELS, WIDTH * sizeof(uint32_t)));
	CL(clEnqueueUnmapMemObject(world->queue, image, mapped, 0, NULL, NULL));
	CL(clFinish(world->queue));
	CL(clReleaseMemObject(image));
	puts("3D");
}

static void old_ways(struct world *world)
{
	const size_t region[3] = {WIDTH, HEIGHT, 1}, region3[3] = {WIDTH, HEIGHT, DEPTH};
	static uint32_t pixels[PIXELS * DEPTH];
	cl_int error;

	pattern_make(pixels, PIXELS * DEPTH, 8);

	cl_mem image = clCreateImage2D(world->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
				       &rgba, WIDTH, HEIGHT, 0, pixels, &error);

	CL(error);
	image_read_check(world, image, region, pixels);
	CL(clReleaseMemObject(image));
	image = clCreateImage3D(world->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &rgba,
				WIDTH, HEIGHT, DEPTH, 0, 0, pixels, &error);
	CL(error);
	image_read_check(world, image, region3, pixels);
	CL(clReleaseMemObject(image));
	CHECK(!clCreateImage2D(world->context, CL_MEM_READ_WRITE, NULL, 1, 1, 0, NULL, &error));
	printf("2D and 3D of OpenCL 1.0, without a format: %d\n", error);
}

static void questions(struct world *world)
{
	const cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
	cl_mem image = image_create(world, &desc, NULL);
	cl_uint formats = 0;
	size_t width = 0, element = 0;
	cl_image_format format;
	cl_int error;

	CL(clGetSupportedImageFormats(world->context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0,
				      NULL, &formats));
	CHECK(formats > 0);
	CL(clGetImageInfo(image, CL_IMAGE_WIDTH, sizeof(width), &width, NULL));
	CL(clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof(element), &element, NULL));
	CL(clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof(format), &format, NULL));
	CHECK(width == WIDTH && element == 4);
	CHECK(format.image_channel_order == CL_RGBA);
	CL(clReleaseMemObject(image));

	cl_sampler sampler = clCreateSampler(world->context, CL_TRUE, CL_ADDRESS_CLAMP,
					     CL_FILTER_NEAREST, &error);
	cl_addressing_mode addressing = 0;

	CL(error);
	CL(clGetSamplerInfo(sampler, CL_SAMPLER_ADDRESSING_MODE, sizeof(addressing), &addressing,
			    NULL));
	CHECK(addressing == CL_ADDRESS_CLAMP);
	CL(clReleaseSampler(sampler));
	puts("questions");
}

int main(void)
{
	struct world world;
	cl_bool images = CL_FALSE;

	world_create(&world, 0, 0);
	CL(clGetDeviceInfo(world.device, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images, NULL));
	if (!images)
		skip("the device has no images");
	flat(&world);
	fill(&world);
	solid(&world);
	old_ways(&world);
	questions(&world);
	world_destroy(&world);
	return 0;
}
