/* SPDX-License-Identifier: MIT */
#include "analysis/model/shared_cores.h"

int shared_cores_slept(struct graph *graph, uint32_t stream, int64_t from_ns, int64_t to_ns)
{
	return graph->cpu_devices ? recent_add(&graph->threads[stream].slept, from_ns, to_ns) : 0;
}

/* So much of the time is before the device is done. */
static int64_t beside(int64_t from_ns, int64_t took_ns, int64_t end_ns)
{
	int64_t ns = end_ns - from_ns;

	return ns < 0 ? 0 : ns < took_ns ? ns : took_ns;
}

double shared_cores_all(const struct graph *graph, const struct graph_queue *device)
{
	size_t cpus = graph->waits ? graph->waits->states.cpu_count : 0;

	if (device->cores > 1)
		return device->cores;
	return cpus ? (double)cpus : 1;
}

double shared_cores_used(const struct graph *graph, const struct graph_queue *device)
{
	double all = shared_cores_all(graph, device), used;

	if (!graph->waits || !graph->waits->any || !device->work_ns)
		return all;
	used = (double)graph->driver_ran_ns / (double)device->work_ns;
	return used < 1 ? 1 : used > all ? all : used;
}

static void device_delay(struct graph *graph, struct graph_queue *device,
			 const struct graph_thread *thread, int64_t took_ns, double ran)
{
	struct graph_point *ends[] = {&device->end, &graph->queues[device->latest_queue].end,
				      &graph->processes[device->latest_process]};
	int64_t from_ns = thread->at.ns, end_ns = device->end.ns;
	int64_t recorded = beside(from_ns, took_ns, end_ns);
	double spare = shared_cores_all(graph, device) - shared_cores_used(graph, device);

	if (spare >= 1)
		return;
	ran *= 1 - spare;

	for (unsigned i = 0; i < GRAPH_CAUSE_COUNT; i++) {
		int64_t now = beside(from_ns - thread->at.saved[i], took_ns,
				     end_ns - device->end.saved[i]);
		int64_t delay = (int64_t)(device->taken_part * ran * (double)(now - recorded));

		for (unsigned j = 0; delay > 0 && j < sizeof(ends) / sizeof(*ends); j++) {
			if (ends[j]->known && ends[j]->ns == end_ns)
				ends[j]->saved[i] -= delay;
		}
	}
}

void shared_cores_take(struct graph *graph, const struct graph_thread *thread, int64_t ns)
{
	int64_t took_ns = ns - thread->at.ns;
	int64_t slept_ns = recent_within(&thread->slept, thread->at.ns, ns);
	double ran = 1 - (double)slept_ns / (double)took_ns;

	for (size_t i = 0; ran > 0 && i < graph->device_count; i++) {
		if (graph->devices[i].taken_part > 0 && graph->devices[i].end.known)
			device_delay(graph, &graph->devices[i], thread, took_ns, ran);
	}
}
