/* SPDX-License-Identifier: MIT */
/* Tables, tokens and trees. */
#include "tutorials.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A language model's front: for each sentence, its tokens' rows of the embedding table, which the
 * host has, are put together on the device and scored. */
static const char score_source[] =
	"kernel void score(global const float *rows, global float *scores, int width)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float sum = 0;\n"
	"	for (int k = 0; k < width; k++)\n"
	"		sum += rows[i * width + k] * (float)(k % 7);\n"
	"	scores[i] = 0.5f * scores[i] + sum;\n"
	"}\n";

void tutorial_token_rows(struct app *app)
{
	enum { SENTENCES = 250, TOKENS = 16, WORDS = 5000, WIDTH = 96 };
	cl_kernel score = kernel_of(app, score_source, "score");
	cl_mem rows = buffer_new(app, TOKENS * WIDTH * sizeof(float));
	cl_mem scores = loaded(app, TOKENS, 1);
	float *table = floats(WORDS * WIDTH, 2), *packed = memory(TOKENS * WIDTH * sizeof(float));
	float found[TOKENS];
	size_t bytes = WIDTH * sizeof(*table);
	unsigned word = 1;
	double sum = 0;

	args(score, "bbi", rows, scores, WIDTH);
	for (int s = 0; s < SENTENCES; s++) {
		for (size_t t = 0; t < TOKENS; t++) {
			const float *row;

			word = word * 69069u + 12345u;
			row = table + (size_t)(word >> 8) % WORDS * WIDTH;
			if (app->repaired)
				memcpy(packed + t * WIDTH, row, bytes);
			else
				TRY(clEnqueueWriteBuffer(app->queue, rows, CL_FALSE, t * bytes,
							 bytes, row, 0, NULL, NULL));
		}
		if (app->repaired)
			put(app->queue, rows, TOKENS * bytes, packed);
		run(app->queue, score, TOKENS, 4);
		get(app->queue, scores, sizeof(found), found);
		sum += total(found, TOKENS);
	}
	answer(sum);
	free(table);
	free(packed);
	DROP(rows);
	DROP(scores);
	DROP(score);
}

/* A column store: blocks of differences are decoded by the host, and the device looks which values
 * pass the filter. */
static const char pass_source[] =
	"kernel void pass(global const int *column, global int *passed, int rounds)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	uint key = (uint)column[i];\n"
	"	for (int r = 0; r < rounds; r++)\n"
	"		key = key * 1664525u + 1013904223u + (key >> 15);\n"
	"	passed[i] += key >> 31;\n"
	"}\n";

static void decode(int *values, const uint8_t *packed, size_t count, int start)
{
	int value = start;

	for (size_t i = 0; i < count; i++) {
		unsigned step = 0;
		int shift = 0;

		do {
			step |= (unsigned)(*packed & 127) << shift;
			shift += 7;
		} while (*packed++ & 128);
		value += (int)(step >> 1) ^ -(int)(step & 1);
		values[i] = value;
	}
}

void tutorial_column_decode(struct app *app)
{
	enum { BLOCKS = 120, ROWS = 256 * KIB, BYTES = ROWS * sizeof(int), ROUNDS = 10, SLOTS = 2 };
	cl_kernel pass = kernel_of(app, pass_source, "pass");
	cl_mem column = buffer_new(app, BYTES), passed = buffer_new(app, BYTES);
	uint8_t *packed = memory(2 * ROWS), *end = packed;
	int *values[SLOTS] = {memory(BYTES), memory(BYTES)}, *flags = memory(BYTES);
	cl_event ready[SLOTS] = {NULL, NULL};
	double sum = 0;

	for (size_t i = 0; i < ROWS; i++) { /* steps of one or two bytes */
		unsigned step = (unsigned)(i * 2654435761u >> 9) % (i % 3 ? 128 : 4096);

		if (step > 127)
			*end++ = (uint8_t)(step | 128);
		*end++ = (uint8_t)(step > 127 ? step >> 7 : step);
	}
	put(app->queue, passed, BYTES, flags);
	args(pass, "bbi", column, passed, ROUNDS);
	for (int b = 0; b < BLOCKS; b++) {
		cl_event *event = &ready[b % SLOTS];
		int *block = values[b % SLOTS];

		if (*event) /* this block's memory is free again */
			settle(*event);
		decode(block, packed, ROWS, b);
		put(app->queue, column, BYTES, block);
		*event = run_after(app->queue, pass, ROWS, 256, 0, NULL);
		flush(app->queue);
		if (!app->repaired) {
			settle(*event);
			*event = NULL;
		}
	}
	for (int s = 0; s < SLOTS; s++)
		if (ready[s])
			settle(ready[s]);
	get(app->queue, passed, BYTES, flags);
	for (size_t i = 0; i < ROWS; i++)
		sum += flags[i];
	answer(sum);
	for (int s = 0; s < SLOTS; s++)
		free(values[s]);
	free(packed);
	free(flags);
	DROP(column);
	DROP(passed);
	DROP(pass);
}

/* A database's reports: the clause of each is made a kernel and counts the rows that it is true
 * of. The same few clauses come again and again. */
static const char *const clauses[] = {"price > 40 && price < 60", "price * 2 > 150",
				      "price < 10 || price > 95"};
enum { CLAUSES = sizeof(clauses) / sizeof(*clauses) };

static cl_program compile(const struct app *app, const char *clause)
{
	char source[512];

	snprintf(source, sizeof(source),
		 "kernel void report(global const float *v, global float *hits)\n"
		 "{\n"
		 "	size_t i = get_global_id(0);\n"
		 "	float price = v[i] * 100;\n"
		 "	hits[i] += (%s) ? 1.0f : 0.0f;\n"
		 "}\n",
		 clause);
	return program_new(app, source, "");
}

void tutorial_where_clauses(struct app *app)
{
	enum { REPORTS = 18, ROWS = 512 * KIB };
	cl_mem prices = loaded(app, ROWS, 1), hits = loaded(app, ROWS, 2);
	cl_program known[CLAUSES] = {NULL};

	for (int r = 0; r < REPORTS; r++) {
		int clause = r * 5 % CLAUSES;
		cl_program program = known[clause];
		cl_kernel report;

		if (!program)
			program = compile(app, clauses[clause]);
		report = kernel_new(program, "report");
		args(report, "bb", prices, hits);
		for (int part = 0; part < 4; part++)
			run(app->queue, report, ROWS, 64);
		finish(app->queue);
		DROP(report);
		if (app->repaired)
			known[clause] = program;
		else
			DROP(program);
	}
	answer(sum_of(app, hits, ROWS));
	for (int c = 0; c < CLAUSES; c++)
		if (known[c])
			DROP(known[c]);
	DROP(prices);
	DROP(hits);
}

/* How likely a family tree of species is: the leaves are sequences, and each inner node is made of
 * its two children. */
static const char join_source[] =
	"kernel void join(global const float *left, global const float *right,\n"
	"		 global float *parent, int rounds)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float a = left[i], b = right[i];\n"
	"	for (int r = 0; r < rounds; r++) {\n"
	"		a = a * 0.9f + 0.05f * b;\n"
	"		b = b * 0.8f + 0.1f * a + 0.05f;\n"
	"	}\n"
	"	parent[i] = a + b;\n"
	"}\n";

void tutorial_gene_tree(struct app *app)
{
	enum { TREES = 120, LEAVES = 32, NODES = 2 * LEAVES, SITES = 256, ROUNDS = 160 };
	cl_kernel join = kernel_of(app, join_source, "join");
	cl_command_queue queue = queue_new(app, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_mem nodes[NODES];

	for (unsigned n = 0; n < NODES; n++)
		nodes[n] = loaded(app, SITES, n + 1);
	for (int tree = 0; tree < TREES; tree++) {
		cl_event made[NODES] = {NULL}, last = NULL;

		for (int n = LEAVES - 1; n > 0; n--) { /* children of n: 2n, 2n + 1 */
			cl_event waits[2];
			cl_uint count = 0;

			if (app->repaired && n < LEAVES / 2) {
				waits[count++] = made[2 * n];
				waits[count++] = made[2 * n + 1];
			} else if (!app->repaired && last) {
				waits[count++] = last;
			}
			args(join, "bbbi", nodes[2 * n], nodes[2 * n + 1], nodes[n],
			     ROUNDS + tree % 8);
			made[n] = run_after(queue, join, SITES, SITES, count, waits);
			last = made[n];
		}
		TRY(clWaitForEvents(1, &made[1]));
		for (int n = 1; n < LEAVES; n++)
			DROP(made[n]);
	}
	answer(sum_of(app, nodes[1], SITES));
	for (int n = 0; n < NODES; n++)
		DROP(nodes[n]);
	DROP(queue);
	DROP(join);
}
