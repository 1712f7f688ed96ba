/* SPDX-License-Identifier: MIT */
#include "analysis/findings/launch/counted.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/event_value.h"
#include "analysis/operations/kernel_source.h"
#include "util/keyed_row.h"

#define ARGUMENTS 16u

/* No float that counts has the bits of a whole number below it. */
#define NUMBER_MOST (1u << 29)

struct counted_source {
	uint32_t reads, writes; /* bits of arguments */
};

struct counted_argument {
	uint64_t now, launched;
	uint8_t bytes; /* 0: not known, or no value */
};

struct counted_kernel {
	struct counted_source source;
	struct counted_argument arguments[ARGUMENTS];
	bool unknown;
	/* Of its latest launch: place in `arguments` of the number that went up; ARGUMENTS: none yet. */
	unsigned place;
	uint64_t step;
	uint64_t size; /* hash */
};

struct counted_thread {
	uint64_t kernel; /* that its latest command is of; 0: it is another one */
	uint64_t series;
};

static uint64_t key_of(const struct trace_event *event, uint64_t kernel)
{
	return (uint64_t)(event->stream->process->index + 1) << 32 | (uint32_t)kernel;
}

static int note_source(struct counted *counted, const struct trace_event *event)
{
	const struct tandem_rec_kernel_reads *record = (const void *)event->record;
	struct counted_source source = {record->arguments, record->writes};

	return !source.writes || keyed_row(&counted->source_of,
					   kernel_source_key(event, record->program, "kernel"),
					   &counted->sources, &counted->source_capacity,
					   &counted->source_count, &source, sizeof(source))
		       ? 0
		       : -ENOMEM;
}

static int note_kernel(struct counted *counted, const struct trace_event *event)
{
	const struct tandem_rec_kernel *record = (const void *)event->record;
	struct counted_kernel kernel = {.place = ARGUMENTS};
	uint64_t source;

	if (!counted->source_count)
		return 0;
	source = map_get(&counted->source_of, kernel_source_key(event, record->program, "name"));
	if (source == MAP_NONE)
		return 0;
	kernel.source = counted->sources[source];
	return keyed_row(&counted->kernel_of, key_of(event, record->kernel), &counted->kernels,
			 &counted->kernel_capacity, &counted->kernel_count, &kernel, sizeof(kernel))
		       ? 0
		       : -ENOMEM;
}

static struct counted_kernel *kernel_find(const struct counted *counted, uint64_t key)
{
	uint64_t known = map_get(&counted->kernel_of, key);

	return known == MAP_NONE ? NULL : &counted->kernels[known];
}

static void note_argument(struct counted *counted, const struct trace_event *event,
			  const struct tandem_field *value)
{
	const struct tandem_field *of = trace_field_role(event->layout, TANDEM_ROLE_kernel);
	const struct tandem_field *at = trace_field_role(event->layout, TANDEM_ROLE_index);
	struct counted_kernel *kernel;
	struct counted_argument *argument;
	const uint8_t *elements;
	uint64_t index;
	size_t bytes;

	kernel = of && at && !trace_event_failed(event)
			 ? kernel_find(counted, key_of(event, trace_field_unsigned(event, of)))
			 : NULL;
	if (!kernel)
		return;
	index = trace_field_unsigned(event, at);
	if (index >= ARGUMENTS || !value->variable) {
		kernel->unknown = true;
		return;
	}
	argument = &kernel->arguments[index];
	elements = trace_field_elements(event, value, &bytes);
	argument->now = 0;
	argument->bytes = bytes <= sizeof(argument->now) ? (uint8_t)bytes : 0;
	memcpy(&argument->now, elements, argument->bytes);
}

/* No launch needs what another one wrote: what may be memory is only read, or only written, and not the
 * same for both. */
static bool is_apart(const struct counted_kernel *kernel)
{
	uint32_t reads = kernel->source.reads, writes = kernel->source.writes;

	for (unsigned i = 0; i < ARGUMENTS; i++) {
		const struct counted_argument *argument = &kernel->arguments[i];

		if (argument->bytes != sizeof(argument->now))
			continue;
		if (!((reads | writes) >> i & 1))
			return false;
		for (unsigned j = 0; writes >> i & 1 && j < ARGUMENTS; j++) {
			if (reads >> j & 1 && kernel->arguments[j].now == argument->now)
				return false;
		}
	}
	return !kernel->unknown;
}

/* The place of the only argument that is another than at the launch before; ARGUMENTS: none, or several. */
static unsigned changed_place(const struct counted_kernel *kernel)
{
	unsigned place = ARGUMENTS;

	for (unsigned i = 0; i < ARGUMENTS; i++) {
		if (kernel->arguments[i].now == kernel->arguments[i].launched)
			continue;
		if (place < ARGUMENTS)
			return ARGUMENTS;
		place = i;
	}
	return place;
}

/* Whether its launch goes on where the one before was. */
static bool goes_on(struct counted_kernel *kernel, uint64_t size)
{
	unsigned place = changed_place(kernel);
	const struct counted_argument *number;
	uint64_t step;

	if (place == ARGUMENTS || size != kernel->size || !is_apart(kernel))
		return false;
	number = &kernel->arguments[place];
	if (number->bytes != sizeof(uint32_t) || number->now >= NUMBER_MOST ||
	    number->now <= number->launched)
		return false;
	step = number->now - number->launched;
	if (kernel->place != ARGUMENTS && (place != kernel->place || step != kernel->step))
		return false;
	kernel->place = place;
	kernel->step = step;
	return true;
}

static uint64_t size_of(const struct trace_event *event)
{
	struct event_launch_size launch;
	uint64_t key = HASH_START;

	if (!event->layout->roles[TANDEM_ROLE_global] || !event_launch_size_read(event, &launch))
		return 0;
	for (unsigned i = 0; i < 3; i++) {
		hash_number(&key, i < launch.globals ? launch.global[i] : 0);
		hash_number(&key, i < launch.locals ? launch.local[i] : 0);
		hash_number(&key, i < launch.offsets ? launch.offset[i] : 0);
	}
	return key;
}

static int note_launch(struct counted *counted, struct counted_thread *thread,
		       const struct trace_event *event, uint64_t key)
{
	struct counted_kernel *kernel = kernel_find(counted, key);
	uint64_t size = kernel ? size_of(event) : 0;

	if (!kernel || !size || trace_event_failed(event)) {
		thread->kernel = 0;
		return 0;
	}
	if (thread->kernel != key || !goes_on(kernel, size)) {
		thread->series = ++counted->series;
		kernel->place = ARGUMENTS;
	}
	thread->kernel = key;
	kernel->size = size;
	for (unsigned i = 0; i < ARGUMENTS; i++)
		kernel->arguments[i].launched = kernel->arguments[i].now;
	return map_set(&counted->series_of,
		       operation_key(event->stream->process->index, trace_event_op(event)),
		       thread->series);
}

/* What a thread does with a queue, or waits for, ends a series. */
static int note_call(struct counted *counted, const struct trace_event *event)
{
	static const struct counted_thread fresh;
	const struct tandem_field *field;
	struct counted_thread *thread;
	bool is_wait = event->layout->event->class == TANDEM_CLASS_WAIT;

	if (!counted->kernel_count)
		return 0;
	field = trace_field_role(event->layout, TANDEM_ROLE_argument);
	if (field)
		note_argument(counted, event, field);
	if (!is_wait && !trace_event_op(event))
		return 0;
	thread =
		keyed_row(&counted->thread_of, event->stream->index, &counted->threads,
			  &counted->thread_capacity, &counted->thread_count, &fresh, sizeof(fresh));
	if (!thread)
		return -ENOMEM;
	field = is_wait ? NULL : trace_field_role(event->layout, TANDEM_ROLE_kernel);
	if (!field) {
		thread->kernel = 0;
		return 0;
	}
	return note_launch(counted, thread, event,
			   key_of(event, trace_field_unsigned(event, field)));
}

static int note_operation(struct counted *counted, const struct operation *operation)
{
	uint64_t series;

	if (!counted->series_of.count)
		return 0;
	series = map_remove(&counted->series_of, operation_key(operation->process, operation->op));
	return series == MAP_NONE || !operation->placed
		       ? 0
		       : counted_series_add(&counted->rows, series, operation);
}

int counted_item(struct counted *counted, const struct event_item *item)
{
	switch (item->kind) {
	case ITEM_CALL:
		return note_call(counted, item->event);
	case ITEM_OPERATION:
		return note_operation(counted, &item->operation);
	case ITEM_OBJECT:
	case ITEM_OTHER:
		if (item->event->record->id == TANDEM_EVENT_kernel_reads)
			return note_source(counted, item->event);
		return item->event->record->id == TANDEM_EVENT_kernel
			       ? note_kernel(counted, item->event)
			       : 0;
	default:
		return 0;
	}
}

void counted_free(struct counted *counted)
{
	map_free(&counted->source_of);
	free(counted->sources);
	map_free(&counted->kernel_of);
	free(counted->kernels);
	map_free(&counted->thread_of);
	free(counted->threads);
	map_free(&counted->series_of);
	counted_series_free(&counted->rows);
}
