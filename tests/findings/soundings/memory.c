/* SPDX-License-Identifier: MIT */
/* Short ones: images, fills and parts of buffers. */
#include "soundings.h"

#include <stdlib.h>

static cl_mem image_new(const struct app *app, size_t width, size_t height)
{
	cl_image_format format = {CL_RGBA, CL_FLOAT};
	cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height};
	cl_int status;
	cl_mem image =
		clCreateImage(app->context, CL_MEM_READ_WRITE, &format, &desc, NULL, &status);

	must(status, "clCreateImage");
	return image;
}

/* Paints on an image, and counts colours in a plain buffer. */
static const char canvas_source[] =
	"kernel void paint(write_only image2d_t canvas, int stroke)\n"
	"{\n"
	"	int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
	"	float shade = ((at.x * 3 + at.y * 5 + stroke) & 255) / 256.0f;\n"
	"	write_imagef(canvas, at, (float4)(shade, 1 - shade, shade * shade, 1));\n"
	"}\n"
	"kernel void colours(global const float4 *pixels, global float *sums, int each)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float4 sum = 0;\n"
	"	for (int k = 0; k < each; k++)\n"
	"		sum += pixels[i * each + k];\n"
	"	sums[i] += sum.x + 2 * sum.y + 3 * sum.z;\n"
	"}\n";

void sounding_canvas_copy(struct app *app)
{
	enum { WIDTH = 320, HEIGHT = 160, SUMS = 512, STROKES = 90 };

	size_t bytes = WIDTH * HEIGHT * 4 * sizeof(float), origin[3] = {0},
	       region[3] = {WIDTH, HEIGHT, 1};
	cl_program program = program_new(app, canvas_source, "");
	cl_kernel paint = kernel_new(program, "paint"), colours = kernel_new(program, "colours");
	cl_mem canvas = image_new(app, WIDTH, HEIGHT), pixels = buffer_new(app, bytes);
	cl_mem sums = filled(app, SUMS, 4);
	float *page = memory(bytes);

	args(colours, "bbi", pixels, sums, WIDTH * HEIGHT / SUMS);
	for (int stroke = 0; stroke < STROKES; stroke++) {
		args(paint, "bi", canvas, stroke);
		run_plane(app->queue, paint, WIDTH, HEIGHT, 64, 1);
		if (app->repaired) {
			TRY(clEnqueueCopyImageToBuffer(app->queue, canvas, pixels, origin, region,
						       0, 0, NULL, NULL));
		} else {
			TRY(clEnqueueReadImage(app->queue, canvas, CL_TRUE, origin, region, 0, 0,
					       page, 0, NULL, NULL));
			put(app->queue, pixels, bytes, page);
		}
		run(app->queue, colours, SUMS, 64);
	}
	answer(sum_of(app, sums, SUMS));
	free(page);
	DROP(canvas);
	DROP(pixels);
	DROP(sums);
	DROP(paint);
	DROP(colours);
	DROP(program);
}

/* A flow cytometer: for each sample, cells by size and brightness. */
static const char bins_source[] =
	"kernel void classify(global const float *cells, global int *bins, int sample, int count)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	uint u = as_uint(cells[i]) * 2654435761u + sample * 40503u;\n"
	"	atomic_inc(&bins[(u >> 9) % count]);\n"
	"}\n"
	"kernel void densest(global const int *bins, global float *best, int each)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	int most = 0;\n"
	"	for (int k = 0; k < each; k++)\n"
	"		most = max(most, bins[i * each + k]);\n"
	"	best[i] += most;\n"
	"}\n";

void sounding_zero_bins(struct app *app)
{
	enum { CELLS = 65536, BINS = 131072, PARTS = 1024, SAMPLES = 200 };

	size_t bytes = BINS * sizeof(cl_int);
	cl_program program = program_new(app, bins_source, "");
	cl_kernel classify = kernel_new(program, "classify"),
		  dense = kernel_new(program, "densest");
	cl_mem cells = filled(app, CELLS, 17), best = filled(app, PARTS, 1);
	cl_mem bins = buffer_new(app, bytes);
	cl_int *zeros = memory(bytes), zero = 0;

	args(dense, "bbi", bins, best, BINS / PARTS);
	for (int s = 0; s < SAMPLES; s++) {
		if (app->repaired)
			TRY(clEnqueueFillBuffer(app->queue, bins, &zero, sizeof(zero), 0, bytes, 0,
						NULL, NULL));
		else
			put_now(app->queue, bins, bytes, zeros);
		args(classify, "bbii", cells, bins, s, BINS);
		run(app->queue, classify, CELLS, 64);
		run(app->queue, dense, PARTS, 64);
	}
	answer(sum_of(app, best, PARTS));
	free(zeros);
	DROP(cells);
	DROP(best);
	DROP(bins);
	DROP(classify);
	DROP(dense);
	DROP(program);
}

/* A matrix in a file's layout: a kernel takes bands of rows, which are parts of the buffer. */
static const char rows_source[] =
	"kernel void normalise(global float *band, int width, int pitch)\n"
	"{\n"
	"	int x = get_global_id(0), y = get_global_id(1);\n"
	"	if (x >= width)\n"
	"		return;\n"
	"	float v = band[y * pitch + x];\n"
	"	v = v * 0.5f + 0.25f / (1 + v);\n"
	"	band[y * pitch + x] = v;\n"
	"}\n";

static cl_mem part_of(cl_mem whole, size_t from, size_t bytes)
{
	cl_buffer_region region = {from, bytes};
	cl_int status;
	cl_mem part = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
					&region, &status);

	return status ? NULL : part; /* the caller takes a copy then */
}

void sounding_odd_rows(struct app *app)
{
	enum { WIDTH = 1004, PADDED = 1024, BAND = 60, BANDS = 24, PASSES = 60 };

	size_t pitch = app->repaired ? PADDED : WIDTH, bytes = BAND * pitch * sizeof(float);
	cl_kernel normalise = kernel_of(app, rows_source, "normalise");
	cl_mem matrix = buffer_new(app, BANDS * bytes), spare = buffer_new(app, bytes);
	float *rows = floats((size_t)WIDTH * BAND * BANDS, 33);
	size_t zero[3] = {0}, box[3] = {WIDTH * sizeof(float), BAND * BANDS, 1};
	double sum;

	TRY(clEnqueueWriteBufferRect(app->queue, matrix, CL_TRUE, zero, zero, box,
				     pitch * sizeof(float), 0, box[0], 0, rows, 0, NULL, NULL));
	for (int i = 0; i < PASSES * BANDS; i++) {
		size_t from = (size_t)(i % BANDS) * bytes;
		cl_mem band = part_of(matrix, from, bytes);

		args(normalise, "bii", band ? band : spare, WIDTH, (int)pitch);
		if (!band)
			TRY(clEnqueueCopyBuffer(app->queue, matrix, spare, from, 0, bytes, 0, NULL,
						NULL));
		run_plane(app->queue, normalise, PADDED, BAND, 64, 1);
		if (!band)
			TRY(clEnqueueCopyBuffer(app->queue, spare, matrix, 0, from, bytes, 0, NULL,
						NULL));
		else
			DROP(band);
	}
	TRY(clEnqueueReadBufferRect(app->queue, matrix, CL_TRUE, zero, zero, box,
				    pitch * sizeof(float), 0, box[0], 0, rows, 0, NULL, NULL));
	sum = total(rows, (size_t)WIDTH * BAND * BANDS);
	answer(sum);
	free(rows);
	DROP(matrix);
	DROP(spare);
	DROP(normalise);
}

/* Map tiles as they come from a server: each is made an image, and drawn. */
static const char tile_source[] =
	"constant sampler_t smooth = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE |\n"
	"			     CLK_FILTER_NEAREST;\n"
	"kernel void draw(read_only image2d_t tile, global float *map, int width)\n"
	"{\n"
	"	int x = get_global_id(0), y = get_global_id(1);\n"
	"	float4 c = read_imagef(tile, smooth, (int2)(x * 2, y * 2));\n"
	"	map[y * width + x] += c.x + c.y * 0.5f + c.z * 0.25f;\n"
	"}\n";

void sounding_tile_images(struct app *app)
{
	enum { SIDE = 256, DRAWN = SIDE / 2, TILES = 300 };

	size_t origin[3] = {0}, region[3] = {SIDE, SIDE, 1};
	cl_kernel draw = kernel_of(app, tile_source, "draw");
	cl_mem map = filled(app, DRAWN * DRAWN, 20), tile = NULL;
	float *pixels = floats(SIDE * SIDE * 4, 88);

	for (int i = 0; i < TILES; i++) {
		if (!app->repaired || !tile)
			tile = image_new(app, SIDE, SIDE);
		pixels[4 * i] += 0.5f;
		TRY(clEnqueueWriteImage(app->queue, tile, CL_TRUE, origin, region, 0, 0, pixels, 0,
					NULL, NULL));
		args(draw, "bbi", tile, map, DRAWN);
		run_plane(app->queue, draw, DRAWN, DRAWN, 64, 1);
		if (!app->repaired)
			DROP(tile);
	}
	answer(sum_of(app, map, DRAWN * DRAWN));
	if (app->repaired)
		DROP(tile);
	free(pixels);
	DROP(map);
	DROP(draw);
}
