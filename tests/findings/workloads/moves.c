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
void workload_order_records(struct app *w)
{
	enum { count = 1000, items = 16 * KIB, rounds = 240 };
	float *book = new_field(items, 3), (*orders)[4] = malloc(count * sizeof(*orders));
	cl_kernel match = kernel_of(w, order_source, "match");
	cl_mem order = buffer_new(w, count * sizeof(*orders));
	cl_mem memory = buffer_new(w, items * sizeof(float));

	put_now(w->queue, memory, items * sizeof(float), book);
	args(match, "bbi", order, memory, count);
	for (int i = 0; i < rounds; i++) {
		for (int j = 0; j < count; j++) {
			for (int k = 0; k < 4; k++)
				orders[j][k] = (float)((i + j * k) % 97) / 97;
			if (!w->repaired)
				TRY(clEnqueueWriteBuffer(
					w->queue, order, CL_FALSE, (size_t)j * sizeof(*orders),
					sizeof(*orders), orders[j], 0, NULL, NULL));
		}
		if (w->repaired)
			put(w->queue, order, count * sizeof(*orders), orders);
		for (int j = 0; j < 10; j++)
			run(w->queue, match, items, 64);
		finish(w->queue);
	}
	get(w->queue, memory, items * sizeof(float), book);
	answer(total(book, items));
	DROP(order);
	DROP(memory);
	DROP(match);
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
void workload_sparse_rows(struct app *w)
{
	enum { rows = 8 * KIB, products = 24, batch = 16 };
	float *value = new_field(rows * 8, 5), *x = new_field(rows, 6);
	int *col = malloc(rows * 8 * sizeof(*col));
	cl_kernel spmv = kernel_of(w, sparse_source, "spmv");
	cl_mem values = buffer_new(w, rows * 8 * sizeof(float));
	cl_mem cols = buffer_new(w, rows * 8 * sizeof(*col));
	cl_mem in = buffer_new(w, rows * sizeof(float)), out = buffer_new(w, rows * sizeof(float));

	for (int i = 0; i < rows * 8; i++)
		col[i] = (i * 37 + i / 8) % rows;
	put_now(w->queue, values, rows * 8 * sizeof(float), value);
	put_now(w->queue, cols, rows * 8 * sizeof(*col), col);
	args(spmv, "bbbb", values, cols, in, out);
	for (int i = 0; i < products; i++) {
		put_now(w->queue, in, rows * sizeof(float), x);
		for (int j = 0; j < 6; j++)
			run(w->queue, spmv, rows, 64);
		if (w->repaired)
			get(w->queue, out, rows * sizeof(float), x);
		for (int j = 0; j < rows && !w->repaired; j += batch)
			TRY(clEnqueueReadBuffer(w->queue, out, CL_TRUE, j * sizeof(float),
						batch * sizeof(float), x + j, 0, NULL, NULL));
		for (int j = 0; j < rows; j++)
			x[j] = x[j] * 0.2f + 0.1f;
	}
	answer(total(x, rows));
	DROP(values);
	DROP(cols);
	DROP(in);
	DROP(out);
	DROP(spmv);
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
void workload_fft_transpose(struct app *w)
{
	enum { width = 256, items = width * width, bytes = items * sizeof(float), images = 300 };
	float *image = new_field(items, 13), *turned = malloc(bytes);
	cl_program program = program_new(w, fft_source, "");
	cl_kernel pass = kernel_new(program, "pass"), transpose = kernel_new(program, "transpose");
	cl_mem memory[2] = {buffer_new(w, bytes), buffer_new(w, bytes)};

	put_now(w->queue, memory[0], bytes, image);
	args(transpose, "bbi", memory[0], memory[1], width);
	for (int i = 0; i < images * 2; i++) {
		for (int span = width / 2; span; span /= 4) {
			args(pass, "bi", memory[i % 2], span);
			run(w->queue, pass, items / 2, 64);
		}
		if (w->repaired) {
			args(transpose, "bbi", memory[i % 2], memory[1 - i % 2], width);
			run_plane(w->queue, transpose, width, width, 32, 4);
			continue;
		}
		get(w->queue, memory[i % 2], bytes, image);
		for (int y = 0; y < width; y++)
			for (int x = 0; x < width; x++)
				turned[x * width + y] = image[y * width + x];
		put_now(w->queue, memory[1 - i % 2], bytes, turned);
	}
	get(w->queue, memory[0], bytes, image);
	answer(total(image, items));
	DROP(memory[0]);
	DROP(memory[1]);
	DROP(pass);
	DROP(transpose);
	DROP(program);
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
void workload_agents_patch(struct app *w)
{
	enum { agents = 256 * KIB, bytes = agents * 16, frames = 300 };
	float *agent = new_field(agents * 4, 19);
	cl_kernel step_agents = kernel_of(w, agents_source, "step_agents");
	cl_mem memory = buffer_new(w, bytes);

	put_now(w->queue, memory, bytes, agent);
	args(step_agents, "bf", memory, 0.01);
	for (int i = 0; i < frames; i++) {
		size_t at = w->repaired ? (size_t)(i * 433 % agents) * 16 : 0;
		size_t much = w->repaired ? 16 : bytes;
		float *pushed = agent + (size_t)(i * 433 % agents) * 4;

		for (int j = 0; j < 10; j++)
			run(w->queue, step_agents, agents / 32, 64);
		TRY(clEnqueueReadBuffer(w->queue, memory, CL_TRUE, at, much, (char *)agent + at, 0,
					NULL, NULL));
		pushed[2] += 0.5f;
		pushed[3] -= 0.25f;
		TRY(clEnqueueWriteBuffer(w->queue, memory, CL_TRUE, at, much, (char *)agent + at, 0,
					 NULL, NULL));
	}
	get(w->queue, memory, bytes, agent);
	answer(total(agent, agents * 4));
	DROP(memory);
	DROP(step_agents);
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
void workload_matrix_columns(struct app *w)
{
	enum { width = 256, height = 512, bytes = width * height * sizeof(float), times = 120 };
	float *matrix = new_field(width * height, 23), norms[width] = {0};
	cl_kernel norm = kernel_of(w, columns_source, "norm");
	cl_mem a = buffer_new(w, bytes), to = buffer_new(w, sizeof(norms));

	put_now(w->queue, to, sizeof(norms), norms);
	args(norm, "bbii", a, to, width, height);
	for (int i = 0; i < times; i++) {
		for (int y = 0; y < height; y++)
			matrix[y * width + (y + i) % width] += 1;
		for (int x = 0; x < width && !w->repaired; x++) {
			size_t origin[3] = {(size_t)x * sizeof(float), 0, 0};
			size_t region[3] = {sizeof(float), height, 1};

			TRY(clEnqueueWriteBufferRect(w->queue, a, CL_FALSE, origin, origin, region,
						     width * sizeof(float), 0,
						     width * sizeof(float), 0, matrix, 0, NULL,
						     NULL));
		}
		if (w->repaired)
			put(w->queue, a, bytes, matrix);
		for (int j = 0; j < 8; j++)
			run(w->queue, norm, width, 32);
		finish(w->queue);
	}
	get(w->queue, to, sizeof(norms), norms);
	answer(total(norms, width));
	DROP(a);
	DROP(to);
	DROP(norm);
	free(matrix);
}
