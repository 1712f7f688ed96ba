/* SPDX-License-Identifier: MIT */
#include "analysis/ranges/range_launches.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/ranges/range_open.h"

/* A launch of a graph has any number of operations: it stays known until so many others
 * have ended since its latest one. */
#define KEPT 16384u

struct range_set {	     /* the ranges that a call is made in */
	uint64_t references; /* its calls in flight, and its stream */
	size_t count;
	struct range_open *of[];
};

struct range_graph { /* a graph's launch */
	struct range_graph *next;
	struct range_set *set;
	uint64_t call;
	uint64_t ended_at; /* launches->ended at its latest operation */
};

/* A value of `launches`: a set, or with this bit a graph's launch. */
#define IS_GRAPH 1u

static struct range_graph *launch_graph(uint64_t value)
{
	return value & IS_GRAPH ? (struct range_graph *)(uintptr_t)(value & ~(uint64_t)IS_GRAPH)
				: NULL;
}

static struct range_set *launch_set(uint64_t value)
{
	const struct range_graph *graph = launch_graph(value);

	return graph ? graph->set : (struct range_set *)(uintptr_t)value;
}

/* One reference less. */
static int set_put(struct range_output *output, struct range_set *set)
{
	int status = 0;

	if (!set || --set->references)
		return 0;
	for (size_t i = 0; i < set->count; i++) {
		int settled;

		set->of[i]->references--;
		settled = range_open_settle(output, set->of[i]);
		if (!status)
			status = settled;
	}
	free(set);
	return status;
}

int range_stream_invalidate(struct range_stream *stream, struct range_output *output)
{
	struct range_set *set = stream->set;

	stream->set = NULL;
	return set_put(output, set);
}

/* Makes stream->set; NULL where no range is open there. */
static int set_make(struct range_stream *stream, const struct range_process *process)
{
	struct range_set *set;
	size_t count = 0;

	for (struct range_open *open = stream->top; open; open = open->below)
		count++;
	for (struct range_open *open = process->first; open; open = open->next)
		count++;
	stream->generation = process->generation;
	if (!count)
		return 0;
	set = malloc(sizeof(*set) + count * sizeof(struct range_open *));
	if (!set)
		return -ENOMEM;
	set->references = 1;
	set->count = 0;
	for (struct range_open *open = stream->top; open; open = open->below)
		set->of[set->count++] = open;
	for (struct range_open *open = process->first; open; open = open->next)
		set->of[set->count++] = open;
	for (size_t i = 0; i < count; i++)
		set->of[i]->references++;
	stream->set = set;
	return 0;
}

static int graph_add(struct range_launches *launches, struct range_set *set, uint64_t call)
{
	struct range_graph *graph = malloc(sizeof(*graph));

	if (!graph)
		return -ENOMEM;
	*graph = (struct range_graph){.set = set, .call = call, .ended_at = launches->ended};
	if (map_set(&launches->sets, call, (uint64_t)(uintptr_t)graph | IS_GRAPH)) {
		free(graph);
		return -ENOMEM;
	}
	if (launches->latest_graph)
		launches->latest_graph->next = graph;
	else
		launches->oldest_graph = graph;
	launches->latest_graph = graph;
	return 0;
}

static struct range_graph *graph_remove_oldest(struct range_launches *launches)
{
	struct range_graph *graph = launches->oldest_graph;

	launches->oldest_graph = graph->next;
	if (!graph->next)
		launches->latest_graph = NULL;
	map_remove(&launches->sets, graph->call);
	return graph;
}

int range_launches_call(struct range_launches *launches, struct range_output *output,
			struct range_stream *stream, const struct range_process *process,
			const struct event_item *item)
{
	int status = 0;

	if (stream->set && stream->generation != process->generation)
		status = range_stream_invalidate(stream, output);
	if (!status && !stream->set)
		status = set_make(stream, process);
	if (status || !stream->set)
		return status;
	if (item->event->layout->event->traits.graph)
		status = graph_add(launches, stream->set, item->call);
	else
		status = map_set(&launches->sets, item->call, (uint64_t)(uintptr_t)stream->set);
	if (!status)
		stream->set->references++;
	return status;
}

static int graphs_expire(struct range_launches *launches, struct range_output *output)
{
	int status = 0;

	while (!status && launches->oldest_graph &&
	       launches->ended - launches->oldest_graph->ended_at > KEPT) {
		struct range_graph *graph = graph_remove_oldest(launches);

		status = set_put(output, graph->set);
		free(graph);
	}
	return status;
}

int range_launches_operation(struct range_launches *launches, struct range_output *output,
			     const struct operation *operation)
{
	uint64_t value = operation->call ? map_get(&launches->sets, operation->call) : MAP_NONE;
	struct range_graph *graph;
	struct range_set *set;

	launches->ended++;
	if (value == MAP_NONE)
		return graphs_expire(launches, output);
	set = launch_set(value);
	for (size_t i = 0; i < set->count; i++)
		if (range_open_operation(set->of[i], operation))
			return -ENOMEM;
	graph = launch_graph(value);
	if (graph) {
		graph->ended_at = launches->ended;
		return graphs_expire(launches, output);
	}
	map_remove(&launches->sets, operation->call);
	return set_put(output, set);
}

int range_launches_release(struct range_launches *launches, struct range_output *output)
{
	uint64_t key, value;
	size_t at = 0;
	int status = 0;

	while (launches->oldest_graph) {
		struct range_graph *graph = graph_remove_oldest(launches);
		int put = set_put(output, graph->set);

		status = status ? status : put;
		free(graph);
	}
	while (map_next(&launches->sets, &at, &key, &value)) {
		int put = set_put(output, launch_set(value));

		status = status ? status : put;
	}
	map_clear(&launches->sets);
	return status;
}
