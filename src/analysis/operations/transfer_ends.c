/* SPDX-License-Identifier: MIT */
#include "analysis/operations/transfer_ends.h"

#include "analysis/operations/transfer_directions.h"
#include "trace/event.h"
#include "trace/field.h"

/* Addresses are no numbers of objects. */
#define IS_ADDRESS (UINT64_C(1) << 63)

uint64_t transfer_ends_buffer(const struct trace_event *event, uint64_t buffer)
{
	return buffer ^
	       (uint64_t)(event->stream->process->index + 1) * UINT64_C(0x9E3779B97F4A7C15);
}

uint64_t transfer_ends_address(const struct trace_event *event, uint64_t address)
{
	return transfer_ends_buffer(event, address | IS_ADDRESS);
}

static uint64_t value_of(const struct trace_event *event, enum tandem_role role)
{
	const struct tandem_field *field = trace_field_role(event->layout, role);

	return field ? trace_field_unsigned(event, field) : 0;
}

/* Of a call whose argument is a struct: an end may be an array, and the host's can have a field of its own. */
static void struct_ends(const struct trace_event *event, uint64_t *to, uint64_t *from,
			uint64_t *host)
{
	if (!trace_field_role(event->layout, TANDEM_ROLE_destination) ||
	    !trace_field_role(event->layout, TANDEM_ROLE_source))
		return;
	if (!*to)
		*to = trace_field_number(event, "dst_array");
	if (!*from)
		*from = trace_field_number(event, "src_array");
	if (!*to != !*from)
		*host = trace_field_number(event, *to ? "src_host" : "dst_host");
}

bool transfer_ends_find(const struct trace_event *event, struct transfer_ends *ends)
{
	const struct tandem_field *object = trace_field_role(event->layout, TANDEM_ROLE_memory);
	uint64_t to, from;

	ends->host = value_of(event, TANDEM_ROLE_address);
	ends->is_address = !object;
	if (object) {
		ends->buffer = transfer_ends_buffer(event, trace_field_unsigned(event, object));
		return object->kind == TANDEM_FIELD_OBJECT;
	}
	to = value_of(event, TANDEM_ROLE_destination);
	from = value_of(event, TANDEM_ROLE_source);
	if (!ends->host && (!to || !from))
		struct_ends(event, &to, &from, &ends->host);
	if (ends->host && !to != !from) {
		ends->buffer = transfer_ends_address(event, to ? to : from);
		return true;
	}
	if (!to || !from || event->direction == TRANSFER_UNKNOWN)
		return false;
	ends->buffer =
		transfer_ends_address(event, event->direction == TRANSFER_TO_DEVICE ? to : from);
	ends->host = event->direction == TRANSFER_TO_DEVICE ? from : to;
	return true;
}
