/* SPDX-License-Identifier: MIT */
#include "analysis/findings/idle/sampled.h"

#include <errno.h>
#include <stdlib.h>

#include "schema/gen/kernel_records.h"
#include "util/keyed_row.h"
#include "util/units.h"

/* Fewer say nothing. */
#define LEAST_STACKS 8u

/* A function in which such a part of the stacks end is where the time goes. */
#define LEAF_PART 4u

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

/* The node of the innermost function that more than half of all stacks have in common. Nodes come behind their
 * parents; those that more than half have lie on one path. */
static uint32_t common(const struct samples *samples, uint64_t *totals, uint64_t all)
{
	uint32_t most = 0;

	for (size_t i = samples->node_count; i-- > 1;) {
		totals[samples->nodes[i].parent] += totals[i];
		if (!most && 2 * totals[i] > all)
			most = (uint32_t)i;
	}
	return most;
}

static const char *file_of(const struct samples *samples, uint32_t frame)
{
	const char *file = samples_file(samples, frame);
	const char *slash = strrchr(file, '/');

	return slash ? slash + 1 : file;
}

static const char *function_text(const struct samples *samples, struct findings *findings,
				 uint32_t frame)
{
	return findings_text(findings, "%s of %s", samples_name(samples, frame),
			     file_of(samples, frame));
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

/* `part` of the stacks are in this function, or in what has no names of this file. */
static const char *say(const struct samples *samples, struct findings *findings, uint32_t frame,
		       uint32_t below, double part, uint64_t all)
{
	char number[UNITS_BYTES];
	const char *outer =
		below ? findings_text(findings, ", below %s",
				      function_text(samples, findings, samples->nodes[below].frame))
		      : "";
	const char *inner = samples->frames[frame].named
				    ? findings_text(findings, "function %s",
						    function_text(samples, findings, frame))
				    : findings_text(findings, "code of %s (no symbols)",
						    file_of(samples, frame));

	return findings_text(findings, "%s%s, in %.0f %% of %s sampled stacks", inner, outer,
			     100 * part, units_count(number, all));
}

struct counted {
	const struct map *stacks;
	uint64_t all;
	uint64_t *totals; /* by node: stacks that have it; first, that end in it */
	uint64_t *ends;	  /* by frame: stacks that end in it */
};

/* Without a name it has a file at least, and is no code of the kernel's in the program ([vdso]). */
static bool is_told(const struct samples *samples, uint32_t frame)
{
	const char *file = file_of(samples, frame);

	return samples->frames[frame].named || (*file && *file != '[');
}

/* Whether all stacks that end in a function have that node. */
static bool is_below(const struct samples *samples, const struct map *stacks, uint32_t frame,
		     uint32_t outer)
{
	uint64_t node, count;
	size_t at = 0;

	while (map_next(stacks, &at, &node, &count)) {
		uint32_t up = (uint32_t)node;

		if (samples->nodes[node].frame != frame)
			continue;
		while (up && up != outer)
			up = samples->nodes[up].parent;
		if (up != outer)
			return false;
	}
	return true;
}

static const char *choose(const struct samples *samples, struct findings *findings,
			  const struct counted *counted)
{
	uint32_t most = named(samples, common(samples, counted->totals, counted->all)), leaf = 0;
	uint32_t frame = samples->nodes[most].frame;

	for (uint32_t i = 1; i < samples->frame_count; i++) {
		if (counted->ends[i] > counted->ends[leaf])
			leaf = i;
	}
	/* An interpreter, or a function that calls others, says less than where it is most of the time. */
	if (LEAF_PART * counted->ends[leaf] >= counted->all && is_told(samples, leaf) &&
	    (!most || leaf != frame))
		return say(samples, findings, leaf,
			   is_below(samples, counted->stacks, leaf, most) ? most : 0,
			   (double)counted->ends[leaf] / (double)counted->all, counted->all);
	return most ? say(samples, findings, frame, around(samples, most),
			  (double)counted->totals[most] / (double)counted->all, counted->all)
		    : "";
}

const char *sampled_text(const struct sampled *sampled, struct findings *findings,
			 const struct map *stacks)
{
	const struct samples *samples = &sampled->samples;
	struct counted counted = {
		.stacks = stacks,
		.totals = calloc(samples->node_count + 1, sizeof(*counted.totals)),
		.ends = calloc(samples->frame_count + 1, sizeof(*counted.ends)),
	};
	const char *text = "";
	uint64_t node, count;
	size_t at = 0;

	while (counted.totals && counted.ends && map_next(stacks, &at, &node, &count)) {
		counted.totals[node] += count;
		counted.ends[samples->nodes[node].frame] += count;
		counted.all += count;
	}
	if (counted.all >= LEAST_STACKS)
		text = choose(samples, findings, &counted);
	free(counted.totals);
	free(counted.ends);
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
