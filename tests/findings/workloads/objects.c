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
void workload_request_server(struct workload *w)
{
	enum { items = 16 * KIB, requests = 20, launches = 60 };
	float *x = new_field(items, 15), *ranked = new_field(items, 1);
	cl_mem memory = new_buffer(w, items * sizeof(float));
	cl_kernel rank = NULL;

	for (int i = 0; i < requests; i++) {
		if (!w->repaired || !i)
			rank = compile(w, request_source, "rank");
		x[i] += 0.5f;
		upload_now(w->queue, memory, items * sizeof(float), x);
		for (int j = 0; j < launches; j++) {
			give(rank, "bf", memory, 0.01 * (j % 10));
			launch(w->queue, rank, items, 64);
		}
		download(w->queue, memory, items * sizeof(float), ranked);
		if (!w->repaired || i == requests - 1)
			drop_kernel(rank);
	}
	report(sum_of(ranked, items));
	drop_buffer(memory);
	free(x);
	free(ranked);
}

/* Formulas are turned into kernels with their coefficients as constants, new ones each time;
 * repaired, these are arguments of one kernel. */
void workload_formula_jit(struct workload *w)
{
	enum { items = 16 * KIB, formulas = 8, launches = 60 };
	static const char source[] = "kernel void formula(global float *x, float a, float b)\n"
				     "{\n"
				     "	size_t i = get_global_id(0);\n"
				     "	x[i] = x[i] * a + b;\n"
				     "}\n";
	float *x = new_field(items, 15);
	cl_mem memory = new_buffer(w, items * sizeof(float));
	cl_kernel formula = w->repaired ? compile(w, source, "formula") : NULL;
	unsigned run = (unsigned)time(NULL) * 31u + (unsigned)getpid();

	upload_now(w->queue, memory, items * sizeof(float), x);
	for (int i = 0; i < formulas; i++) {
		double a = 0.5 + (run % 1000) * 1e-7 + i * 1e-3, b = 0.25 + (run % 997) * 1e-7;
		char text[256];

		snprintf(text, sizeof(text),
			 "kernel void formula(global float *x)\n"
			 "{\n"
			 "	size_t i = get_global_id(0);\n"
			 "	x[i] = x[i] * %.9ff + %.9ff;\n"
			 "}\n",
			 a, b);
		if (w->repaired) {
			give(formula, "bff", memory, a, b);
		} else {
			formula = compile(w, text, "formula");
			give(formula, "b", memory);
		}
		for (int j = 0; j < launches; j++)
			launch(w->queue, formula, items, 64);
		finish(w->queue);
		if (!w->repaired)
			drop_kernel(formula);
	}
	download(w->queue, memory, items * sizeof(float), x);
	report((double)(int)(sum_of(x, items) / items * 100));
	if (w->repaired)
		drop_kernel(formula);
	drop_buffer(memory);
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
void workload_cg_scratch(struct workload *w)
{
	enum { items = 9 * MIB, bytes = items * sizeof(float), steps = 12 };
	float *x = new_field(items, 8);
	cl_program program = build(w, cg_source, "");
	cl_kernel apply = kernel_in(program, "apply"), axpy = kernel_in(program, "axpy");
	cl_mem p = new_buffer(w, bytes), q = NULL, r = NULL;

	upload_now(w->queue, p, bytes, x);
	for (int i = 0; i < steps; i++) {
		if (!w->repaired || !i) {
			q = new_buffer(w, bytes);
			r = new_buffer(w, bytes);
		}
		give(apply, "bb", p, q);
		launch(w->queue, apply, items, 64);
		give(apply, "bb", q, r);
		launch(w->queue, apply, items, 64);
		give(axpy, "bbf", p, r, -0.01);
		launch(w->queue, axpy, items, 64);
		finish(w->queue);
		if (!w->repaired || i == steps - 1) {
			drop_buffer(q);
			drop_buffer(r);
		}
	}
	download(w->queue, p, bytes, x);
	report(sum_of(x, items));
	drop_buffer(p);
	drop_kernel(apply);
	drop_kernel(axpy);
	drop_program(program);
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
void workload_genome_queries(struct workload *w)
{
	enum { bytes = 8 * MIB, queries = 250 };
	unsigned char *genome = malloc(bytes), word[8];
	cl_kernel find = compile(w, genome_source, "find");
	cl_mem text = NULL, words = new_buffer(w, sizeof(word));
	cl_mem hits = new_buffer(w, sizeof(cl_uint));
	cl_uint count = 0;
	cl_int status;

	for (int i = 0; i < bytes; i++)
		genome[i] = (unsigned char)"ACGT"[i * 2654435761u >> 30];
	upload_now(w->queue, hits, sizeof(count), &count);
	for (int i = 0; i < queries; i++) {
		if (!w->repaired || !i) {
			text = clCreateBuffer(w->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
					      bytes, genome, &status);
			check(status, "clCreateBuffer");
		}
		for (int j = 0; j < 8; j++)
			word[j] = (unsigned char)"ACGT"[(i >> j) & 3];
		upload(w->queue, words, sizeof(word), word);
		give(find, "bbb", text, words, hits);
		launch(w->queue, find, bytes / 64, 64);
		finish(w->queue);
		if (!w->repaired || i == queries - 1)
			drop_buffer(text);
	}
	download(w->queue, hits, sizeof(count), &count);
	report(count);
	drop_buffer(words);
	drop_buffer(hits);
	drop_kernel(find);
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
void workload_bitonic_stages(struct workload *w)
{
	enum { items = 512, lists = 1500 };
	float *list = new_field(items, 1), *sorted = new_field(items, 1);
	cl_program program = build(w, bitonic_source, "");
	cl_kernel bitonic = kernel_in(program, "bitonic");
	cl_mem memory = new_buffer(w, items * sizeof(float));
	double sum = 0;

	for (int i = 0; i < lists; i++) {
		list[i % items] = (float)i / lists;
		upload_now(w->queue, memory, items * sizeof(float), list);
		for (int size = 2; size <= items; size *= 2)
			for (int span = size / 2; span; span /= 2) {
				cl_kernel stage =
					w->repaired ? bitonic : kernel_in(program, "bitonic");

				give(stage, "bii", memory, span, size);
				launch(w->queue, stage, items / 2, 128);
				if (!w->repaired)
					drop_kernel(stage);
			}
		download(w->queue, memory, items * sizeof(float), sorted);
		sum += sorted[items / 4];
	}
	report(sum);
	drop_kernel(bitonic);
	drop_program(program);
	drop_buffer(memory);
	free(list);
	free(sorted);
}

/* Keys are sorted in sessions, each of which has a queue and a kernel of its own, made for it and
 * released; repaired, all use the same. */
void workload_radix_sessions(struct workload *w)
{
	enum { items = 2 * KIB, sessions = 24000 };
	float *keys = new_field(items, 1);
	cl_program program = build(w, bitonic_source, "");
	cl_kernel shared = kernel_in(program, "bitonic");
	cl_mem memory = new_buffer(w, items * sizeof(float));

	upload_now(w->queue, memory, items * sizeof(float), keys);
	for (int i = 0; i < sessions; i++) {
		cl_command_queue queue = w->repaired ? w->queue : new_queue(w, 0);
		cl_kernel bitonic = w->repaired ? shared : kernel_in(program, "bitonic");

		give(bitonic, "bii", memory, 1 << i % 8, 2 << i % 8);
		launch(queue, bitonic, items / 2, 128);
		download(queue, memory, 64 * sizeof(float), keys);
		if (w->repaired)
			continue;
		drop_kernel(bitonic);
		drop_queue(queue);
	}
	report(sum_of(keys, 64));
	drop_kernel(shared);
	drop_program(program);
	drop_buffer(memory);
	free(keys);
}

/* Telemetry: of each launch the event is kept for statistics that were never written; repaired, it
 * is released. */
void workload_telemetry_stream(struct workload *w)
{
	enum { items = 8 * KIB, launches = 4000 };
	float *x = new_field(items, 1);
	cl_kernel rank = compile(w, request_source, "rank");
	cl_mem memory = new_buffer(w, items * sizeof(float));

	upload_now(w->queue, memory, items * sizeof(float), x);
	for (int i = 0; i < launches; i++) {
		cl_event done;

		give(rank, "bf", memory, 0.01);
		launch_after(w->queue, rank, items, 64, 0, NULL, &done);
		if (w->repaired)
			drop_event(done);
		if (i % 200 == 199)
			finish(w->queue);
	}
	download(w->queue, memory, items * sizeof(float), x);
	report(sum_of(x, items));
	drop_buffer(memory);
	drop_kernel(rank);
	free(x);
}

/* A server of map tiles that forgets, when a tile has no border, to release its buffer and kernel;
 * repaired, it releases both of all. */
void workload_tile_server(struct workload *w)
{
	enum { items = 16 * KIB, tiles = 300 };
	float *x = new_field(items, 1), *tile = new_field(items, 1);
	cl_program program = build(w, request_source, "");
	double sum = 0;

	for (int i = 0; i < tiles; i++) {
		cl_kernel rank = kernel_in(program, "rank");
		cl_mem memory = new_buffer(w, items * sizeof(float));

		x[i] += 0.75f;
		upload(w->queue, memory, items * sizeof(float), x);
		give(rank, "bf", memory, 0.25);
		for (int j = 0; j < 10; j++)
			launch(w->queue, rank, items, 64);
		download(w->queue, memory, items * sizeof(float), tile);
		sum += tile[i];
		if (!w->repaired && i % 4 == 1)
			continue;
		drop_kernel(rank);
		drop_buffer(memory);
	}
	report(sum);
	drop_program(program);
	free(x);
	free(tile);
}

/* Tiles of an image: the last column has a width that its group size does not divide, so that the
 * launch fails, and nobody looks. Repaired, it has groups that fit. */
void workload_odd_tiles(struct workload *w)
{
	enum { items = 48 * 1024, last = 1000, frames = 1500 };
	float *x = new_field(items, 1);
	cl_kernel rank = compile(w, request_source, "rank");
	cl_mem memory = new_buffer(w, items * sizeof(float));

	upload_now(w->queue, memory, items * sizeof(float), x);
	for (int i = 0; i < frames; i++) {
		size_t most = last, local = w->repaired ? 8 : 512;

		give(rank, "bf", memory, 0.01);
		launch(w->queue, rank, items, 64);
		(void)clEnqueueNDRangeKernel(w->queue, rank, 1, NULL, &most, &local, 0, NULL, NULL);
	}
	download(w->queue, memory, items * sizeof(float), x);
	report(sum_of(x, items));
	drop_buffer(memory);
	drop_kernel(rank);
	free(x);
}

/* Frames wait for a gate that the loader opens. For some it reports a failure, so that their
 * commands end with an error, which nobody looks at; repaired, the loader does not fail. */
void workload_relay_abort(struct workload *w)
{
	enum { items = 16 * KIB, frames = 200 };
	float *x = new_field(items, 1);
	cl_kernel rank = compile(w, request_source, "rank");
	cl_mem memory = new_buffer(w, items * sizeof(float));

	upload_now(w->queue, memory, items * sizeof(float), x);
	give(rank, "bf", memory, 0.01);
	for (int i = 0; i < frames; i++) {
		cl_int status, fails = !w->repaired && i % 20 == 7 ? -5 : CL_COMPLETE;
		cl_event gate = clCreateUserEvent(w->context, &status), done;

		check(status, "clCreateUserEvent");
		launch_after(w->queue, rank, items, 64, 1, &gate, &done);
		flush(w->queue);
		x[i] += 1;
		check(clSetUserEventStatus(gate, fails), "clSetUserEventStatus");
		(void)clWaitForEvents(1, &done);
		drop_event(gate);
		drop_event(done);
		for (int j = 0; j < 4; j++)
			launch(w->queue, rank, items, 64);
	}
	download(w->queue, memory, items * sizeof(float), x);
	report(sum_of(x, items));
	drop_buffer(memory);
	drop_kernel(rank);
	free(x);
}
