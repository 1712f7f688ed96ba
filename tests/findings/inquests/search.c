/* SPDX-License-Identifier: MIT */
/* Text: lines of logs are searched, and texts are packed. */
#include "inquests.h"

#include <stdlib.h>
#include <string.h>

/* Entries of a service's log, each with its stack of calls, are compared with what is known. */
enum { ENTRIES = 24, ENTRY = 1024, KNOWN = 1024, PAGES = 180 };

static const char entry_source[] =
	"kernel void compare(global const uchar *entries, global float *scores, int letters)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	global const uchar *entry = entries + i / 1024 * 1024;\n"
	"	uint sum = (uint)i;\n"
	"	for (int c = 0; c < letters; c++)\n"
	"		sum = sum * 31 + entry[(i * 7 + c * 16) & 1023];\n"
	"	scores[i] = (float)(sum & 1023u);\n"
	"}\n";

/* Addresses and numbers are no part of what is compared. Returns where the next entry begins. */
static size_t entry_take(unsigned char *entry, const unsigned char *log, size_t from)
{
	size_t length = 600 + (log[from] * 7u + log[from + 1]) % 400, kept = 0;
	unsigned hash = 0;

	memset(entry, 0, ENTRY);
	for (size_t i = 0; i < length; i++) {
		hash = hash * 31 + log[from + i];
		if (hash % 13 != 0 && log[from + i] != 'k')
			entry[kept++] = log[from + i];
	}
	return from + length;
}

void inquest_log_lines(struct app *app)
{
	const size_t bytes = (size_t)ENTRIES * KNOWN * sizeof(float);
	cl_kernel kernel = kernel_of(app, entry_source, "compare");
	cl_mem entries = buffer_new(app, ENTRIES * ENTRY), scores = buffer_new(app, bytes);
	unsigned char *log = text_new((size_t)ENTRIES * ENTRY * 2, 11);
	unsigned char *page = memory((size_t)ENTRIES * ENTRY);
	float *found = memory(bytes);
	double sum = 0;

	args(kernel, "bbi", entries, scores, 4);
	for (size_t p = 0; p < PAGES; p++) {
		size_t from = p * 61;

		for (size_t e = 0; e < ENTRIES; e++) {
			unsigned char *entry = page + e * ENTRY;

			from = entry_take(entry, log, from);
			if (!app->repaired)
				TRY(clEnqueueWriteBuffer(app->queue, entries, CL_FALSE, e * ENTRY,
							 ENTRY, entry, 0, NULL, NULL));
		}
		if (app->repaired)
			put(app->queue, entries, (size_t)ENTRIES * ENTRY, page);
		run(app->queue, kernel, (size_t)ENTRIES * KNOWN, 64);
		get(app->queue, scores, bytes, found);
		sum += total(found, ENTRIES * KNOWN);
	}
	answer(sum);
	free(log);
	free(page);
	free(found);
	DROP(entries), DROP(scores), DROP(kernel);
}

/* How often does each word stand in the log? */
enum { LOG = 512 * KIB, WORDS = 120 };

static const char word_source[] =
	"uint is_here(global const uchar *log, size_t at, uint word)\n"
	"{\n"
	"	uint same = 1;\n"
	"	for (int c = 0; c < 3; c++)\n"
	"		same &= log[at + c] == (uchar)('a' + ((word >> (c * 4)) & 15u));\n"
	"	return same;\n"
	"}\n"
	"kernel void mark_words(global const uchar *log, global uint *marks, uint word)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	marks[i] = is_here(log, i, word);\n"
	"}\n"
	"kernel void count_words(global const uchar *log, global uint *counts, uint word)\n"
	"{\n"
	"	if (is_here(log, get_global_id(0), word))\n"
	"		atomic_inc(counts);\n"
	"}\n";

static double numbers_sum(const cl_uint *numbers, size_t count)
{
	cl_uint sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += numbers[i];
	return sum;
}

void inquest_hit_counts(struct app *app)
{
	cl_program program = program_new(app, word_source, "");
	cl_kernel mark = kernel_new(program, "mark_words");
	cl_kernel count = kernel_new(program, "count_words");
	size_t answers = app->repaired ? 1 : LOG;
	cl_mem log = buffer_new(app, LOG + 16);
	cl_mem hits = buffer_new(app, answers * sizeof(cl_uint));
	unsigned char *text = text_new(LOG + 16, 13);
	cl_uint *read = memory(answers * sizeof(*read)), none = 0;
	double sum = 0;

	put(app->queue, log, LOG + 16, text);
	args(mark, "bbi", log, hits, 0);
	args(count, "bbi", log, hits, 0);
	for (int w = 0; w < WORDS; w++) {
		cl_kernel kernel = app->repaired ? count : mark;
		cl_uint n = (cl_uint)w, word = n % 12 | n / 12 % 12 << 4 | n * 5 % 12 << 8;

		TRY(clSetKernelArg(kernel, 2, sizeof(word), &word));
		if (app->repaired)
			put(app->queue, hits, sizeof(none), &none);
		run(app->queue, kernel, LOG, 256);
		get(app->queue, hits, answers * sizeof(*read), read);
		sum += numbers_sum(read, answers) * (w + 1);
	}
	answer(sum);
	free(text);
	free(read);
	DROP(log), DROP(hits);
	DROP(mark), DROP(count), DROP(program);
}

/* A packer's second pass: letters become codes of some bits, eight letters to an item. The table
 * of codes is near at hand for each group. */
enum { BLOCK = 512 * KIB, BLOCKS = 120, CODES = 256 };

static const char code_source[] =
	"kernel void encode(global const uchar *text, global const uint *table, global uint *codes,\n"
	"		    local uint *near)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	uint bits = 0;\n"
	"	for (size_t c = get_local_id(0); c < 256; c += get_local_size(0))\n"
	"		near[c] = table[c];\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	for (int c = 0; c < 8; c++)\n"
	"		bits = (bits << 3) ^ near[text[i * 8 + c]];\n"
	"	codes[i] = bits;\n"
	"}\n";

void inquest_code_pack(struct app *app)
{
	const size_t items = BLOCK / 8;
	cl_kernel kernel = kernel_of(app, code_source, "encode");
	cl_mem text = buffer_new(app, BLOCK), table = filled(app, CODES, 16);
	cl_mem codes = buffer_new(app, items * sizeof(cl_uint));
	unsigned char *file = text_new((size_t)BLOCK * 2, 17);
	cl_uint *packed = memory(items * sizeof(*packed));
	size_t local = app->repaired ? 64 : 4;
	double sum = 0;

	args(kernel, "bbbl", text, table, codes, CODES * sizeof(cl_uint));
	for (size_t b = 0; b < BLOCKS; b++) {
		put(app->queue, text, BLOCK, file + b * KIB);
		run(app->queue, kernel, items, local);
		get(app->queue, codes, items * sizeof(*packed), packed);
		sum += numbers_sum(packed, items);
	}
	answer(sum);
	free(file);
	free(packed);
	DROP(text), DROP(table), DROP(codes), DROP(kernel);
}
