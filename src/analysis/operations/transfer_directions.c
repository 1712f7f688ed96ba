/* SPDX-License-Identifier: MIT */
#include "analysis/operations/transfer_directions.h"

#include "schema/gen/core_records.h"
#include "trace/event.h"
#include "trace/field.h"

/* What the calls say besides: between places of the host, or of devices. */
enum { ON_HOST = 0, ON_DEVICE = 3 };

int transfer_directions_memory(struct transfer_directions *directions,
			       const struct trace_event *event)
{
	const struct tandem_rec_memory *made = (const void *)event->record;
	const struct tandem_rec_memory_free *freed = (const void *)event->record;
	uint32_t process = event->stream->process->index;

	if (event->record->id == TANDEM_EVENT_memory_free) {
		address_ranges_remove(&directions->device, process, freed->memory);
		return 0;
	}
	if (made->kind != TANDEM_MEMORY_KIND_device && made->kind != TANDEM_MEMORY_KIND_pooled &&
	    made->kind != TANDEM_MEMORY_KIND_managed)
		return 0;
	return address_ranges_add(&directions->device, process, made->handle, made->bytes,
				  made->memory);
}

static bool is_device(const struct transfer_directions *directions, const struct trace_event *event,
		      enum tandem_role role)
{
	const struct tandem_field *field = trace_field_role(event->layout, role);

	return field && address_ranges_find(&directions->device, event->stream->process->index,
					    trace_field_unsigned(event, field)) != 0;
}

void transfer_directions_call(const struct transfer_directions *directions,
			      struct trace_event *event)
{
	const struct tandem_field *field = trace_field_role(event->layout, TANDEM_ROLE_direction);
	uint64_t said = field ? trace_field_unsigned(event, field) : 0;
	bool to, from;

	event->direction =
		said == TRANSFER_TO_DEVICE || said == TRANSFER_TO_HOST ? (uint8_t)said : 0;
	if (!field || event->direction || said == ON_HOST || said == ON_DEVICE ||
	    !directions->device.count)
		return;
	to = is_device(directions, event, TANDEM_ROLE_destination);
	from = is_device(directions, event, TANDEM_ROLE_source);
	if (to != from)
		event->direction = to ? TRANSFER_TO_DEVICE : TRANSFER_TO_HOST;
}

void transfer_directions_free(struct transfer_directions *directions)
{
	address_ranges_free(&directions->device);
}
