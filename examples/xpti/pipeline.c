/* SPDX-License-Identifier: MIT */
/*
 * A program in C that reports its own work by XPTI: a task graph of three stages for each round,
 * with an edge between successive ones, tasks, and an allocation. It links libxpti.a and runs
 * under any dispatcher, or none:
 *
 *	XPTI_FRAMEWORK_DISPATCHER=build/src/xpti/libxptifw.so \
 *	XPTI_SUBSCRIBERS=build/examples/xpti/printer.so build/examples/xpti/pipeline 2
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "xpti/xpti_trace_framework.h"

#define STREAM "example.pipeline"
#define ITEMS 1000

static xpti_stream_id_t stream;

/* The place where it is used, with a name of our own. */
#define HERE(of)                                                                         \
	{                                                                                \
		.name = (of), .source_file = __FILE__, .line_no = __LINE__,              \
		.flags = xpti_payload_NameAvailable | xpti_payload_SourceFileAvailable | \
			 xpti_payload_LineInfoAvailable                                  \
	}

static xpti_event_data_t *add_node(xpti_payload_data_t *place, unsigned round, uint64_t *instance)
{
	xpti_event_data_t *node;

	/* Nothing is made of what nobody asked for. */
	if (!xptiCheckTraceEnabled(stream, xpti_node_create))
		return NULL;
	node = xptiMakeEvent(place->name, place, xpti_event_graph, xpti_activity_active, instance);
	if (!node)
		return NULL;
	xptiAddMetadata(node, "round",
			xptiRegisterObject((const char *)&round, sizeof(round),
					   xpti_object_unsigned_integer));
	xptiNotifySubscribers(stream, xpti_node_create, NULL, node, *instance, NULL);
	return node;
}

static void add_edge(const xpti_event_data_t *from, const xpti_event_data_t *to)
{
	xpti_payload_data_t place = HERE("edge");
	uint64_t instance;
	xpti_event_data_t *edge;

	if (!from || !to)
		return;
	edge = xptiMakeEvent("edge", &place, xpti_event_graph, xpti_activity_active, &instance);
	if (!edge)
		return;
	edge->source_id = from->unique_id;
	edge->target_id = to->unique_id;
	xptiNotifySubscribers(stream, xpti_edge_create, NULL, edge, instance, NULL);
	xptiReleaseEvent(edge);
}

static void begin(xpti_event_data_t *node, uint64_t instance)
{
	if (node)
		xptiNotifySubscribers(stream, xpti_task_begin, NULL, node, instance, NULL);
}

static void end(xpti_event_data_t *node, uint64_t instance)
{
	if (node)
		xptiNotifySubscribers(stream, xpti_task_end, NULL, node, instance, NULL);
}

static int run_round(unsigned round)
{
	xpti_payload_data_t places[3] = {
		HERE("fill"),
		HERE("double"),
		HERE("sum"),
	};
	xpti_mem_alloc_data_t allocation = {.alloc_size = ITEMS * sizeof(int)};
	xpti_event_data_t *nodes[3];
	uint64_t instances[3];
	long sum = 0;
	int *items;

	for (unsigned i = 0; i < 3; i++) {
		nodes[i] = add_node(&places[i], round, &instances[i]);
		if (i > 0)
			add_edge(nodes[i - 1], nodes[i]);
	}
	items = malloc(allocation.alloc_size);
	if (!items)
		return 1;
	allocation.alloc_pointer = (uintptr_t)items;
	xptiNotifySubscribers(stream, xpti_mem_alloc_end, NULL, NULL, round, &allocation);

	begin(nodes[0], instances[0]);
	for (int i = 0; i < ITEMS; i++)
		items[i] = i;
	end(nodes[0], instances[0]);

	begin(nodes[1], instances[1]);
	for (int i = 0; i < ITEMS; i++)
		items[i] *= 2;
	end(nodes[1], instances[1]);

	begin(nodes[2], instances[2]);
	for (int i = 0; i < ITEMS; i++)
		sum += items[i];
	end(nodes[2], instances[2]);

	free(items);
	for (unsigned i = 0; i < 3; i++)
		if (nodes[i])
			xptiReleaseEvent(nodes[i]);
	return sum != (long)ITEMS * (ITEMS - 1);
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 3;
	xpti_payload_data_t place = HERE("pipeline");
	int failed = 0;

	xptiFrameworkInitialize();
	stream = xptiRegisterStream(STREAM);
	xptiInitialize(STREAM, 1, 0, "1.0");
	if (xptiCheckTraceEnabled(stream, xpti_graph_create)) {
		uint64_t instance;
		xpti_event_data_t *graph = xptiMakeEvent("pipeline", &place, xpti_event_graph,
							 xpti_activity_active, &instance);

		xptiNotifySubscribers(stream, xpti_graph_create, NULL, graph, instance, NULL);
	}
	for (unsigned round = 0; round < rounds; round++)
		failed |= run_round(round);
	xptiFinalize(STREAM);
	xptiFrameworkFinalize();
	printf("%s\n", failed ? "failed" : "ok");
	return failed;
}
