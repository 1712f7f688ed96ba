/* SPDX-License-Identifier: MIT */
/* How full queues and how busy devices are, as counters. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export/perfetto/perfetto.h"
#include "util/array.h"

/* A run has so many stretches at most, and none is shorter. */
#define STRETCHES 2000
#define SHORTEST_NS 10000

static int write_counter(struct export *export, uint64_t track, int64_t ns, uint64_t value)
{
	struct perfetto *state = export->state;
	size_t event = perfetto_event(export, export_time(export, ns), PERFETTO_COUNTER, track);

	proto_number(&state->writer.packet, PERFETTO_EVENT_COUNTER, value);
	perfetto_end(export, event);
	return 0;
}

static int depth_track(struct export *export, uint32_t process, uint32_t queue, uint32_t device,
		       uint64_t *id)
{
	struct perfetto *state = export->state;
	uint64_t parent;
	int status = perfetto_queue_track(export, process, queue, device, &parent);

	if (status >= 0)
		status = tracks_find(
			&state->tracks,
			track_key(TRACK_DEPTH, export_process(export, process), queue, 0), id);
	if (status > 0)
		perfetto_describe_counter(export, *id, parent, "operations in the queue",
					  UNIT_COUNT, NULL);
	return status < 0 ? status : 0;
}

static int add_depth(struct perfetto_load *load, struct export *export,
		     const struct sequence_event *event)
{
	uint64_t key = (uint64_t)event->process << 32 | event->queue;
	uint64_t known = map_get(&load->depths, key), depth = known == MAP_NONE ? 0 : known, track;
	int status = depth_track(export, event->process, event->queue, event->device, &track);

	if (status)
		return status;
	depth = event->kind == SEQUENCE_QUEUED ? depth + 1 : depth - (depth > 0);
	if (map_set(&load->depths, key, depth))
		return -ENOMEM;
	return write_counter(export, track, event->ns, depth);
}

static int busy_track(struct export *export, uint32_t device, uint64_t *id)
{
	struct perfetto *state = export->state;
	struct text name = TEXT_INIT;
	int status =
		tracks_find(&state->tracks, track_key(TRACK_BUSY, export->session, device, 0), id);

	if (status > 0) {
		text_format(&name, "utilisation: %s",
			    event_iterator_device_name(export->iterator, device));
		if (!name.failed)
			perfetto_describe_counter(export, *id, 0, name.data, 0, "%");
		status = name.failed ? -ENOMEM : 0;
	}
	text_free(&name);
	return status;
}

static int say_percent(struct export *export, uint32_t index, struct perfetto_device *device,
		       int percent)
{
	uint64_t track;
	int status;

	if (percent == device->percent)
		return 0;
	device->percent = percent;
	status = busy_track(export, index, &track);
	return status ? status
		      : write_counter(export, track, device->stretch_ns, (uint64_t)percent);
}

/* Counts what a device did up to `ns`, stretch by stretch. Those in which it did all the same
 * are one. */
static int device_reach(struct perfetto_load *load, struct export *export, uint32_t index,
			int64_t ns)
{
	struct perfetto_device *device = &load->devices[index];
	int64_t length_ns = load->stretch_ns;
	int status = 0;

	while (!status && ns >= device->stretch_ns + length_ns) {
		int64_t end_ns = device->stretch_ns + length_ns;

		if (device->running)
			device->busy_ns += (uint64_t)(end_ns - device->since_ns);
		status = say_percent(export, index, device,
				     (int)(100 * device->busy_ns / (uint64_t)length_ns));
		device->busy_ns = 0;
		/* Nothing changes until the stretch in which `ns` is. */
		if (ns - end_ns >= length_ns && !status) {
			device->stretch_ns = end_ns;
			status = say_percent(export, index, device, device->running ? 100 : 0);
			end_ns += (ns - end_ns) / length_ns * length_ns;
		}
		device->stretch_ns = device->since_ns = end_ns;
	}
	if (device->running && ns > device->since_ns)
		device->busy_ns += (uint64_t)(ns - device->since_ns);
	if (ns > device->since_ns)
		device->since_ns = ns;
	return status;
}

static int device_find(struct perfetto_load *load, struct export *export, uint32_t index)
{
	if (array_reserve(&load->devices, &load->device_capacity, index + 1u,
			  sizeof(*load->devices)))
		return -ENOMEM;
	while (load->device_count <= index)
		load->devices[load->device_count++] =
			(struct perfetto_device){.stretch_ns = export->iterator->session->start_ns,
						 .since_ns = export->iterator->session->start_ns,
						 .percent = -1};
	return 0;
}

static int take_event(void *user, const struct sequence_event *event)
{
	struct export *export = user;
	struct perfetto *state = export->state;
	struct perfetto_load *load = &state->load;
	struct perfetto_device *device;
	int status;

	if (event->kind == SEQUENCE_QUEUED)
		return add_depth(load, export, event);
	if (event->kind != SEQUENCE_START && event->kind != SEQUENCE_END)
		return 0;
	status = device_find(load, export, event->device);
	if (!status)
		status = device_reach(load, export, event->device, event->ns);
	if (status)
		return status;
	device = &load->devices[event->device];
	if (event->kind == SEQUENCE_START)
		device->running++;
	else
		device->running -= device->running > 0;
	return event->kind == SEQUENCE_END ? add_depth(load, export, event) : 0;
}

int perfetto_load_session(struct perfetto_load *load, struct export *export)
{
	uint64_t duration_ns = trace_session_duration_ns(export->iterator->session);
	int status = event_sequence_open(&load->sequence, export->iterator, take_event, export);

	load->open = !status;
	load->sequence.range = export->range;
	load->device_count = 0;
	map_clear(&load->depths);
	load->stretch_ns = (int64_t)(duration_ns / STRETCHES);
	if (load->stretch_ns < SHORTEST_NS)
		load->stretch_ns = SHORTEST_NS;
	return status;
}

int perfetto_load_item(struct perfetto_load *load, const struct event_item *item)
{
	return item->system ? 0 : event_sequence_item(&load->sequence, item);
}

int perfetto_load_end(struct perfetto_load *load, struct export *export)
{
	int status = event_sequence_finish(&load->sequence);

	/* The last stretch, and nothing after it. */
	for (uint32_t i = 0; !status && i < load->device_count; i++) {
		int64_t last_ns = load->devices[i].since_ns;

		status = device_reach(load, export, i, last_ns + 2 * load->stretch_ns);
	}
	event_sequence_close(&load->sequence);
	load->open = false;
	return status;
}

void perfetto_load_free(struct perfetto_load *load)
{
	if (load->open)
		event_sequence_close(&load->sequence);
	map_free(&load->depths);
	free(load->devices);
	memset(load, 0, sizeof(*load));
}
