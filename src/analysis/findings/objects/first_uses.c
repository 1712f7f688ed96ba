/* SPDX-License-Identifier: MIT */
#include "analysis/findings/objects/first_uses.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/operations/operation.h"
#include "trace/field.h"
#include "util/keyed_row.h"

/* Of so many other gaps the median is known. Of fewer, one takes a fifth of the first ones (as a command
 * that has another right before it does in the replay), or what a driver's threads take to hand over. */
#define OTHERS_LEAST 16u
#define USUAL_PART 5u
#define HAND_OVER_NS 8000u

/* Fewer first ones are no habit. */
#define FIRST_LEAST 16u
#define SHORTEST_PART 0.1

int first_uses_begin(struct first_uses *uses, const struct trace_session *session)
{
	uses->process_count = session->process_count;
	uses->processes = calloc(uses->process_count + 1, sizeof(*uses->processes));
	return uses->processes ? 0 : -ENOMEM;
}

static uint64_t kernel_key(uint32_t process, uint64_t kernel)
{
	return (uint64_t)process << 32 | (uint32_t)kernel;
}

int first_uses_made(struct first_uses *uses, uint32_t process, uint64_t kernel)
{
	return map_set(&uses->fresh, kernel_key(process, kernel), 1);
}

int first_uses_call(struct first_uses *uses, const struct trace_event *event)
{
	const struct tandem_field *field = trace_field_role(event->layout, TANDEM_ROLE_kernel);
	uint32_t process = event->stream->process->index;

	if (!field || !uses->fresh.count || !trace_event_op(event) ||
	    map_remove(&uses->fresh, kernel_key(process, trace_field_unsigned(event, field))) ==
		    MAP_NONE)
		return 0;
	return map_set(&uses->commands, operation_key(process, trace_event_op(event)), 1);
}

static int count_start(struct first_uses *uses, const struct first_use_device *device,
		       const struct sequence_event *event)
{
	bool is_first =
		map_remove(&uses->commands, operation_key(event->process, event->op)) != MAP_NONE;
	struct first_use_process *process = &uses->processes[event->process];

	/* Else the device waited for the host. */
	if (device->running || !device->idle_ns || event->other_ns > device->idle_ns)
		return 0;
	return histogram_add(is_first ? &process->first : &process->others,
			     (uint64_t)(event->ns - device->idle_ns));
}

int first_uses_event(struct first_uses *uses, const struct sequence_event *event)
{
	const struct first_use_device fresh = {.running = 0};
	struct first_use_device *device;
	int status;

	device = keyed_row(&uses->device_of, event->device, &uses->devices, &uses->capacity,
			   &uses->count, &fresh, sizeof(fresh));
	if (!device)
		return -ENOMEM;
	if (event->kind == SEQUENCE_START) {
		status = count_start(uses, device, event);
		device->running++;
		return status;
	}
	if (device->running && !--device->running)
		device->idle_ns = event->ns;
	return 0;
}

static uint64_t usual_ns(const struct first_use_process *process)
{
	uint64_t ns;

	if (process->others.count >= OTHERS_LEAST)
		return histogram_percentile(&process->others, 0.5);
	ns = process->first.sum / process->first.count / USUAL_PART;
	return ns > HAND_OVER_NS ? ns : HAND_OVER_NS;
}

uint64_t first_uses_ns(const struct first_uses *uses, uint32_t index)
{
	const struct first_use_process *process = &uses->processes[index];
	uint64_t all_ns;

	if (process->first.count < FIRST_LEAST)
		return 0;
	all_ns = process->first.count * usual_ns(process);
	return process->first.sum > all_ns ? process->first.sum - all_ns : 0;
}

void first_uses_free(struct first_uses *uses)
{
	for (size_t i = 0; uses->processes && i < uses->process_count; i++) {
		histogram_free(&uses->processes[i].first);
		histogram_free(&uses->processes[i].others);
	}
	free(uses->processes);
	free(uses->devices);
	map_free(&uses->fresh);
	map_free(&uses->commands);
	map_free(&uses->device_of);
}
