/* SPDX-License-Identifier: MIT */
/* Work-groups that leave a device's lanes or units idle. */
#include "finals.h"

/* A median-like filter of an image, which was written with groups of one while its bugs were
 * sought. */

static const char *const filter_source =
	"kernel void soften(global const float *in, global float *out, int w, int h)\n"
	"{\n"
	"	int x = get_global_id(0), y = get_global_id(1);\n"
	"	float s = 0;\n"
	"	for (int d = -1; d <= 1; d++)\n"
	"		s += in[clamp(y + d, 0, h - 1) * w + x];\n"
	"	out[y * w + x] = s / 3;\n"
	"}\n";

void final_filter_groups(struct app *app)
{
	enum { W = 512, H = 512, FRAMES = 100 };
	float *image = floats(W * H, 1);
	cl_mem in = loaded(app, W * H * 4, image), out = buffer_new(app, W * H * 4);
	cl_kernel soften = kernel_of(app, filter_source, "soften");
	size_t side = app->repaired ? 16 : 1;

	for (int frame = 0; frame < FRAMES; frame++) {
		args(soften, "bbii", frame % 2 ? out : in, frame % 2 ? in : out, W, H);
		run_plane(app->queue, soften, W, H, side, side);
		if (frame % 4 == 3)
			finish(app->queue);
	}
	get(app->queue, in, W * H * 4, image);
	answer(total(image, W * H));
	DROP(soften);
	DROP(in);
	DROP(out);
}

/* Column sums of many small tables: groups of three, for three columns. */

static const char *const tables_source =
	"kernel void columns(global const float *t, global float *out, int rows)\n"
	"{\n"
	"	int i = get_global_id(0), table = i / 3, c = i % 3;\n"
	"	float s = 0;\n"
	"	for (int r = 0; r < rows; r++)\n"
	"		s += t[(table * rows + r) * 3 + c];\n"
	"	out[i] = s;\n"
	"}\n";

void final_column_groups(struct app *app)
{
	enum { TABLES = 1 << 17, ROWS = 4, N = TABLES * 3, TIMES = 60 };
	float *tables = floats(N * ROWS, 1);
	cl_mem t = loaded(app, N * ROWS * 4, tables), out = buffer_new(app, N * 4);
	cl_kernel columns = kernel_of(app, tables_source, "columns");

	args(columns, "bbi", t, out, ROWS);
	for (int i = 0; i < TIMES; i++) {
		run(app->queue, columns, N, app->repaired ? 192 : 3);
		finish(app->queue);
	}
	get(app->queue, out, N * 4, tables);
	answer(total(tables, N));
	DROP(columns);
	DROP(t);
	DROP(out);
}

/* A histogram by one group, that needs no atomics between groups. */

static const char *const histogram_source =
	"kernel void count(global const uchar *in, global uint *bins, int n, local uint *own)\n"
	"{\n"
	"	int l = get_local_id(0), items = get_global_size(0);\n"
	"	for (int b = l; b < 256; b += get_local_size(0))\n"
	"		own[b] = 0;\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	for (int i = get_global_id(0); i < n; i += items)\n"
	"		atomic_inc(&own[in[i]]);\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	for (int b = l; b < 256; b += get_local_size(0))\n"
	"		atomic_add(&bins[b], own[b]);\n"
	"}\n";

void final_histogram_group(struct app *app)
{
	enum { N = 1 << 20, FRAMES = 120 };
	unsigned char *frame = memory(N);
	cl_uint bins[256] = {0};
	cl_mem in, b = loaded(app, sizeof(bins), bins);
	cl_kernel count = kernel_of(app, histogram_source, "count");
	double sum = 0;

	for (unsigned i = 0; i < N; i++)
		frame[i] = (unsigned char)(i * 2654435761u >> 23);
	in = loaded(app, N, frame);
	args(count, "bbil", in, b, N, (size_t)256 * 4);
	for (int i = 0; i < FRAMES; i++) {
		run(app->queue, count, app->repaired ? 2048 : 128, 128);
		finish(app->queue);
	}
	get(app->queue, b, sizeof(bins), bins);
	for (int i = 0; i < 256; i++)
		sum += (double)bins[i] * i;
	answer(sum);
	DROP(count);
	DROP(in);
	DROP(b);
}
