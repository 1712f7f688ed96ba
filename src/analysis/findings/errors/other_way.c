/* SPDX-License-Identifier: MIT */
#include "analysis/findings/errors/other_way.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/event_iterator.h"
#include "analysis/operations/operation.h"
#include "trace/field.h"
#include "util/keyed_row.h"

/* Who makes more calls in between does something else. */
#define CALLS_BETWEEN 8u

/* So often is a habit. */
#define LAUNCHES_LEAST 8u

/* But for such a part of its launches, or of the failures. */
#define EXCEPTIONS 10u

/* In place of a kernel's row: it was launched without an error as well. */
#define NO_OTHER_WAY (MAP_NONE - 1)

int other_ways_open(struct other_ways *ways, size_t stream_count)
{
	memset(ways, 0, sizeof(*ways));
	ways->threads = calloc(stream_count + 1, sizeof(*ways->threads));
	return ways->threads ? 0 : -ENOMEM;
}

/* A question that is answered by an error, and a wait that tells of a command, are no way that failed. */
void other_way_failed(struct other_ways *ways, const struct event_item *item, size_t row)
{
	struct other_way_thread *thread = &ways->threads[item->event->stream->index];
	enum tandem_event_class class = item->event->layout->event->class;

	if (class != TANDEM_CLASS_QUERY && class != TANDEM_CLASS_WAIT)
		*thread = (struct other_way_thread){.failed = true, .row = row};
}

int other_way_call(struct other_ways *ways, const struct event_item *item)
{
	struct other_way_thread *thread = &ways->threads[item->event->stream->index];
	uint64_t op;

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

int other_way_command(struct other_ways *ways, const struct operation *operation)
{
	uint64_t key = operation_key(operation->process, operation->op);
	uint64_t row = ways->after.count ? map_remove(&ways->after, key) : MAP_NONE;
	const struct other_way_kernel fresh = {
		.name = operation->name, .process = operation->process, .row = (size_t)row};
	struct other_way_kernel *kernel;
	uint64_t known;

	if (operation->kind != TANDEM_OPERATION_KIND_kernel)
		return 0;
	key = (uint64_t)(uintptr_t)operation->name * 31 + operation->process;
	known = map_get(&ways->kernel_of, key);
	/* One that is launched before any error, or without, is none. */
	if (known == MAP_NONE && row == MAP_NONE)
		return map_set(&ways->kernel_of, key, NO_OTHER_WAY);
	if (known == NO_OTHER_WAY)
		return 0;
	kernel = keyed_row(&ways->kernel_of, key, &ways->kernels, &ways->capacity, &ways->count,
			   &fresh, sizeof(fresh));
	if (!kernel)
		return -ENOMEM;
	kernel->launches++;
	kernel->after += row == kernel->row;
	if (operation->placed)
		kernel->ns += operation->record->end - operation->record->start;
	return 0;
}

const struct other_way_kernel *other_way_of(const struct other_ways *ways, size_t row,
					    uint64_t failures)
{
	const struct other_way_kernel *most = NULL;

	for (size_t i = 0; i < ways->count; i++) {
		const struct other_way_kernel *kernel = &ways->kernels[i];

		if (kernel->row == row && kernel->after >= LAUNCHES_LEAST &&
		    (kernel->launches - kernel->after) * EXCEPTIONS <= kernel->launches &&
		    kernel->after * EXCEPTIONS >= failures * (EXCEPTIONS - 1) &&
		    (!most || kernel->ns > most->ns))
			most = kernel;
	}
	return most;
}

void other_ways_free(struct other_ways *ways)
{
	free(ways->threads);
	free(ways->kernels);
	map_free(&ways->after);
	map_free(&ways->kernel_of);
}
