/* SPDX-License-Identifier: MIT */
#include "analysis/operations/transfer_directions.h"

#include "schema/gen/core_records.h"
#include "trace/event.h"
#include "trace/field.h"

/* What the calls say besides: between places of the host, or of devices. */
enum { ON_HOST = 0, ON_DEVICE = 3 };

/* NULL: it is the host's own, or has no address. */
static struct address_ranges *ranges_of(struct transfer_directions *directions, uint8_t kind)
{
	switch (kind) {
	case TANDEM_MEMORY_KIND_device:
	case TANDEM_MEMORY_KIND_pooled:
	case TANDEM_MEMORY_KIND_managed:
		return &directions->device;
	case TANDEM_MEMORY_KIND_svm:
	case TANDEM_MEMORY_KIND_usm_device:
	case TANDEM_MEMORY_KIND_usm_shared:
		return &directions->shared;
	default:
		return NULL;
	}
}

int transfer_directions_memory(struct transfer_directions *directions,
			       const struct trace_event *event)
{
	const struct tandem_rec_memory *made = (const void *)event->record;
	const struct tandem_rec_memory_free *freed = (const void *)event->record;
	uint32_t process = event->stream->process->index;
	struct address_ranges *ranges;

	if (event->record->id == TANDEM_EVENT_memory_free) {
		address_ranges_remove(&directions->device, process, freed->memory);
		address_ranges_remove(&directions->shared, process, freed->memory);
		return 0;
	}
	ranges = ranges_of(directions, made->kind);
	return ranges ? address_ranges_add(ranges, process, made->handle, made->bytes, made->memory)
		      : 0;
}

static bool is_there(const struct address_ranges *ranges, const struct trace_event *event,
		     enum tandem_role role)
{
	const struct tandem_field *field = trace_field_role(event->layout, role);

	return field && address_ranges_find(ranges, event->stream->process->index,
					    trace_field_unsigned(event, field)) != 0;
}

void transfer_directions_call(const struct transfer_directions *directions,
			      struct trace_event *event)
{
	const struct tandem_field *field = trace_field_role(event->layout, TANDEM_ROLE_direction);
	uint64_t said = field ? trace_field_unsigned(event, field) : 0;
	const struct address_ranges *ranges = field ? &directions->device : &directions->shared;
	bool to, from;

	event->direction =
		said == TRANSFER_TO_DEVICE || said == TRANSFER_TO_HOST ? (uint8_t)said : 0;
	if (event->direction || !ranges->count || (field && (said == ON_HOST || said == ON_DEVICE)))
		return;
	to = is_there(ranges, event, TANDEM_ROLE_destination);
	from = is_there(ranges, event, TANDEM_ROLE_source);
	if (to != from && trace_field_role(event->layout, TANDEM_ROLE_source))
		event->direction = to ? TRANSFER_TO_DEVICE : TRANSFER_TO_HOST;
}

void transfer_directions_free(struct transfer_directions *directions)
{
	address_ranges_free(&directions->device);
	address_ranges_free(&directions->shared);
}
