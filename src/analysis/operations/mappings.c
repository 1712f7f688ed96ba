/* SPDX-License-Identifier: MIT */
#include "analysis/operations/mappings.h"

#include "analysis/operations/transfer_ends.h"
#include "trace/field.h"

/* Of the flags: to be changed, and to be written as a whole. */
#define WRITES (2u | 4u)

enum mapping_kind mapping_find(const struct trace_event *event, struct mapping *mapping)
{
	uint64_t object = trace_field_number(event, "memobj");
	uint64_t flags = trace_field_number(event, "map_flags");
	uint64_t address = object || flags ? 0 : trace_field_number(event, "svm_ptr");
	struct transfer_ends ends;

	mapping->writes = flags & WRITES;
	if (flags && transfer_ends_find(event, &ends)) {
		mapping->buffer = ends.buffer;
		return MAPPING_MAPS;
	}
	if (object) {
		mapping->buffer = transfer_ends_buffer(event, object);
		return MAPPING_UNMAPS;
	}
	if (!address || trace_field_find(event->layout, "pattern"))
		return MAPPING_NONE;
	mapping->buffer = transfer_ends_address(event, address);
	flags = trace_field_number(event, "flags");
	mapping->writes = flags & WRITES;
	return flags ? MAPPING_MAPS : MAPPING_UNMAPS;
}
