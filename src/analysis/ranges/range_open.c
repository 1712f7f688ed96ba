/* SPDX-License-Identifier: MIT */
#include "analysis/ranges/range_open.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

const char *range_kind_name(enum tandem_annotation_kind kind)
{
	return kind == TANDEM_ANNOTATION_KIND_nested	  ? "nested"
	       : kind == TANDEM_ANNOTATION_KIND_start_end ? "start_end"
							  : "marker";
}

struct range_open *range_open_make(const struct trace_event *event, uint64_t number)
{
	const struct tandem_annotation_range *record = (const void *)event->record;
	struct range_open *open = calloc(1, sizeof(*open) + record->text_count + 1u);

	if (!open)
		return NULL;
	memcpy(open->name, record + 1, record->text_count);
	open->range = (struct range_instance){
		.number = number,
		.kind = record->kind,
		.source = record->source,
		.process = event->stream->process->index,
		.stream = event->stream->index,
		.thread = event->stream,
		.begin_ns = event->ns,
		.end_ns = INT64_MIN,
		.name = open->name,
		.name_length = record->text_count,
		.scope = record->scope,
		.category = record->category,
		.color = record->color,
		.payload_type = record->payload_type,
		.payload = record->payload,
	};
	return open;
}

void range_open_free(struct range_open *open)
{
	free(open->projections);
	free(open);
}

int range_open_settle(struct range_output *output, struct range_open *open)
{
	struct range_instance *range = &open->range;
	int status;

	if (!open->ended || open->references)
		return 0;
	range->scope_name = range_names_scope(&output->names, range->process, range->scope);
	if (!range->scope_name)
		range->scope_name = "";
	range->category_name = range->category
				       ? range_names_category(&output->names, range->process,
							      range->scope, range->category)
				       : NULL;
	if (!range->category_name)
		range->category_name = "";
	range->projections = open->projections;
	status = output->emit(output->user, range);
	range_open_free(open);
	return status;
}

static struct range_projection *projection_of(struct range_open *open, uint32_t device)
{
	struct range_projection *projection;

	for (size_t i = 0; i < open->range.projection_count; i++)
		if (open->projections[i].device == device)
			return &open->projections[i];
	if (array_reserve(&open->projections, &open->projection_capacity,
			  open->range.projection_count + 1, sizeof(*open->projections)))
		return NULL;
	projection = &open->projections[open->range.projection_count++];
	*projection = (struct range_projection){
		.device = device, .begin_ns = INT64_MAX, .end_ns = INT64_MIN};
	return projection;
}

static void projection_extend(struct range_projection *projection, int64_t begin_ns, int64_t end_ns)
{
	if (begin_ns < projection->begin_ns)
		projection->begin_ns = begin_ns;
	if (end_ns > projection->end_ns)
		projection->end_ns = end_ns;
}

int range_open_operation(struct range_open *open, const struct operation *operation)
{
	const struct trace_operation_times *times = &operation->device_times;
	bool kernel = operation->kind == TANDEM_OPERATION_KIND_kernel;
	struct range_projection *projection;

	if (!operation->record) {
		open->range.unfinished++;
		return 0;
	}
	projection = projection_of(open, operation->device);
	if (!projection)
		return -ENOMEM;
	open->range.operations++;
	open->range.kernels += kernel;
	projection->operations++;
	projection->kernels += kernel;
	if (!operation->record->time_domain || times->start > times->end) {
		projection->untimed++;
		return 0;
	}
	projection->executing_ns += times->end - times->start;
	if (operation->placed)
		projection_extend(projection, operation->times.start_ns, operation->times.end_ns);
	else
		projection_extend(projection, (int64_t)times->start, (int64_t)times->end);
	return 0;
}
