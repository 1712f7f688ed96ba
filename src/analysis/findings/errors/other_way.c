/* SPDX-License-Identifier: MIT */
#include "analysis/findings/errors/other_way.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/event_iterator.h"
#include "analysis/events/event_value.h"
#include "analysis/operations/operation.h"
#include "trace/field.h"
#include "util/array.h"
#include "util/keyed_row.h"

/* Who makes more calls in between does something else. */
#define CALLS_BETWEEN 8u

/* cudaFuncAttributeMaxDynamicSharedMemorySize, and the driver's and HIP's as well. */
#define ATTRIBUTE_SHARED_MEMORY 8u

int other_ways_open(struct other_ways *ways, size_t stream_count)
{
	memset(ways, 0, sizeof(*ways));
	ways->threads = calloc(stream_count + 1, sizeof(*ways->threads));
	return ways->threads ? 0 : -ENOMEM;
}

static uint64_t kernel_of(const struct trace_event *event)
{
	const struct tandem_field *kernel = trace_field_role(event->layout, TANDEM_ROLE_kernel);

	return kernel ? trace_field_unsigned(event, kernel) : 0;
}

static bool asks_for_memory(const struct trace_event *event)
{
	return strstr(event->layout->event->name, "FuncSetAttribute") &&
	       (trace_field_number(event, "attr") == ATTRIBUTE_SHARED_MEMORY ||
		trace_field_number(event, "attrib") == ATTRIBUTE_SHARED_MEMORY);
}

static uint64_t product(const uint64_t *sizes, unsigned count)
{
	uint64_t items = count ? 1 : 0;

	for (unsigned i = 0; i < count; i++)
		items *= sizes[i];
	return items;
}

static void note_size(struct other_way_error *error, const struct trace_event *event)
{
	struct event_launch_size size;

	if (!event_launch_size_read(event, &size))
		return;
	error->items += product(size.global, size.globals);
	error->group_items = product(size.local, size.locals);
}

/* A question that is answered by an error, and a wait that tells of a command, are no way that failed. */
int other_way_failed(struct other_ways *ways, const struct event_item *item, size_t row)
{
	const struct trace_event *event = item->event;
	const struct tandem_event *api = event->layout->event;
	struct other_way_error *error;

	if (api->class == TANDEM_CLASS_QUERY || api->class == TANDEM_CLASS_WAIT)
		return 0;
	ways->threads[event->stream->index] = (struct other_way_thread){.failed = true, .row = row};
	if (array_reserve(&ways->errors, &ways->error_capacity, row + 1, sizeof(*ways->errors)))
		return -ENOMEM;
	while (ways->error_count <= row)
		ways->errors[ways->error_count++] = (struct other_way_error){0};
	error = &ways->errors[row];
	if (!error->api)
		*error = (struct other_way_error){
			.api = api,
			.process = event->stream->process->index,
			.since_ns = event->ns,
			.launch = api->class == TANDEM_CLASS_ENQUEUE && kernel_of(event),
			.memory = asks_for_memory(event),
			.kernel = kernel_of(event),
		};
	if (error->launch && kernel_of(event) == error->kernel)
		note_size(error, event);
	return 0;
}

static void note_granted(struct other_ways *ways, const struct trace_event *event)
{
	for (size_t i = 0; i < ways->error_count; i++) {
		struct other_way_error *error = &ways->errors[i];

		if (error->api == event->layout->event &&
		    error->process == event->stream->process->index &&
		    (error->memory || error->kernel == kernel_of(event)))
			error->granted = true;
	}
}

int other_way_call(struct other_ways *ways, const struct event_item *item)
{
	struct other_way_thread *thread = &ways->threads[item->event->stream->index];
	uint64_t op;

	note_granted(ways, item->event);
	if (!thread->failed)
		return 0;
	op = trace_event_op(item->event);
	if (!op) {
		thread->failed = ++thread->calls <= CALLS_BETWEEN;
		return 0;
	}
	thread->failed = false;
	return map_set(&ways->after, operation_key(item->event->stream->process->index, op),
		       thread->row);
}

static void note_times(struct other_way_kernel *kernel, const struct operation *operation,
		       bool in_a_row)
{
	const struct operation_times *times = &operation->times;

	kernel->ns += operation->record->end - operation->record->start;
	if (in_a_row && times->start_ns > kernel->end_ns)
		kernel->gap_ns += (uint64_t)(times->start_ns - kernel->end_ns);
	if (times->end_ns > kernel->end_ns)
		kernel->end_ns = times->end_ns;
}

int other_way_command(struct other_ways *ways, const struct operation *operation)
{
	uint64_t key = operation_key(operation->process, operation->op);
	uint64_t row = ways->after.count ? map_remove(&ways->after, key) : MAP_NONE;
	const struct other_way_kernel fresh = {
		.name = operation->name,
		.process = operation->process,
		.number = operation->record->kernel,
		.device = operation->device,
		.api = operation->api,
		.since_ns = operation->call ? operation->call_begin_ns : operation->seen_ns,
		.row = row == MAP_NONE ? OTHER_WAY_NONE : (size_t)row,
	};
	struct other_way_kernel *kernel;
	size_t latest = ways->latest;

	if (operation->kind != TANDEM_OPERATION_KIND_kernel)
		return 0;
	key = (uint64_t)(uintptr_t)operation->name * 31 + operation->process;
	kernel = keyed_row(&ways->kernel_of, key, &ways->kernels, &ways->capacity, &ways->count,
			   &fresh, sizeof(fresh));
	if (!kernel)
		return -ENOMEM;
	ways->latest = (size_t)(kernel - ways->kernels) + 1;
	kernel->launches++;
	kernel->after += row != MAP_NONE && row == kernel->row;
	kernel->items += product(operation->size.global, operation->size.dimensions);
	kernel->in_a_row += row == MAP_NONE && ways->latest == latest;
	if (operation->placed)
		note_times(kernel, operation, row == MAP_NONE && ways->latest == latest);
	return 0;
}

void other_ways_free(struct other_ways *ways)
{
	free(ways->threads);
	free(ways->errors);
	free(ways->kernels);
	map_free(&ways->after);
	map_free(&ways->kernel_of);
}
