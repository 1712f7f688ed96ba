/* SPDX-License-Identifier: MIT */
/* Chess, digests of files, roads, and rates of reactions. */
#include "audits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Leaves of a search are judged in batches: planes of features for each position, then a score. */
enum { SEARCHES = 14, LEAVES = 16 * KIB, FEATURES = 640, BOARD = 64, NEW = 4 * KIB };

static const char chess_source[] =
	"kernel void expand(global float *planes, global const uchar *boards)\n"
	"{\n"
	"	int i = get_global_id(0), leaf = i / 64, square = i % 64;\n"
	"	int piece = boards[i] & 15;\n"
	"	global float *plane = planes + leaf * 640 + square;\n"
	"	for (int k = 0; k < 10; k++)\n"
	"		plane[k * 64] = k == piece ? 1.0f : 0.125f * (float)(piece & k);\n"
	"}\n"
	"kernel void judge(global float *scores, global const float *planes,\n"
	"		  global const float *weights)\n"
	"{\n"
	"	int leaf = get_global_id(0);\n"
	"	float16 sum = 0;\n"
	"	for (int k = 0; k < 40; k++)\n"
	"		sum += vload16(leaf * 40 + k, planes) * vload16(k, weights);\n"
	"	float8 a = sum.lo + sum.hi;\n"
	"	float4 b = a.lo + a.hi;\n"
	"	scores[leaf] = b.x + b.y + b.z + b.w;\n"
	"}\n";

struct judge {
	cl_kernel expand, judge;
	cl_mem weights, boards, planes, scores;
};

static void judge_room(struct app *app, struct judge *judge, size_t leaves)
{
	judge->boards = buffer_new(app, leaves * BOARD);
	judge->planes = buffer_new(app, leaves * FEATURES * sizeof(float));
	judge->scores = buffer_new(app, leaves * sizeof(float));
	args(judge->expand, "bb", judge->planes, judge->boards);
	args(judge->judge, "bbb", judge->scores, judge->planes, judge->weights);
}

static void judge_clear(struct judge *judge)
{
	DROP(judge->boards);
	DROP(judge->planes);
	DROP(judge->scores);
}

void audit_line_search(struct app *app)
{
	cl_program program = program_new(app, chess_source, "");
	struct judge judge = {.expand = kernel_new(program, "expand"),
			      .judge = kernel_new(program, "judge"),
			      .weights = loaded(app, FEATURES, 64)};
	size_t known = LEAVES * BOARD + SEARCHES * NEW;
	unsigned char *boards = memory(known);
	float *scores = memory(LEAVES * sizeof(float));
	double best = 0;

	for (unsigned i = 0; i < known; i++)
		boards[i] = (unsigned char)(i * 2654435761u >> 24);
	if (app->repaired)
		judge_room(app, &judge, LEAVES);
	for (size_t search = 0; search < SEARCHES; search++) {
		size_t leaves = LEAVES - search % 5 * 256;

		if (!app->repaired)
			judge_room(app, &judge, leaves);
		put(app->queue, judge.boards, leaves * BOARD, boards + search * NEW);
		run(app->queue, judge.expand, leaves * BOARD, 64);
		run(app->queue, judge.judge, leaves, 64);
		get(app->queue, judge.scores, leaves * sizeof(float), scores);
		if (!app->repaired)
			judge_clear(&judge);
		best += total(scores, leaves);
	}
	if (app->repaired)
		judge_clear(&judge);
	answer(best);
	DROP(judge.expand);
	DROP(judge.judge);
	DROP(judge.weights);
	DROP(program);
	free(boards);
	free(scores);
}

/* Chunks of many files get a digest, 160 at a time, and marks where they may be cut later. */
enum { LOADS = 30, CHUNKS = 160, CHUNK_MOST = 8 * KIB, DIGEST_LANES = 16 };

static const char digest_source[] =
	"kernel void mark(global uchar *marks, global const uchar *data)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	marks[i] = ((data[i] * 31 ^ data[i ^ 1] * 17) & 63) == 0;\n"
	"}\n"
	"kernel void digest(global uint *out, global const uchar *data,\n"
	"		   global const uchar *marks, global const uint *starts)\n"
	"{\n"
	"	int i = get_global_id(0), chunk = i / 16, lane = i % 16;\n"
	"	uint hash = 2166136261u + lane;\n"
	"	for (uint at = starts[chunk] + lane; at < starts[chunk + 1]; at += 16)\n"
	"		hash = (hash ^ data[at] ^ marks[at]) * 16777619u;\n"
	"	out[i] = hash;\n"
	"}\n";

struct load {
	const unsigned char *chunks[CHUNKS];
	cl_uint starts[CHUNKS + 1];
};

/* Where the chunks begin hangs on what is in the files. */
static void load_cut(struct load *load, const unsigned char *files, size_t bytes, unsigned number)
{
	for (unsigned i = 0; i < CHUNKS; i++) {
		unsigned seed = (number * CHUNKS + i) * 2654435761u;

		load->chunks[i] = files + seed % (bytes - CHUNK_MOST);
		load->starts[i + 1] = load->starts[i] + 4 * KIB + (seed >> 20);
	}
}

static void load_send(struct app *app, const struct load *load, cl_mem data, unsigned char *packed)
{
	for (int i = 0; i < CHUNKS; i++) {
		size_t start = load->starts[i], bytes = load->starts[i + 1] - start;

		if (app->repaired)
			memcpy(packed + start, load->chunks[i], bytes);
		else
			TRY(clEnqueueWriteBuffer(app->queue, data, CL_FALSE, start, bytes,
						 load->chunks[i], 0, NULL, NULL));
	}
	if (app->repaired)
		put(app->queue, data, load->starts[CHUNKS], packed);
}

void audit_chunk_digests(struct app *app)
{
	static struct load load;
	cl_program program = program_new(app, digest_source, "");
	cl_kernel digest = kernel_new(program, "digest"), mark = kernel_new(program, "mark");
	size_t bytes = 4 * MIB;
	unsigned char *files = memory(bytes), *packed = memory(CHUNKS * CHUNK_MOST);
	cl_mem data = zeroed(app, CHUNKS * CHUNK_MOST);
	cl_mem marks = buffer_new(app, CHUNKS * CHUNK_MOST);
	cl_mem starts = buffer_new(app, sizeof(load.starts));
	cl_mem out = buffer_new(app, CHUNKS * DIGEST_LANES * sizeof(cl_uint));
	cl_uint *digests = memory(CHUNKS * DIGEST_LANES * sizeof(cl_uint)), all = 0;

	for (unsigned i = 0; i < bytes; i++)
		files[i] = (unsigned char)((i ^ i >> 7) * 2654435761u >> 23);
	args(mark, "bb", marks, data);
	args(digest, "bbbb", out, data, marks, starts);
	for (unsigned number = 0; number < LOADS; number++) {
		load_cut(&load, files, bytes, number);
		put(app->queue, starts, sizeof(load.starts), load.starts);
		load_send(app, &load, data, packed);
		run(app->queue, mark, CHUNKS * CHUNK_MOST, 128);
		run(app->queue, digest, CHUNKS * DIGEST_LANES, 64);
		get(app->queue, out, CHUNKS * DIGEST_LANES * sizeof(cl_uint), digests);
		for (int i = 0; i < CHUNKS * DIGEST_LANES; i++)
			all = all * 31 + digests[i];
	}
	answer(all % 1000003);
	DROP(digest);
	DROP(mark);
	DROP(program);
	DROP(data);
	DROP(marks);
	DROP(starts);
	DROP(out);
	free(files);
	free(packed);
	free(digests);
}

/* How far one comes from a place in some minutes: a few rounds over the map's roads. */
enum { QUERIES = 80, NODES = 64 * KIB, WAYS = 6, ROUNDS = 2 };
#define ROADS_BYTES (NODES * WAYS * sizeof(float))

static const char road_source[] =
	"kernel void depart(global float *time, int from)\n"
	"{\n"
	"	int i = get_global_id(0), far = abs(i - from);\n"
	"	time[i] = far < 64 ? 0.125f * far : 1000.0f;\n"
	"}\n"
	"kernel void drive(global float *next, global const float *time,\n"
	"		  global const int *ends, global const float *minutes)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float least = time[i];\n"
	"	for (int k = 0; k < 6; k++)\n"
	"		least = fmin(least, time[ends[i * 6 + k]] + minutes[i * 6 + k]);\n"
	"	next[i] = least;\n"
	"}\n";

struct roads {
	int *ends;
	float *minutes;
	cl_mem device_ends, device_minutes;
};

static void roads_send(struct app *app, const struct roads *roads)
{
	put(app->queue, roads->device_ends, ROADS_BYTES, roads->ends);
	put(app->queue, roads->device_minutes, ROADS_BYTES, roads->minutes);
}

void audit_road_queries(struct app *app)
{
	cl_program program = program_new(app, road_source, "");
	cl_kernel depart = kernel_new(program, "depart"), drive = kernel_new(program, "drive");
	struct roads roads = {memory(ROADS_BYTES), floats(NODES * WAYS, 50),
			      buffer_new(app, ROADS_BYTES), buffer_new(app, ROADS_BYTES)};
	float *reached = memory(NODES * sizeof(float));
	double sum = 0;
	cl_mem times[2];

	for (int i = 0; i < NODES * WAYS; i++)
		roads.ends[i] =
			(i / WAYS + (int)((unsigned)i * 2654435761u >> 22) - 512) & (NODES - 1);
	for (int i = 0; i < 2; i++)
		times[i] = buffer_new(app, NODES * sizeof(float));
	if (app->repaired)
		roads_send(app, &roads);
	for (int query = 0; query < QUERIES; query++) {
		if (!app->repaired)
			roads_send(app, &roads);
		args(depart, "bi", times[0], query * 1499);
		run(app->queue, depart, NODES, 64);
		for (int i = 0; i < ROUNDS; i++) {
			args(drive, "bbbb", times[(i + 1) % 2], times[i % 2], roads.device_ends,
			     roads.device_minutes);
			run(app->queue, drive, NODES, 64);
		}
		get(app->queue, times[ROUNDS % 2], NODES * sizeof(float), reached);
		for (int i = 0; i < NODES; i++)
			sum += reached[i] < 10 ? (double)reached[i] : 0;
	}
	answer(sum);
	for (int i = 0; i < 2; i++)
		DROP(times[i]);
	DROP(roads.device_ends);
	DROP(roads.device_minutes);
	DROP(depart);
	DROP(drive);
	DROP(program);
	free(roads.ends);
	free(roads.minutes);
	free(reached);
}

/* Reactors of one mechanism at other temperatures each. */
enum { REACTORS = 8, SPECIES = 64 * KIB, REACTOR_STEPS = 12 };

static const char rate_source[] =
	"float rate(float heat, float energy)\n"
	"{\n"
	"	return native_exp(-energy / heat) * native_sqrt(heat);\n"
	"}\n"
	"kernel void react(global float *shares, global const float *energies, float heat)\n"
	"{\n"
	"	int i = get_global_id(0), partner = i ^ 1;\n"
	"	float forth = 0, back = 0;\n"
	"	for (int k = 0; k < 6; k++) {\n"
	"		forth += rate(heat + k, 1.0f + energies[i]);\n"
	"		back += rate(heat + k, 1.0f + energies[partner]);\n"
	"	}\n"
	"	shares[i] = clamp(shares[i] + 0.001f * (back - forth), 0.0f, 1.0f);\n"
	"}\n";

static double reactor_run(struct app *app, cl_kernel react, cl_mem energies, int number)
{
	cl_mem shares = loaded(app, SPECIES, 40 + (unsigned)number);
	float *last = memory(SPECIES * sizeof(float));
	double sum;

	args(react, "bbf", shares, energies, 1.0 + 0.125 * number);
	for (int step = 0; step < REACTOR_STEPS; step++)
		run(app->queue, react, SPECIES, 64);
	get(app->queue, shares, SPECIES * sizeof(float), last);
	sum = total(last, SPECIES);
	DROP(shares);
	free(last);
	return sum;
}

void audit_rate_tables(struct app *app)
{
	cl_mem energies = loaded(app, SPECIES, 41);
	cl_kernel react = NULL;
	double sum = 0;

	for (int number = 0; number < REACTORS; number++) {
		if (!react)
			react = kernel_of(app, rate_source, "react");
		sum += reactor_run(app, react, energies, number);
		if (!app->repaired || number == REACTORS - 1) {
			DROP(react);
			react = NULL;
		}
	}
	answer(sum);
	DROP(energies);
}
