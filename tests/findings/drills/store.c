/* SPDX-License-Identifier: MIT */
/* Stores, indexes, graphs and texts. */
#include "drills.h"

#include <stdlib.h>
#include <string.h>

/* A key-value store in shards on the device. A shard commits when it has enough that is not
 * committed; how much that is comes from the store's settings, and the default is strict. */

struct store_settings {
	int sync_every;
};

struct shard {
	const struct store_settings *settings;
	cl_command_queue queue;
	cl_kernel apply;
	int uncommitted;
};

static void shard_commit(struct shard *shard)
{
	finish(shard->queue);
	shard->uncommitted = 0;
}

static void shard_apply(struct shard *shard)
{
	run(shard->queue, shard->apply, 8 * KIB, 64);
	if (++shard->uncommitted >= shard->settings->sync_every)
		shard_commit(shard);
}

void drill_kv_commits(struct app *app)
{
	enum { SHARDS = 4, OPERATIONS = 1600 };
	const struct store_settings settings = {.sync_every = app->repaired ? 50 : 1};
	struct shard shards[SHARDS];
	cl_mem slots[SHARDS];
	cl_program program = program_new(app, SWEEP("apply_puts"), "");
	float last;

	for (int i = 0; i < SHARDS; i++) {
		slots[i] = filled(app, 32 * KIB, 3 + (unsigned)i);
		shards[i] = (struct shard){&settings, queue_new(app, 0),
					   kernel_new(program, "apply_puts"), 0};
		args(shards[i].apply, "bi", slots[i], 4);
	}
	for (int i = 0; i < OPERATIONS; i++)
		shard_apply(&shards[i * 7 % SHARDS]);
	for (int i = 0; i < SHARDS; i++) {
		shard_commit(&shards[i]);
		DROP(shards[i].queue);
		DROP(shards[i].apply);
	}
	get(app->queue, slots[1], sizeof(last), &last);
	answer((double)last);
	for (int i = 0; i < SHARDS; i++)
		DROP(slots[i]);
	DROP(program);
}

/* Breadth-first search, level by level. A level's frontier is a list of blocks of vertices, and
 * the visitor launches what each block has to do. */

static const char *const bfs_source =
	"kernel void expand(global const int *first, global const int *edges, global int *depth,\n"
	"		   int base, int level)\n"
	"{\n"
	"	int v = base + get_global_id(0);\n"
	"	if (depth[v] != level)\n"
	"		return;\n"
	"	for (int e = first[v]; e < first[v + 1]; e++)\n"
	"		if (depth[edges[e]] < 0)\n"
	"			depth[edges[e]] = level + 1;\n"
	"}\n";

enum { VERTICES = 16384, DEGREE = 4, BLOCK = 256 };

struct graph {
	cl_command_queue queue;
	cl_kernel expand;
	cl_mem first, edges, depth;
};

static void frontier_visit(struct graph *graph, int base, int count, int level)
{
	args(graph->expand, "bbbii", graph->first, graph->edges, graph->depth, base, level);
	run(graph->queue, graph->expand, (size_t)count, 64);
}

void drill_bfs_frontier(struct app *app)
{
	enum { LEVELS = 120 };
	struct graph graph = {.queue = app->queue};
	int *first = memory((VERTICES + 1) * sizeof(*first)), deepest = 0;
	int *edges = memory(VERTICES * DEGREE * sizeof(*edges));
	int *depth = memory(VERTICES * sizeof(*depth));

	for (int v = 0; v <= VERTICES; v++)
		first[v] = v * DEGREE;
	for (int e = 0; e < VERTICES * DEGREE; e++)
		edges[e] = (e / DEGREE + 1 + e % DEGREE * 97) % VERTICES;
	memset(depth, -1, VERTICES * sizeof(*depth));
	depth[0] = 0;
	graph.first = buffer_new(app, (VERTICES + 1) * sizeof(*first));
	graph.edges = buffer_new(app, VERTICES * DEGREE * sizeof(*edges));
	graph.depth = buffer_new(app, VERTICES * sizeof(*depth));
	put(app->queue, graph.first, (VERTICES + 1) * sizeof(*first), first);
	put(app->queue, graph.edges, VERTICES * DEGREE * sizeof(*edges), edges);
	put(app->queue, graph.depth, VERTICES * sizeof(*depth), depth);
	graph.expand = kernel_of(app, bfs_source, "expand");
	for (int level = 0; level < LEVELS; level++) {
		int step = app->repaired ? VERTICES : BLOCK;

		for (int base = 0; base < VERTICES; base += step)
			frontier_visit(&graph, base, step, level);
	}
	get(app->queue, graph.depth, VERTICES * sizeof(*depth), depth);
	for (int v = 0; v < VERTICES; v++)
		deepest = depth[v] > deepest ? depth[v] : deepest;
	answer(deepest > 0);
	DROP(graph.expand);
	DROP(graph.first);
	DROP(graph.edges);
	DROP(graph.depth);
	free(first);
	free(edges);
	free(depth);
}

/* Reads matched to a genome: each row of the table of scores comes of the row before, and a kernel
 * does as many rows as it is told. */

static const char *const match_source =
	"kernel void score_rows(global const uchar *genome, global const uchar *reads,\n"
	"		       global int *score, int length, int from, int rows)\n"
	"{\n"
	"	int r = get_global_id(0), best = score[r];\n"
	"	for (int k = from; k < from + rows; k++) {\n"
	"		int hit = genome[(r * 5 + k) & 4095] == reads[r * length + k];\n"
	"		best = max(best + (hit ? 2 : -1), 0);\n"
	"	}\n"
	"	score[r] = best;\n"
	"}\n";

struct aligner {
	cl_command_queue queue;
	cl_kernel rows;
	cl_mem genome, reads, score;
	int at_once;
};

static void aligner_extend(struct aligner *aligner, int length)
{
	for (int from = 0; from < length; from += aligner->at_once) {
		args(aligner->rows, "bbbiii", aligner->genome, aligner->reads, aligner->score,
		     length, from, aligner->at_once);
		run(aligner->queue, aligner->rows, 512, 64);
	}
}

void drill_genome_rows(struct app *app)
{
	enum { READS = 512, LENGTH = 128, SETS = 60 };
	struct aligner aligner = {
		.queue = app->queue,
		.rows = kernel_of(app, match_source, "score_rows"),
		.genome = filled(app, 4096, 11),
		.reads = filled(app, READS * LENGTH, 12),
		.score = filled(app, READS * sizeof(int), 0),
		.at_once = app->repaired ? 16 : 1,
	};
	int *score = memory(READS * sizeof(*score));

	for (int set = 0; set < SETS; set++)
		aligner_extend(&aligner, LENGTH);
	get(app->queue, aligner.score, READS * sizeof(*score), score);
	answer(score[1]);
	DROP(aligner.rows);
	DROP(aligner.genome);
	DROP(aligner.reads);
	DROP(aligner.score);
	free(score);
}

/* A hash join. Each probe asks the table where its buckets begin; the table's accessor fetches
 * that from the device. */

struct table {
	cl_command_queue queue;
	cl_mem offsets;
	int *copy;
	size_t bytes;
	bool keeps, kept;
};

static const int *table_offsets(struct table *table)
{
	if (!table->kept)
		get(table->queue, table->offsets, table->bytes, table->copy);
	table->kept = table->keeps;
	return table->copy;
}

static size_t bucket_of(struct table *table, unsigned key)
{
	size_t count = table->bytes / sizeof(int);

	return (size_t)(table_offsets(table)[key % count] & 7);
}

void drill_bucket_offsets(struct app *app)
{
	enum { PROBES = 160, ITEMS = 256 * KIB };
	struct table table = {
		.queue = app->queue,
		.offsets = filled(app, 2 * MIB, 5),
		.copy = memory(2 * MIB),
		.bytes = 2 * MIB,
		.keeps = app->repaired,
	};
	cl_mem rows = filled(app, ITEMS * sizeof(float), 6);
	cl_kernel probe = kernel_of(app, SWEEP("probe_rows"), "probe_rows");
	size_t sum = 0;
	float first;

	for (unsigned i = 0; i < PROBES; i++) {
		size_t bucket = bucket_of(&table, i * 2654435761u);

		sum += bucket;
		args(probe, "bi", rows, 1);
		run(app->queue, probe, ITEMS / 8 * (bucket % 2 + 1), 64);
	}
	get(app->queue, rows, sizeof(first), &first);
	answer((double)sum + (double)first * 0);
	DROP(probe);
	DROP(rows);
	DROP(table.offsets);
	free(table.copy);
}

/* Rules that requests are judged by. Each request brings the text of its rule, and there are few
 * different ones. */

struct engine {
	const struct app *app;
	cl_program known[3];
	bool remembers;
};

static cl_program rule_compile(struct engine *engine, int rule)
{
	char options[64];

	if (engine->remembers && engine->known[rule]) {
		TRY(clRetainProgram(engine->known[rule]));
		return engine->known[rule];
	}
	strcpy(options, "-DRULE=0");
	options[strlen(options) - 1] = (char)('0' + rule);

	cl_program program = program_new(engine->app, SWEEP("judge"), options);

	if (engine->remembers) {
		engine->known[rule] = program;
		TRY(clRetainProgram(program));
	}
	return program;
}

void drill_rule_engine(struct app *app)
{
	enum { REQUESTS = 24, ITEMS = 256 * KIB };
	struct engine engine = {.app = app, .remembers = app->repaired};
	cl_mem facts = filled(app, ITEMS * sizeof(float), 8);
	float first;

	for (int i = 0; i < REQUESTS; i++) {
		cl_program program = rule_compile(&engine, i % 3);
		cl_kernel judge = kernel_new(program, "judge");

		args(judge, "bi", facts, 8);
		for (int pass = 0; pass < 6; pass++)
			run(app->queue, judge, ITEMS, 64);
		get(app->queue, facts, sizeof(first), &first);
		DROP(judge);
		DROP(program);
	}
	answer((double)first);
	for (int i = 0; i < 3; i++)
		if (engine.known[i])
			DROP(engine.known[i]);
	DROP(facts);
}
