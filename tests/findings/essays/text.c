/* SPDX-License-Identifier: MIT */
#include "essays.h"

#include <stdlib.h>

/* Documents are indexed. Each has a table of hashes made for it, and released with it. Repaired:
 * one table for all of them. */
enum { TABLE = 48 * MIB, DOCUMENT = 64 * KIB, DOCUMENTS = 24 };

static const char index_source[] =
	"kernel void clear_table(global int *table)\n"
	"{\n"
	"	table[get_global_id(0)] = 0;\n"
	"}\n"
	"kernel void hash_words(global const int *text, global int *table)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	table[(uint)text[i] * 2654435761u >> 12] = (int)i;\n"
	"}\n";

struct index {
	const struct app *app;
	cl_kernel clear, hash;
	cl_mem text, table;
};

static int document_index(struct index *index, const int *words)
{
	cl_command_queue queue = index->app->queue;
	cl_mem table = index->table ? index->table : buffer_new(index->app, TABLE);
	int place;

	put(queue, index->text, DOCUMENT * sizeof(int), words);
	args(index->clear, "b", table);
	run(queue, index->clear, TABLE / sizeof(int), 256);
	args(index->hash, "bb", index->text, table);
	run(queue, index->hash, DOCUMENT, 64);
	get(queue, table, sizeof(place), &place);
	if (index->app->repaired)
		index->table = table;
	else
		DROP(table);
	return place;
}

void essay_word_tables(struct app *app)
{
	cl_program program = program_new(app, index_source, "");
	struct index index = {app, kernel_new(program, "clear_table"),
			      kernel_new(program, "hash_words"),
			      buffer_new(app, DOCUMENT * sizeof(int)), NULL};
	int *words = memory(DOCUMENT * sizeof(*words));
	double sum = 0;

	for (int document = 0; document < DOCUMENTS; document++) {
		for (int i = 0; i < DOCUMENT; i++)
			words[i] = i * (document + 3) % 9973;
		sum += document_index(&index, words);
	}
	answer(sum);
	DROP(index.clear);
	DROP(index.hash);
	DROP(index.text);
	if (index.table)
		DROP(index.table);
	DROP(program);
	free(words);
}

/* A log is scanned for a pattern, by a launch for each of its lines. Repaired: by one launch for a
 * chunk of lines. */
enum { LINE = 64, CHUNK = 256, CHUNKS = 70 };

static const char scan_source[] =
	"kernel void scan_lines(global const char *log, global int *hits, int from)\n"
	"{\n"
	"	size_t i = get_global_id(0) + (size_t)from;\n"
	"	int state = 0;\n"
	"	for (int k = 0; k < 8; k++)\n"
	"		state = log[(i + k) % 16384] == 'a' + k ? state + 1 : 0;\n"
	"	hits[i] = state;\n"
	"}\n";

static void chunk_scan(const struct app *app, cl_kernel scan, cl_mem log, cl_mem hits)
{
	int lines = app->repaired ? CHUNK : 1;

	for (int line = 0; line < CHUNK; line += lines) {
		args(scan, "bbi", log, hits, line * LINE);
		run(app->queue, scan, (size_t)lines * LINE, LINE);
	}
}

void essay_log_lines(struct app *app)
{
	cl_kernel scan = kernel_of(app, scan_source, "scan_lines");
	cl_mem log = buffer_new(app, CHUNK * LINE);
	cl_mem hits = filled(app, CHUNK * LINE * sizeof(int), 1);
	char *text = memory(CHUNK * LINE);
	int *found = memory(CHUNK * LINE * sizeof(*found));
	double sum = 0;

	for (int chunk = 0; chunk < CHUNKS; chunk++) {
		for (int i = 0; i < CHUNK * LINE; i++)
			text[i] = (char)('a' + (i + chunk) % 11);
		put(app->queue, log, CHUNK * LINE, text);
		chunk_scan(app, scan, log, hits);
		get(app->queue, hits, CHUNK * LINE * sizeof(int), found);
		sum += found[chunk];
	}
	answer(sum);
	DROP(scan);
	DROP(log);
	DROP(hits);
	free(text);
	free(found);
}
