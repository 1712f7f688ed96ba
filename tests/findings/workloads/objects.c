/* SPDX-License-Identifier: MIT */
/* Programs, buffers, kernels and events that are made too often, or kept, and errors. */
#include "workloads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char request_source[] =
	"kernel void rank(global float *x, float by)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	x[i] = x[i] * (1 - by) + by * native_sin(x[i] * 6.0f);\n"
	"}\n";

/* A server that builds its program for each request, since the handler came from a script that
 * handled one; repaired, it builds it at the start. */
void workload_request_server(struct app *w)
{
	enum { items = 16 * KIB, requests = 20, launches = 60 };
	float *x = new_field(items, 15), *ranked = new_field(items, 1);
	cl_mem memory = buffer_new(w, items * sizeof(float));
	cl_kernel rank = NULL;

	for (int i = 0; i < requests; i++) {
		if (!w->repaired || !i)
			rank = kernel_of(w, request_source, "rank");
		x[i] += 0.5f;
		put_now(w->queue, memory, items * sizeof(float), x);
		for (int j = 0; j < launches; j++) {
			args(rank, "bf", memory, 0.01 * (j % 10));
			run(w->queue, rank, items, 64);
		}
		get(w->queue, memory, items * sizeof(float), ranked);
		if (!w->repaired || i == requests - 1)
			DROP(rank);
	}
	answer(total(ranked, items));
	DROP(memory);
	free(x);
	free(ranked);
}

/* Formulas are turned into kernels with their coefficients as constants, new ones each time;
 * repaired, these are arguments of one kernel. */
void workload_formula_jit(struct app *w)
{
	enum { items = 16 * KIB, formulas = 8, launches = 60 };
	static const char source[] = "kernel void formula(global float *x, float a, float b)\n"
				     "{\n"
				     "	size_t i = get_global_id(0);\n"
				     "	x[i] = x[i] * a + b;\n"
				     "}\n";
	float *x = new_field(items, 15);
	cl_mem memory = buffer_new(w, items * sizeof(float));
	cl_kernel formula = w->repaired ? kernel_of(w, source, "formula") : NULL;
	unsigned salt = (unsigned)time(NULL) * 31u + (unsigned)getpid();

	put_now(w->queue, memory, items * sizeof(float), x);
	for (int i = 0; i < formulas; i++) {
		double a = 0.5 + (salt % 1000) * 1e-7 + i * 1e-3, b = 0.25 + (salt % 997) * 1e-7;
		char text[256];

		snprintf(text, sizeof(text),
			 "kernel void formula(global float *x)\n"
			 "{\n"
			 "	size_t i = get_global_id(0);\n"
			 "	x[i] = x[i] * %.9ff + %.9ff;\n"
			 "}\n",
			 a, b);
		if (w->repaired) {
			args(formula, "bff", memory, a, b);
		} else {
			formula = kernel_of(w, text, "formula");
			args(formula, "b", memory);
		}
		for (int j = 0; j < launches; j++)
			run(w->queue, formula, items, 64);
		finish(w->queue);
		if (!w->repaired)
			DROP(formula);
	}
	get(w->queue, memory, items * sizeof(float), x);
	answer((double)(int)(total(x, items) / items * 100));
	if (w->repaired)
		DROP(formula);
	DROP(memory);
	free(x);
}

static const char cg_source[] =
	"kernel void apply(global const float *p, global float *q)\n"
	"{\n"
	"	int i = get_global_id(0), last = get_global_size(0) - 1;\n"
	"	q[i] = 2.1f * p[i] - p[max(i - 1, 0)] - p[min(i + 1, last)];\n"
	"}\n"
	"kernel void axpy(global float *x, global const float *y, float a)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	x[i] += a * y[i];\n"
	"}\n";

/* A solver whose step makes the buffers for its intermediate vectors, and releases them; repaired,
 * they are made before the first step. */
void workload_cg_scratch(struct app *w)
{
	enum { items = 9 * MIB, bytes = items * sizeof(float), steps = 12 };
	float *x = new_field(items, 8);
	cl_program program = program_new(w, cg_source, "");
	cl_kernel apply = kernel_new(program, "apply"), axpy = kernel_new(program, "axpy");
	cl_mem p = buffer_new(w, bytes), q = NULL, r = NULL;

	put_now(w->queue, p, bytes, x);
	for (int i = 0; i < steps; i++) {
		if (!w->repaired || !i) {
			q = buffer_new(w, bytes);
			r = buffer_new(w, bytes);
		}
		args(apply, "bb", p, q);
		run(w->queue, apply, items, 64);
		args(apply, "bb", q, r);
		run(w->queue, apply, items, 64);
		args(axpy, "bbf", p, r, -0.01);
		run(w->queue, axpy, items, 64);
		finish(w->queue);
		if (!w->repaired || i == steps - 1) {
			DROP(q);
			DROP(r);
		}
	}
	get(w->queue, p, bytes, x);
	answer(total(x, items));
	DROP(p);
	DROP(apply);
	DROP(axpy);
	DROP(program);
	free(x);
}

static const char genome_source[] =
	"kernel void find(global const uchar *text, global const uchar *word, global uint *hits)\n"
	"{\n"
	"	size_t i = get_global_id(0) * 64;\n"
	"	int same = 0;\n"
	"	for (int j = 0; j < 8; j++)\n"
	"		same += text[i + j] == word[j];\n"
	"	if (same > 3)\n"
	"		atomic_inc(hits);\n"
	"}\n";

/* Words are looked up in a genome. Each query makes a buffer with a copy of the genome; repaired,
 * the queries share one. */
void workload_genome_queries(struct app *w)
{
	enum { bytes = 8 * MIB, queries = 250 };
	unsigned char *genome = malloc(bytes), word[8];
	cl_kernel find = kernel_of(w, genome_source, "find");
	cl_mem text = NULL, words = buffer_new(w, sizeof(word));
	cl_mem hits = buffer_new(w, sizeof(cl_uint));
	cl_uint count = 0;
	cl_int status;

	for (int i = 0; i < bytes; i++)
		genome[i] = (unsigned char)"ACGT"[i * 2654435761u >> 30];
	put_now(w->queue, hits, sizeof(count), &count);
	for (int i = 0; i < queries; i++) {
		if (!w->repaired || !i) {
			text = clCreateBuffer(w->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
					      bytes, genome, &status);
			must(status, "clCreateBuffer");
		}
		for (int j = 0; j < 8; j++)
			word[j] = (unsigned char)"ACGT"[(i >> j) & 3];
		put(w->queue, words, sizeof(word), word);
		args(find, "bbb", text, words, hits);
		run(w->queue, find, bytes / 64, 64);
		finish(w->queue);
		if (!w->repaired || i == queries - 1)
			DROP(text);
	}
	get(w->queue, hits, sizeof(count), &count);
	answer(count);
	DROP(words);
	DROP(hits);
	DROP(find);
	free(genome);
}

static const char bitonic_source[] =
	"kernel void bitonic(global float *x, int span, int size)\n"
	"{\n"
	"	size_t i = get_global_id(0), at = i / span * span * 2 + i % span;\n"
	"	float a = x[at], b = x[at + span];\n"
	"	bool up = !(at & size);\n"
	"	x[at] = up ? min(a, b) : max(a, b);\n"
	"	x[at + span] = up ? max(a, b) : min(a, b);\n"
	"}\n";

/* A bitonic sort of many short lists, with a new kernel object for each stage; repaired, with one
 * for all. */
void workload_bitonic_stages(struct app *w)
{
	enum { items = 512, lists = 1500 };
	float *list = new_field(items, 1), *sorted = new_field(items, 1);
	cl_program program = program_new(w, bitonic_source, "");
	cl_kernel bitonic = kernel_new(program, "bitonic");
	cl_mem memory = buffer_new(w, items * sizeof(float));
	double sum = 0;

	for (int i = 0; i < lists; i++) {
		list[i % items] = (float)i / lists;
		put_now(w->queue, memory, items * sizeof(float), list);
		for (int size = 2; size <= items; size *= 2)
			for (int span = size / 2; span; span /= 2) {
				cl_kernel stage =
					w->repaired ? bitonic : kernel_new(program, "bitonic");

				args(stage, "bii", memory, span, size);
				run(w->queue, stage, items / 2, 128);
				if (!w->repaired)
					DROP(stage);
			}
		get(w->queue, memory, items * sizeof(float), sorted);
		sum += sorted[items / 4];
	}
	answer(sum);
	DROP(bitonic);
	DROP(program);
	DROP(memory);
	free(list);
	free(sorted);
}

/* Keys are sorted in sessions, each of which has a queue and a kernel of its own, made for it and
 * released; repaired, all use the same. */
void workload_radix_sessions(struct app *w)
{
	enum { items = 2 * KIB, sessions = 24000 };
	float *keys = new_field(items, 1);
	cl_program program = program_new(w, bitonic_source, "");
	cl_kernel shared = kernel_new(program, "bitonic");
	cl_mem memory = buffer_new(w, items * sizeof(float));

	put_now(w->queue, memory, items * sizeof(float), keys);
	for (int i = 0; i < sessions; i++) {
		cl_command_queue queue = w->repaired ? w->queue : queue_new(w, 0);
		cl_kernel bitonic = w->repaired ? shared : kernel_new(program, "bitonic");

		args(bitonic, "bii", memory, 1 << i % 8, 2 << i % 8);
		run(queue, bitonic, items / 2, 128);
		get(queue, memory, 64 * sizeof(float), keys);
		if (w->repaired)
			continue;
		DROP(bitonic);
		DROP(queue);
	}
	answer(total(keys, 64));
	DROP(shared);
	DROP(program);
	DROP(memory);
	free(keys);
}

/* Telemetry: of each launch the event is kept for statistics that were never written; repaired, it
 * is released. */
void workload_telemetry_stream(struct app *w)
{
	enum { items = 8 * KIB, launches = 4000 };
	float *x = new_field(items, 1);
	cl_kernel rank = kernel_of(w, request_source, "rank");
	cl_mem memory = buffer_new(w, items * sizeof(float));

	put_now(w->queue, memory, items * sizeof(float), x);
	for (int i = 0; i < launches; i++) {
		cl_event done;

		args(rank, "bf", memory, 0.01);
		done = run_after(w->queue, rank, items, 64, 0, NULL);
		if (w->repaired)
			DROP(done);
		if (i % 200 == 199)
			finish(w->queue);
	}
	get(w->queue, memory, items * sizeof(float), x);
	answer(total(x, items));
	DROP(memory);
	DROP(rank);
	free(x);
}

/* A server of map tiles that forgets, when a tile has no border, to release its buffer and kernel;
 * repaired, it releases both of all. */
void workload_tile_server(struct app *w)
{
	enum { items = 16 * KIB, tiles = 300 };
	float *x = new_field(items, 1), *tile = new_field(items, 1);
	cl_program program = program_new(w, request_source, "");
	double sum = 0;

	for (int i = 0; i < tiles; i++) {
		cl_kernel rank = kernel_new(program, "rank");
		cl_mem memory = buffer_new(w, items * sizeof(float));

		x[i] += 0.75f;
		put(w->queue, memory, items * sizeof(float), x);
		args(rank, "bf", memory, 0.25);
		for (int j = 0; j < 10; j++)
			run(w->queue, rank, items, 64);
		get(w->queue, memory, items * sizeof(float), tile);
		sum += tile[i];
		if (!w->repaired && i % 4 == 1)
			continue;
		DROP(rank);
		DROP(memory);
	}
	answer(sum);
	DROP(program);
	free(x);
	free(tile);
}

/* Tiles of an image: the last column has a width that its group size does not divide, so that the
 * launch fails, and nobody looks. Repaired, it has groups that fit. */
void workload_odd_tiles(struct app *w)
{
	enum { items = 48 * 1024, last = 1000, frames = 1500 };
	float *x = new_field(items, 1);
	cl_kernel rank = kernel_of(w, request_source, "rank");
	cl_mem memory = buffer_new(w, items * sizeof(float));

	put_now(w->queue, memory, items * sizeof(float), x);
	for (int i = 0; i < frames; i++) {
		size_t most = last, local = w->repaired ? 8 : 512;

		args(rank, "bf", memory, 0.01);
		run(w->queue, rank, items, 64);
		(void)clEnqueueNDRangeKernel(w->queue, rank, 1, NULL, &most, &local, 0, NULL, NULL);
	}
	get(w->queue, memory, items * sizeof(float), x);
	answer(total(x, items));
	DROP(memory);
	DROP(rank);
	free(x);
}

/* Frames wait for a gate that the loader opens. For some it reports a failure, so that their
 * commands end with an error, which nobody looks at; repaired, the loader does not fail. */
void workload_relay_abort(struct app *w)
{
	enum { items = 16 * KIB, frames = 200 };
	float *x = new_field(items, 1);
	cl_kernel rank = kernel_of(w, request_source, "rank");
	cl_mem memory = buffer_new(w, items * sizeof(float));

	put_now(w->queue, memory, items * sizeof(float), x);
	args(rank, "bf", memory, 0.01);
	for (int i = 0; i < frames; i++) {
		cl_int status, fails = !w->repaired && i % 20 == 7 ? -5 : CL_COMPLETE;
		cl_event gate = clCreateUserEvent(w->context, &status), done;

		must(status, "clCreateUserEvent");
		done = run_after(w->queue, rank, items, 64, 1, &gate);
		flush(w->queue);
		x[i] += 1;
		TRY(clSetUserEventStatus(gate, fails));
		(void)clWaitForEvents(1, &done);
		DROP(gate);
		DROP(done);
		for (int j = 0; j < 4; j++)
			run(w->queue, rank, items, 64);
	}
	get(w->queue, memory, items * sizeof(float), x);
	answer(total(x, items));
	DROP(memory);
	DROP(rank);
	free(x);
}
