/* SPDX-License-Identifier: MIT */
#include "analysis/events/event_value.h"

#include <inttypes.h>
#include <string.h>

#include "trace/field.h"
#include "trace/operation.h"

const char *event_object_noun(uint8_t object)
{
	static const char *const nouns[] = {
#define X(name) #name,
		TANDEM_OBJECTS(X)
#undef X
	};

	return object < sizeof(nouns) / sizeof(*nouns) ? nouns[object] : "object";
}

const char *event_object_name(struct trace_objects *objects, const struct trace_event *event,
			      uint8_t object, uint32_t number)
{
	uint32_t process = event->stream->process->index;
	uint32_t name;

	if ((object != TANDEM_OBJECT_kernel && object != TANDEM_OBJECT_device) || !number ||
	    number == UINT32_MAX ||
	    trace_objects_look(objects, event, (enum tandem_object)object, number))
		return "";
	if (object == TANDEM_OBJECT_kernel) {
		name = trace_objects_kernel(objects, process, number);
	} else {
		name = trace_objects_device(objects, process, number);
		if (name != TRACE_NONE)
			name = objects->devices[name].name;
	}
	return name == TRACE_NONE ? "" : intern_text(&objects->names, name);
}

void event_flags(struct text *out, const struct tandem_names *names, uint64_t value)
{
	const char *whole = trace_name_find(names, (int64_t)value);
	bool first = true;

	if (whole) {
		text_add_string(out, whole);
		return;
	}
	for (size_t i = 0; names && i < names->count; i++) {
		uint64_t flag = (uint64_t)names->names[i].value;

		if (!flag || (value & flag) != flag)
			continue;
		if (!first)
			text_add_char(out, '|');
		first = false;
		text_add_string(out, names->names[i].name);
		value &= ~flag;
	}
	if (value || first)
		text_format(out, value ? "%s0x%" PRIx64 : "%s0", first ? "" : "|", value);
}

void event_op(struct text *out, uint64_t op)
{
	if (!op) {
		text_add_string(out, "none");
	} else if (op == UINT64_MAX) {
		text_add_string(out, "unknown");
	} else {
		if (trace_operation_is_runtime(op))
			text_add_string(out, "runtime");
		else
			text_add_unsigned(out, trace_operation_thread(op));
		text_add_char(out, ':');
		text_add_unsigned(out, trace_operation_number(op));
	}
}

/* Up to three elements of a field, the bits from `shift` on taken from `high`. */
static unsigned launch_sizes(const struct trace_event *event, const struct tandem_field *field,
			     uint64_t sizes[3], const uint8_t **high, size_t *highs, unsigned shift)
{
	size_t count = 0;
	const uint8_t *at = trace_field_elements(event, field, &count);
	unsigned taken = count > 3 ? 3 : (unsigned)count;

	for (unsigned i = 0; i < taken; i++) {
		sizes[i] = trace_element_unsigned(field, at + i * field->bytes);
		if (*highs) {
			uint32_t upper;

			memcpy(&upper, *high, sizeof(upper));
			sizes[i] |= (uint64_t)upper << shift;
			*high += sizeof(upper);
			--*highs;
		}
	}
	return taken;
}

bool event_launch_size_read(const struct trace_event *event, struct event_launch_size *launch)
{
	const struct tandem_field *global = trace_field_role(event->layout, TANDEM_ROLE_global);
	const struct tandem_field *local = trace_field_role(event->layout, TANDEM_ROLE_local);
	const struct tandem_field *offset = trace_field_role(event->layout, TANDEM_ROLE_offset);
	const struct tandem_field *high = trace_field_role(event->layout, TANDEM_ROLE_high);
	const uint8_t *upper;
	size_t highs = 0;

	if (!global || !local || !offset || !high || !global->variable || !local->variable ||
	    !offset->variable || !high->variable || high->bytes != 4)
		return false;
	upper = trace_field_elements(event, high, &highs);
	launch->globals = launch_sizes(event, global, launch->global, &upper, &highs, 32);
	launch->locals = launch_sizes(event, local, launch->local, &upper, &highs, 16);
	launch->offsets = launch_sizes(event, offset, launch->offset, &upper, &highs, 32);
	return true;
}
