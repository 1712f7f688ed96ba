/* SPDX-License-Identifier: MIT */
/* Launches of a bad shape, or too many of them. */
#include "exams.h"

#include <stdlib.h>

static const char csr_source[] =
	"kernel void spmv(global const int *first, global const int *column,\n"
	"		 global const float *value, global const float *x, global float *y, int rows)\n"
	"{\n"
	"	int row = get_global_id(0);\n"
	"	if (row >= rows)\n"
	"		return;\n"
	"	float sum = 0;\n"
	"	for (int k = first[row]; k < first[row + 1]; k++)\n"
	"		sum += value[k] * x[column[k]];\n"
	"	y[row] = sum;\n"
	"}\n";

/* A power iteration with a sparse matrix, of as many rows as its mesh has nodes, which is a prime,
 * and the driver may choose the groups. Repaired, the launch is rounded up to groups of 32. */
void exam_csr_rows(struct app *app)
{
	enum { rows = 50021, most = rows * 3, bytes = rows * sizeof(float), steps = 400 };
	cl_kernel spmv = kernel_of(app, csr_source, "spmv");
	int *first = memory((rows + 1) * sizeof(*first)), *column = memory(most * sizeof(*column));
	cl_mem firsts = buffer_new(app, (rows + 1) * sizeof(*first));
	cl_mem columns = buffer_new(app, most * sizeof(*column));
	cl_mem values = buffer_new(app, most * sizeof(float));
	cl_mem x[2] = {buffer_new(app, bytes), buffer_new(app, bytes)};
	float *value = memory(most * sizeof(*value)), *data = floats(rows, 3);

	for (int i = 0; i < rows; i++) {
		int at = first[i];

		for (int j = 0; j < 1 + i % 3; j++, at++) {
			column[at] = (int)((unsigned)i * 17u + (unsigned)j * 331u) % rows;
			value[at] = 1.0f / (float)(1 + i % 3);
		}
		first[i + 1] = at;
	}
	put(app->queue, firsts, (rows + 1) * sizeof(*first), first);
	put(app->queue, columns, most * sizeof(*column), column);
	put(app->queue, values, most * sizeof(float), value);
	put_now(app->queue, x[0], bytes, data);
	for (int i = 0; i < steps; i++) {
		args(spmv, "bbbbbi", firsts, columns, values, x[i % 2], x[1 - i % 2], rows);
		if (app->repaired)
			run(app->queue, spmv, (rows + 31) / 32 * 32, 32);
		else
			run(app->queue, spmv, rows, 0);
	}
	get(app->queue, x[0], bytes, data);
	answer(total(data, rows));
	DROP(spmv);
	DROP(firsts);
	DROP(columns);
	DROP(values);
	DROP(x[0]);
	DROP(x[1]);
	free(first);
	free(column);
	free(value);
	free(data);
}

static const char photo_source[] =
	"kernel void unsharp(global const int *in, global int *out, int w, int h)\n"
	"{\n"
	"	int x = get_global_id(0), y = get_global_id(1);\n"
	"	if (x >= w || y >= h)\n"
	"		return;\n"
	"	int around = in[max(y - 1, 0) * w + x] + in[min(y + 1, h - 1) * w + x] +\n"
	"		     in[y * w + max(x - 1, 0)] + in[y * w + min(x + 1, w - 1)];\n"
	"	out[y * w + x] = (8 * in[y * w + x] - around) / 4 & 4095;\n"
	"}\n";

/* Panoramas that the user has cropped to 8209 by 29 pixels are sharpened by a launch of just that.
 * Repaired, it covers whole blocks of 32 by 2, and the kernel leaves out what is beyond. */
void exam_panorama_strip(struct app *app)
{
	enum { w = 8209, h = 29, bytes = w * h * sizeof(int), photos = 40, passes = 3 };
	cl_kernel unsharp = kernel_of(app, photo_source, "unsharp");
	cl_mem plane[2] = {buffer_new(app, bytes), buffer_new(app, bytes)};
	int *photo = memory(bytes);
	double sum = 0;

	for (int i = 0; i < photos; i++) {
		for (int j = 0; j < w * h; j++)
			photo[j] = (j * (i + 7) >> 3) & 4095;
		put_now(app->queue, plane[0], bytes, photo);
		for (int j = 0; j < passes; j++) {
			args(unsharp, "bbii", plane[j % 2], plane[1 - j % 2], w, h);
			if (app->repaired)
				run_plane(app->queue, unsharp, 8224, 30, 32, 2);
			else
				run_plane(app->queue, unsharp, w, h, 0, 0);
		}
		get(app->queue, plane[1], bytes, photo);
		sum += photo[i % h * w + i];
	}
	answer(sum);
	DROP(unsharp);
	DROP(plane[0]);
	DROP(plane[1]);
	free(photo);
}

static const char rgb_source[] =
	"kernel void lift(global uchar *bytes, global const uchar *curve, int frame)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	int c = i % 3;\n"
	"	bytes[i] = curve[(bytes[i] + frame * (c + 1)) & 255];\n"
	"}\n"
	"kernel void mirror(global uchar *bytes, int last)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	uchar left = bytes[i];\n"
	"	bytes[i] = bytes[last - i] / 2 + left / 2;\n"
	"	bytes[last - i] = left;\n"
	"}\n";

/* Video with three bytes a pixel. The kernel that grades it has a group for each pixel, for its
 * three colours; repaired, a group for 32 pixels. The one that mirrors it has groups of 96. */
void exam_rgb_groups(struct app *app)
{
	enum { pixels = 64 * KIB, all = 3 * pixels, frames = 110 };
	cl_program program = program_new(app, rgb_source, "");
	cl_kernel lift = kernel_new(program, "lift"), mirror = kernel_new(program, "mirror");
	cl_mem picture = buffer_new(app, all), curve = buffer_new(app, 256);
	unsigned char *data = memory(all), table[256];
	double sum = 0;

	for (int i = 0; i < 256; i++)
		table[i] = (unsigned char)(255 - i * i / 256);
	put_now(app->queue, curve, sizeof(table), table);
	for (int i = 0; i < frames; i++) {
		for (int j = 0; j < all; j++)
			data[j] = (unsigned char)(j * (i + 3) >> 5);
		put_now(app->queue, picture, all, data);
		args(lift, "bbi", picture, curve, i);
		run(app->queue, lift, all, app->repaired ? 96 : 3);
		args(mirror, "bi", picture, all - 1);
		run(app->queue, mirror, all / 2, 96);
		get(app->queue, picture, all, data);
		sum += data[i * 16] + data[all / 2 + i];
	}
	answer(sum);
	DROP(lift);
	DROP(mirror);
	DROP(program);
	DROP(picture);
	DROP(curve);
	free(data);
}

static const char noise_source[] =
	"kernel void expose(global int *luma, int shift)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	luma[i] = (luma[i] * 5 + (int)(i >> 3) + shift) & 4095;\n"
	"}\n"
	"kernel void noise(global const int *luma, global int *levels, int pixels)\n"
	"{\n"
	"	int sum = 0;\n"
	"	for (int i = get_global_id(0); i + 1024 < pixels; i += 256)\n"
	"		for (int d = 256; d <= 1024; d += 256) {\n"
	"			int step = luma[i] - luma[i + d];\n"
	"			sum += (int)(8 * native_sqrt((float)(step * step + 1)));\n"
	"		}\n"
	"	levels[get_global_id(0)] = sum;\n"
	"}\n";

/* Frames of a camera for the night, of whose noise 256 items of one group get an idea. Repaired,
 * they are eight groups. */
void exam_noise_levels(struct app *app)
{
	enum { pixels = 256 * KIB, bytes = pixels * sizeof(int), frames = 100, parts = 256 };
	cl_program program = program_new(app, noise_source, "");
	cl_kernel expose = kernel_new(program, "expose"), noise = kernel_new(program, "noise");
	cl_mem luma = buffer_new(app, bytes), levels = buffer_new(app, parts * sizeof(int));
	int *frame = memory(bytes), seen[parts];
	double sum = 0;

	args(noise, "bbi", luma, levels, pixels);
	for (int i = 0; i < pixels; i++)
		frame[i] = i * 7 >> 4 & 4095;
	put_now(app->queue, luma, bytes, frame);
	for (int i = 0; i < frames; i++) {
		args(expose, "bi", luma, i);
		run(app->queue, expose, pixels, 64);
		run(app->queue, noise, parts, app->repaired ? parts / 8 : parts);
		get(app->queue, levels, sizeof(seen), seen);
		for (int j = 0; j < parts; j++)
			sum += seen[j] >> 8;
	}
	answer(sum);
	DROP(expose);
	DROP(noise);
	DROP(program);
	DROP(luma);
	DROP(levels);
	free(frame);
}

static const char csv_source[] =
	"kernel void decode(global const uchar *raw, global uchar *text, int key)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	text[i] = (raw[i] ^ (uchar)(key + i)) & 127;\n"
	"}\n"
	"kernel void fields(global const uchar *text, global uint *sums, int lines)\n"
	"{\n"
	"	uint sum = 0;\n"
	"	for (int l = get_global_id(0) * lines, end = l + lines; l < end; l++) {\n"
	"		uint hash = 5381, quoted = 0;\n"
	"		for (int i = l * 64; i < l * 64 + 64; i++) {\n"
	"			quoted ^= text[i] == '\"';\n"
	"			hash = text[i] == ',' && !quoted ? 5381 : hash * 33 ^ text[i];\n"
	"			sum += quoted ? 0 : hash >> 9;\n"
	"		}\n"
	"	}\n"
	"	sums[get_global_id(0)] = sum;\n"
	"}\n";

/* Blocks of a table in text, of 64 characters a line: one task, of one item, goes through a block
 * for its fields. Repaired, each of 64 items goes through a part. */
void exam_csv_fields(struct app *app)
{
	enum { size = 512 * KIB, blocks = 50, parts = 64, lines = size / 64 };
	cl_program program = program_new(app, csv_source, "");
	cl_kernel decode = kernel_new(program, "decode"), fields = kernel_new(program, "fields");
	cl_mem raw = buffer_new(app, size), text = buffer_new(app, size);
	cl_mem sums = buffer_new(app, parts * sizeof(unsigned));
	unsigned char *block = memory(size);
	unsigned seen[parts] = {0}, sum = 0;

	args(fields, "bbi", text, sums, app->repaired ? lines / parts : lines);
	put_now(app->queue, sums, sizeof(seen), seen);
	for (int i = 0; i < blocks; i++) {
		for (int j = 0; j < size; j++)
			block[j] = (unsigned char)((j ^ i) * 11);
		put(app->queue, raw, size, block);
		args(decode, "bbi", raw, text, i);
		run(app->queue, decode, size, 128);
		if (app->repaired)
			run(app->queue, fields, parts, 8);
		else
			TRY(clEnqueueTask(app->queue, fields, 0, NULL, NULL));
		get(app->queue, sums, sizeof(seen), seen);
		for (int j = 0; j < parts; j++)
			sum += seen[j];
	}
	answer(sum);
	DROP(decode);
	DROP(fields);
	DROP(program);
	DROP(raw);
	DROP(text);
	DROP(sums);
	free(block);
}

static const char gemm_source[] =
	"kernel void gemm8(global const float *a, global const float *b, global float *c)\n"
	"{\n"
	"	int x = get_global_id(0), y = get_global_id(1), at = get_global_id(2) * 64;\n"
	"	float sum = 0;\n"
	"	for (int k = 0; k < 8; k++)\n"
	"		sum += a[at + y * 8 + k] * b[at + k * 8 + x];\n"
	"	c[at + y * 8 + x] = sum;\n"
	"}\n";

/* An attention layer's heads: small matrices are multiplied, each by a launch of its own, at its
 * offset. Repaired, a launch's third dimension goes through all of them. */
void exam_batched_gemm(struct app *app)
{
	enum { heads = 256, each = 64, items = heads * each, bytes = items * sizeof(float) };
	enum { tokens = 120 };
	const size_t one[3] = {8, 8, 1}, all[3] = {8, 8, heads};
	cl_kernel gemm = kernel_of(app, gemm_source, "gemm8");
	cl_mem a = buffer_new(app, bytes), b = buffer_new(app, bytes), c = buffer_new(app, bytes);
	float *data = memory(bytes), *keys = floats(items, 4);
	double sum = 0;

	put_now(app->queue, b, bytes, keys);
	args(gemm, "bbb", a, b, c);
	for (int i = 0; i < tokens; i++) {
		refill(data, items, i);
		put(app->queue, a, bytes, data);
		for (size_t j = 0; j < heads && !app->repaired; j++) {
			const size_t offset[3] = {0, 0, j};

			launch(app->queue, gemm, 3, offset, one, one);
		}
		if (app->repaired)
			launch(app->queue, gemm, 3, NULL, all, one);
		get(app->queue, c, bytes, data);
		sum += total(data, items);
	}
	answer(sum);
	DROP(gemm);
	DROP(a);
	DROP(b);
	DROP(c);
	free(data);
	free(keys);
}
