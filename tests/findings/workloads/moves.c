/* SPDX-License-Identifier: MIT */
/* Data goes to the device and back in the wrong portions. */
#include "workloads.h"

#include <stdlib.h>
#include <string.h>

static const char order_source[] =
	"kernel void match(global const float4 *order, global float *book, int count)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float4 o = order[i % count];\n"
	"	book[i] = book[i] * 0.5f + o.x * o.y + o.z - o.w;\n"
	"}\n";

/* Orders of 16 bytes come in by the thousand, and each is written to the device by itself;
 * repaired, they are collected and go there at once. */
void workload_order_records(struct workload *w)
{
	enum { count = 1000, items = 16 * KIB, rounds = 240 };
	float *book = new_field(items, 3), (*orders)[4] = malloc(count * sizeof(*orders));
	cl_kernel match = compile(w, order_source, "match");
	cl_mem order = new_buffer(w, count * sizeof(*orders));
	cl_mem memory = new_buffer(w, items * sizeof(float));

	upload_now(w->queue, memory, items * sizeof(float), book);
	give(match, "bbi", order, memory, count);
	for (int i = 0; i < rounds; i++) {
		for (int j = 0; j < count; j++) {
			for (int k = 0; k < 4; k++)
				orders[j][k] = (float)((i + j * k) % 97) / 97;
			if (!w->repaired)
				check(clEnqueueWriteBuffer(w->queue, order, CL_FALSE,
							   (size_t)j * sizeof(*orders),
							   sizeof(*orders), orders[j], 0, NULL,
							   NULL),
				      "clEnqueueWriteBuffer");
		}
		if (w->repaired)
			upload(w->queue, order, count * sizeof(*orders), orders);
		for (int j = 0; j < 10; j++)
			launch(w->queue, match, items, 64);
		finish(w->queue);
	}
	download(w->queue, memory, items * sizeof(float), book);
	report(sum_of(book, items));
	drop_buffer(order);
	drop_buffer(memory);
	drop_kernel(match);
	free(book);
	free(orders);
}

static const char sparse_source[] =
	"kernel void spmv(global const float *value, global const int *col, global const float *x,\n"
	"		 global float *y)\n"
	"{\n"
	"	size_t row = get_global_id(0);\n"
	"	float sum = 0;\n"
	"	for (int i = 0; i < 8; i++)\n"
	"		sum += value[row * 8 + i] * x[col[row * 8 + i]];\n"
	"	y[row] = sum;\n"
	"}\n";

/* A sparse matrix times vectors. The caller's accessor fetches 16 rows of the result at a time from
 * the device; repaired, the result is fetched once, and the accessor looks there. */
void workload_sparse_rows(struct workload *w)
{
	enum { rows = 8 * KIB, products = 24, batch = 16 };
	float *value = new_field(rows * 8, 5), *x = new_field(rows, 6);
	int *col = malloc(rows * 8 * sizeof(*col));
	cl_kernel spmv = compile(w, sparse_source, "spmv");
	cl_mem values = new_buffer(w, rows * 8 * sizeof(float));
	cl_mem cols = new_buffer(w, rows * 8 * sizeof(*col));
	cl_mem in = new_buffer(w, rows * sizeof(float)), out = new_buffer(w, rows * sizeof(float));

	for (int i = 0; i < rows * 8; i++)
		col[i] = (i * 37 + i / 8) % rows;
	upload_now(w->queue, values, rows * 8 * sizeof(float), value);
	upload_now(w->queue, cols, rows * 8 * sizeof(*col), col);
	give(spmv, "bbbb", values, cols, in, out);
	for (int i = 0; i < products; i++) {
		upload_now(w->queue, in, rows * sizeof(float), x);
		for (int j = 0; j < 6; j++)
			launch(w->queue, spmv, rows, 64);
		if (w->repaired)
			download(w->queue, out, rows * sizeof(float), x);
		for (int j = 0; j < rows && !w->repaired; j += batch)
			check(clEnqueueReadBuffer(w->queue, out, CL_TRUE, j * sizeof(float),
						  batch * sizeof(float), x + j, 0, NULL, NULL),
			      "clEnqueueReadBuffer");
		for (int j = 0; j < rows; j++)
			x[j] = x[j] * 0.2f + 0.1f;
	}
	report(sum_of(x, rows));
	drop_buffer(values);
	drop_buffer(cols);
	drop_buffer(in);
	drop_buffer(out);
	drop_kernel(spmv);
	free(value);
	free(x);
	free(col);
}

static const char fft_source[] =
	"kernel void pass(global float *x, int span)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	size_t at = i / span * span * 2 + i % span;\n"
	"	float a = x[at], b = x[at + span];\n"
	"	x[at] = (a + b) * 0.7071f;\n"
	"	x[at + span] = (a - b) * 0.7071f;\n"
	"}\n"
	"kernel void transpose(global const float *from, global float *to, int width)\n"
	"{\n"
	"	size_t x = get_global_id(0), y = get_global_id(1);\n"
	"	to[x * width + y] = from[y * width + x];\n"
	"}\n";

/* A two-dimensional transform: passes over the rows, a transposition, passes over what were the
 * columns. The host transposes; repaired, a kernel does. */
void workload_fft_transpose(struct workload *w)
{
	enum { width = 256, items = width * width, bytes = items * sizeof(float), images = 300 };
	float *image = new_field(items, 13), *turned = malloc(bytes);
	cl_program program = build(w, fft_source, "");
	cl_kernel pass = kernel_in(program, "pass"), transpose = kernel_in(program, "transpose");
	cl_mem memory[2] = {new_buffer(w, bytes), new_buffer(w, bytes)};

	upload_now(w->queue, memory[0], bytes, image);
	give(transpose, "bbi", memory[0], memory[1], width);
	for (int i = 0; i < images * 2; i++) {
		for (int span = width / 2; span; span /= 4) {
			give(pass, "bi", memory[i % 2], span);
			launch(w->queue, pass, items / 2, 64);
		}
		if (w->repaired) {
			give(transpose, "bbi", memory[i % 2], memory[1 - i % 2], width);
			launch_plane(w->queue, transpose, width, width, 32, 4);
			continue;
		}
		download(w->queue, memory[i % 2], bytes, image);
		for (int y = 0; y < width; y++)
			for (int x = 0; x < width; x++)
				turned[x * width + y] = image[y * width + x];
		upload_now(w->queue, memory[1 - i % 2], bytes, turned);
	}
	download(w->queue, memory[0], bytes, image);
	report(sum_of(image, items));
	drop_buffer(memory[0]);
	drop_buffer(memory[1]);
	drop_kernel(pass);
	drop_kernel(transpose);
	drop_program(program);
	free(image);
	free(turned);
}

static const char agents_source[] = "kernel void step_agents(global float4 *agent, float by)\n"
				    "{\n"
				    "	size_t i = get_global_id(0) * 32;\n"
				    "	agent[i].xy += by * agent[i].zw;\n"
				    "	agent[i].zw *= 0.99f;\n"
				    "}\n";

/* A simulation of agents, in which the user pushes one in each frame: all of them are read, one is
 * changed, and all are written. Repaired, only that one is. */
void workload_agents_patch(struct workload *w)
{
	enum { agents = 256 * KIB, bytes = agents * 16, frames = 300 };
	float *agent = new_field(agents * 4, 19);
	cl_kernel step_agents = compile(w, agents_source, "step_agents");
	cl_mem memory = new_buffer(w, bytes);

	upload_now(w->queue, memory, bytes, agent);
	give(step_agents, "bf", memory, 0.01);
	for (int i = 0; i < frames; i++) {
		size_t at = w->repaired ? (size_t)(i * 433 % agents) * 16 : 0;
		size_t much = w->repaired ? 16 : bytes;
		float *pushed = agent + (size_t)(i * 433 % agents) * 4;

		for (int j = 0; j < 10; j++)
			launch(w->queue, step_agents, agents / 32, 64);
		check(clEnqueueReadBuffer(w->queue, memory, CL_TRUE, at, much, (char *)agent + at,
					  0, NULL, NULL),
		      "clEnqueueReadBuffer");
		pushed[2] += 0.5f;
		pushed[3] -= 0.25f;
		check(clEnqueueWriteBuffer(w->queue, memory, CL_TRUE, at, much, (char *)agent + at,
					   0, NULL, NULL),
		      "clEnqueueWriteBuffer");
	}
	download(w->queue, memory, bytes, agent);
	report(sum_of(agent, agents * 4));
	drop_buffer(memory);
	drop_kernel(step_agents);
	free(agent);
}

static const char columns_source[] =
	"kernel void norm(global const float *a, global float *to, int width, int height)\n"
	"{\n"
	"	size_t x = get_global_id(0);\n"
	"	float sum = 0;\n"
	"	for (int y = 0; y < height; y++)\n"
	"		sum += a[y * width + x] * a[y * width + x];\n"
	"	to[x] += native_sqrt(sum);\n"
	"}\n";

/* A matrix is handed to the device column by column, each as a box one element wide; repaired, as
 * it is, in one piece. */
void workload_matrix_columns(struct workload *w)
{
	enum { width = 256, height = 512, bytes = width * height * sizeof(float), times = 120 };
	float *matrix = new_field(width * height, 23), norms[width] = {0};
	cl_kernel norm = compile(w, columns_source, "norm");
	cl_mem a = new_buffer(w, bytes), to = new_buffer(w, sizeof(norms));

	upload_now(w->queue, to, sizeof(norms), norms);
	give(norm, "bbii", a, to, width, height);
	for (int i = 0; i < times; i++) {
		for (int y = 0; y < height; y++)
			matrix[y * width + (y + i) % width] += 1;
		for (int x = 0; x < width && !w->repaired; x++) {
			size_t origin[3] = {(size_t)x * sizeof(float), 0, 0};
			size_t region[3] = {sizeof(float), height, 1};

			check(clEnqueueWriteBufferRect(w->queue, a, CL_FALSE, origin, origin,
						       region, width * sizeof(float), 0,
						       width * sizeof(float), 0, matrix, 0, NULL,
						       NULL),
			      "clEnqueueWriteBufferRect");
		}
		if (w->repaired)
			upload(w->queue, a, bytes, matrix);
		for (int j = 0; j < 8; j++)
			launch(w->queue, norm, width, 32);
		finish(w->queue);
	}
	download(w->queue, to, sizeof(norms), norms);
	report(sum_of(norms, width));
	drop_buffer(a);
	drop_buffer(to);
	drop_kernel(norm);
	free(matrix);
}
