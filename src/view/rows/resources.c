/* SPDX-License-Identifier: MIT */
#include "view/rows/resources.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/order/compare.h"
#include "view/rows/activity.h"
#include "view/rows/depth_packing.h"

/* A number of things that come and go at known times, not in order. */
struct view_depth {
	int64_t *come_ns, *go_ns;
	size_t count, come_capacity, go_capacity;
};

struct view_device {
	uint32_t row;
	struct depth_packing transfers, kernels, sync;
	struct activity_track busy;
	struct view_depth host, device;
};

void view_resources_init(struct view_resources *resources, struct index_writer *writer,
			 struct event_iterator *iterator, struct view_hosts *hosts)
{
	memset(resources, 0, sizeof(*resources));
	resources->writer = writer;
	resources->iterator = iterator;
	resources->hosts = hosts;
}

static int add_row(struct view_resources *resources, struct view_row row, const char *name,
		   const char *note, uint32_t *number)
{
	row.process = row.stream = VIEW_NONE;
	return index_writer_named_row(resources->writer, row, name, note, number);
}

static int host_row(struct view_resources *resources, uint32_t *row)
{
	struct view_row group = {.kind = VIEW_ROW_host,
				 .parent = resources->hosts->session_row,
				 .device = VIEW_NONE};
	int status = 0;

	if (!resources->row) {
		status = add_row(resources, group, "Host", "CPUs and memory of the host",
				 &resources->row);
		resources->row++;
	}
	*row = resources->row - 1;
	return status;
}

int view_resources_cpu(struct view_resources *resources, uint32_t cpu, uint32_t *row)
{
	struct view_row made = {.kind = VIEW_ROW_cpu, .number = cpu, .device = VIEW_NONE};
	const struct trace_run_host *host = trace_run_cpu_host(resources->hosts->run, cpu);
	int status = host ? view_hosts_row(resources->hosts, host, &made.parent)
			  : host_row(resources, &made.parent);
	char name[24];

	snprintf(name, sizeof(name), "CPU %" PRIu32, cpu - (host ? host->first_cpu : 0));
	return status ? status : add_row(resources, made, name, "threads that ran on it", row);
}

static int device_make(struct view_resources *resources, uint32_t number, struct view_device **made)
{
	const struct device_row *device = &resources->iterator->devices.rows[number];
	uint64_t bound_ns = clock_sync_bound_ns(&resources->iterator->clock_sync, number);
	struct view_row row = {.kind = VIEW_ROW_device, .number = number, .device = VIEW_NONE};
	const char *platform =
		intern_text(&resources->iterator->devices.objects.names, device->platform_name);
	struct text note = TEXT_INIT;
	int status = view_hosts_row(resources->hosts, device->host, &row.parent);

	*made = calloc(1, sizeof(**made));
	row.clock_bound_ns = bound_ns < UINT32_MAX ? (uint32_t)bound_ns : UINT32_MAX;
	text_format(&note, "%s device%s%s",
		    devices_domain(resources->iterator->session, device->domain),
		    *platform ? " of " : "", platform);
	if (!*made || note.failed)
		status = -ENOMEM;
	if (!status)
		status = add_row(resources, row,
				 event_iterator_device_name(resources->iterator, number), note.data,
				 &(*made)->row);
	if (status) {
		free(*made);
		*made = NULL;
	}
	text_free(&note);
	return status;
}

static int find_device(struct view_resources *resources, uint32_t number,
		       struct view_device **device)
{
	if (array_reserve(&resources->devices, &resources->device_capacity, (size_t)number + 1,
			  sizeof(*resources->devices)))
		return -ENOMEM;
	while (resources->device_count <= number)
		resources->devices[resources->device_count++] = NULL;
	*device = resources->devices[number];
	if (*device)
		return 0;
	return device_make(resources, number, device) ? -ENOMEM
						      : (resources->devices[number] = *device, 0);
}

int view_resources_device(struct view_resources *resources, uint32_t device, uint32_t *row)
{
	struct view_device *found;
	int status = find_device(resources, device, &found);

	*row = status ? VIEW_NONE : found->row;
	return status;
}

static int memory_track(struct view_resources *resources, uint32_t number,
			struct track_writer **track)
{
	const struct memory_row *memory = &resources->iterator->memory.rows[number];
	struct view_row row = {.kind = VIEW_ROW_memory, .device = VIEW_NONE, .number = number};
	char name[64] = "memory in use";
	uint32_t made;
	int status;

	if (memory->device != TRACE_NONE) {
		status = view_resources_device(resources, memory->device, &row.parent);
		row.device = row.parent;
	} else {
		status = host_row(resources, &row.parent);
		if (memory->shared)
			snprintf(name, sizeof(name), "memory of contexts of %" PRIu32 " devices",
				 memory->shared);
		else
			snprintf(name, sizeof(name), "host memory in use");
	}
	if (!status)
		status = add_row(resources, row, name, "bytes allocated and not yet freed", &made);
	if (!status)
		status = index_writer_track(resources->writer, made, VIEW_TRACK_counter, track);
	return status ? status : track_writer_point(*track, 0, 0);
}

int view_resources_memory(struct view_resources *resources, const struct event_item *item)
{
	uint32_t number = item->memory_row;
	int64_t at_ns = item->event->ns - resources->iterator->session->start_ns;
	struct track_writer **track;
	int status = 0;

	if (number == TRACE_NONE)
		return 0;
	if (array_reserve(&resources->memory, &resources->memory_capacity, (size_t)number + 1,
			  sizeof(struct track_writer *)))
		return -ENOMEM;
	while (resources->memory_count <= number)
		resources->memory[resources->memory_count++] = NULL;
	track = &resources->memory[number];
	if (!*track)
		status = memory_track(resources, number, track);
	return status ? status
		      : track_writer_point(*track, at_ns > 0 ? at_ns : 0, item->memory_live_bytes);
}

static int find_packing(struct view_resources *resources, struct view_device *device,
			uint8_t row_kind, struct depth_packing **packing)
{
	static const char *const names[] = {
		[VIEW_ROW_transfers] = "transfers",
		[VIEW_ROW_kernels] = "kernels",
		[VIEW_ROW_sync] = "barriers, markers",
	};
	struct view_row row = {.kind = row_kind, .parent = device->row, .device = device->row};

	*packing = row_kind == VIEW_ROW_kernels ? &device->kernels
		   : row_kind == VIEW_ROW_sync	? &device->sync
						: &device->transfers;
	if ((*packing)->count)
		return 0;
	(*packing)->again = true;
	return add_row(resources, row, names[row_kind], "of all queues, for all processes",
		       &(*packing)->row);
}

static int depth_add(struct view_depth *depth, int64_t come_ns, int64_t go_ns)
{
	if (array_reserve(&depth->come_ns, &depth->come_capacity, depth->count + 1,
			  sizeof(*depth->come_ns)) ||
	    array_reserve(&depth->go_ns, &depth->go_capacity, depth->count + 1,
			  sizeof(*depth->go_ns)))
		return -ENOMEM;
	depth->come_ns[depth->count] = come_ns;
	depth->go_ns[depth->count++] = go_ns;
	return 0;
}

static int busy_add_command(struct view_resources *resources, struct view_device *device,
			    int64_t begin_ns, int64_t end_ns)
{
	struct view_row row = {
		.kind = VIEW_ROW_utilisation, .parent = device->row, .device = device->row};
	uint32_t made;
	int status = 0;

	if (!device->busy.track) {
		status = add_row(resources, row, "utilisation",
				 "share of the time with a command executing", &made);
		if (!status)
			status = index_writer_track(resources->writer, made, VIEW_TRACK_cover,
						    &device->busy.track);
		if (!status)
			status = index_writer_label(resources->writer, "busy", VIEW_SPAN_active, 0,
						    &device->busy.label);
		if (status)
			return status;
		device->busy.track->again = true;
	}
	return activity_track_add(&device->busy, begin_ns, end_ns);
}

int view_resources_command(struct view_resources *resources, const struct view_pending *pending,
			   uint32_t number)
{
	const struct view_command *command = &resources->writer->commands[number];
	struct view_device *device;
	struct track_writer *track;
	struct depth_packing *packing;
	int status = find_device(resources, pending->device, &device);

	if (!status)
		status = find_packing(resources, device, pending->row_kind, &packing);
	if (!status)
		status = depth_packing_pick(packing, resources->writer, command->begin_ns,
					    pending->end_ns, &track);
	if (!status)
		status = track_writer_ref(track, command->begin_ns, pending->end_ns, command->label,
					  number);
	if (!status)
		status = busy_add_command(resources, device, command->begin_ns, pending->end_ns);
	if (!status && pending->waits)
		status = depth_add(&device->host, pending->queued_ns, pending->submitted_ns);
	if (!status && pending->waits)
		status = depth_add(&device->device, pending->submitted_ns, command->begin_ns);
	return status;
}

static int ns_compare(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

	return COMPARE(left, right);
}

static void ns_sort(int64_t *list, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (list[i - 1] > list[i]) {
			qsort(list, count, sizeof(*list), ns_compare);
			return;
		}
	}
}

static int depth_write(struct view_resources *resources, struct view_device *device,
		       struct view_depth *depth, enum view_row_kind kind, const char *name,
		       const char *note)
{
	struct view_row row = {.kind = kind, .parent = device->row, .device = device->row};
	struct track_writer *track;
	size_t come = 0, go = 0;
	uint32_t made;
	int status = depth->count ? add_row(resources, row, name, note, &made) : 0;

	if (!depth->count || status)
		return status;
	status = index_writer_track(resources->writer, made, VIEW_TRACK_counter, &track);
	if (!status)
		status = track_writer_point(track, 0, 0);
	ns_sort(depth->come_ns, depth->count);
	ns_sort(depth->go_ns, depth->count);
	while (go < depth->count && !status) {
		bool comes = come < depth->count && depth->come_ns[come] <= depth->go_ns[go];
		int64_t at_ns = comes ? depth->come_ns[come++] : depth->go_ns[go++];

		status = track_writer_point(track, at_ns, come - go);
	}
	return status;
}

static void depth_free(struct view_depth *depth)
{
	free(depth->come_ns);
	free(depth->go_ns);
	*depth = (struct view_depth){.count = 0};
}

int view_resources_finish(struct view_resources *resources)
{
	int status = 0;

	for (size_t i = 0; i < resources->device_count && !status; i++) {
		struct view_device *device = resources->devices[i];

		if (!device)
			continue;
		status = activity_track_close(&device->busy);
		if (!status)
			status = depth_write(resources, device, &device->host, VIEW_ROW_host_queue,
					     "host queue depth",
					     "commands queued and not yet submitted");
		if (!status)
			status = depth_write(resources, device, &device->device,
					     VIEW_ROW_device_queue, "device queue depth",
					     "commands submitted and not yet started");
		depth_free(&device->host);
		depth_free(&device->device);
	}
	return status;
}

void view_resources_free(struct view_resources *resources)
{
	for (size_t i = 0; i < resources->device_count; i++) {
		if (!resources->devices[i])
			continue;
		depth_free(&resources->devices[i]->host);
		depth_free(&resources->devices[i]->device);
		free(resources->devices[i]);
	}
	free(resources->devices);
	free(resources->memory);
	memset(resources, 0, sizeof(*resources));
}
