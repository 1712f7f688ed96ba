/* SPDX-License-Identifier: MIT */
#include "analysis/findings/idle/sampled.h"

#include <errno.h>
#include <stdlib.h>

#include "schema/gen/kernel_records.h"
#include "util/keyed_row.h"
#include "util/units.h"

/* Fewer say nothing. */
#define LEAST_STACKS 8u

struct sampled_stack {
	int64_t ns;
	uint32_t node; /* of the samples */
};

struct sampled_thread {
	uint64_t count;		      /* ever */
	struct sampled_stack *stacks; /* a ring */
};

static int keep(void *user, const struct samples_sample *sample)
{
	static const struct sampled_thread fresh;
	struct sampled *sampled = user;
	struct sampled_thread *thread =
		keyed_row(&sampled->thread_of, sample->tid, &sampled->threads, &sampled->capacity,
			  &sampled->count, &fresh, sizeof(fresh));

	if (thread && !thread->stacks)
		thread->stacks = calloc(SAMPLED_STACKS, sizeof(*thread->stacks));
	if (!thread || !thread->stacks)
		return -ENOMEM;
	thread->stacks[thread->count++ % SAMPLED_STACKS] =
		(struct sampled_stack){sample->ns, sample->node};
	return 0;
}

void sampled_init(struct sampled *sampled)
{
	*sampled = (struct sampled){.count = 0};
	samples_init(&sampled->samples, keep, sampled);
}

int sampled_record(struct sampled *sampled, const struct trace_event *event)
{
	return samples_consume(&sampled->samples, event);
}

bool sampled_any(const struct sampled *sampled)
{
	return sampled->samples.count > 0;
}

int sampled_count(const struct sampled *sampled, uint64_t tid, int64_t from_ns, int64_t to_ns,
		  struct map *stacks)
{
	uint64_t index = sampled->count ? map_get(&sampled->thread_of, tid) : MAP_NONE;
	const struct sampled_thread *thread;
	int status = 0;

	if (index == MAP_NONE)
		return 0;
	thread = &sampled->threads[index];
	for (uint64_t i = thread->count; !status && i && thread->count - i < SAMPLED_STACKS; i--) {
		const struct sampled_stack *stack = &thread->stacks[(i - 1) % SAMPLED_STACKS];

		if (stack->ns <= from_ns)
			break;
		if (stack->ns <= to_ns)
			status = map_count(stacks, stack->node, 1);
	}
	return status;
}

/* Nodes come behind their parents; those that more than half of all stacks have lie on one path. */
static uint32_t innermost(const struct samples *samples, uint64_t *totals, uint64_t all)
{
	uint32_t most = 0;

	for (size_t i = samples->node_count; i-- > 1;) {
		totals[samples->nodes[i].parent] += totals[i];
		if (!most && 2 * totals[i] > all)
			most = (uint32_t)i;
	}
	return most;
}

static const char *file_of(const struct samples *samples, uint32_t node)
{
	const char *file = samples_file(samples, samples->nodes[node].frame);
	const char *slash = strrchr(file, '/');

	return slash ? slash + 1 : file;
}

static uint32_t named(const struct samples *samples, uint32_t node)
{
	while (node && !samples->frames[samples->nodes[node].frame].named)
		node = samples->nodes[node].parent;
	return node;
}

/* The next one around it that is of another file: who uses a library. 0: none. */
static uint32_t around(const struct samples *samples, uint32_t node)
{
	uint32_t file = samples->frames[samples->nodes[node].frame].file, at = node;

	do
		at = named(samples, samples->nodes[at].parent);
	while (at && samples->frames[samples->nodes[at].frame].file == file);
	return at;
}

/* A place of a file without names says less than the function that called it. */
static const char *say(const struct samples *samples, struct findings *findings, uint32_t node,
		       double part, uint64_t all)
{
	uint32_t user = around(samples, node);
	char number[UNITS_BYTES];
	const char *below = user ? findings_text(findings, " (below %s of %s)",
						 samples_name(samples, samples->nodes[user].frame),
						 file_of(samples, user))
				 : "";

	return findings_text(findings, "function %s of %s%s, in %.0f %% of %s sampled stacks",
			     samples_name(samples, samples->nodes[node].frame),
			     file_of(samples, node), below, 100 * part, units_count(number, all));
}

const char *sampled_text(const struct sampled *sampled, struct findings *findings,
			 const struct map *stacks)
{
	const struct samples *samples = &sampled->samples;
	uint64_t *totals = calloc(samples->node_count + 1, sizeof(*totals));
	uint64_t node, count, all = 0;
	const char *text = "";
	uint32_t most;
	size_t at = 0;

	while (totals && map_next(stacks, &at, &node, &count)) {
		totals[node] += count;
		all += count;
	}
	most = totals && all >= LEAST_STACKS ? named(samples, innermost(samples, totals, all)) : 0;
	if (most)
		text = say(samples, findings, most, (double)totals[most] / (double)all, all);
	free(totals);
	return text;
}

void sampled_free(struct sampled *sampled)
{
	for (size_t i = 0; i < sampled->count; i++)
		free(sampled->threads[i].stacks);
	free(sampled->threads);
	map_free(&sampled->thread_of);
	samples_free(&sampled->samples);
}
