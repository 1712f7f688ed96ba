/* SPDX-License-Identifier: MIT */
/* What an event's fields hold. A field (schema/schema.h) is looked up by what it means
 * or, where it is one of our own records', by name; then it is read from any number of
 * records. Any thread.
 *
 *	const struct tandem_field *queue = trace_field_role(event->layout, TANDEM_ROLE_queue);
 *	if (queue)
 *		printf("queue %" PRIu64, trace_field_unsigned(event, queue));
 */
#ifndef TANDEM_TRACE_FIELD_H
#define TANDEM_TRACE_FIELD_H

#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

/* The only object of a call that retains or releases one; NULL: there is none. */
const struct tandem_field *trace_field_object(const struct trace_layout *layout);

/* NULL where the event has no such field at the trace's level of arguments. */
static inline const struct tandem_field *trace_field_role(const struct trace_layout *layout,
							  enum tandem_role role)
{
	unsigned place = layout->roles[role];

	return place ? &layout->layout->fields[place - 1] : NULL;
}

const struct tandem_field *trace_field_find(const struct trace_layout *layout, const char *name);

/* Value of a fixed field, or number of elements of a variable one. */
uint64_t trace_field_unsigned(const struct trace_event *event, const struct tandem_field *field);

int64_t trace_field_signed(const struct trace_event *event, const struct tandem_field *field);

/* By its name; 0 where there is no such field. */
uint64_t trace_field_number(const struct trace_event *event, const char *name);

/* The name of its value; `unknown` where there is no such field, or no name for the value. */
const char *trace_field_word(const struct trace_event *event, const char *name,
			     const char *unknown);

/* Whether a call that enqueues an operation returns when that is complete, by its traits. */
static inline bool trace_event_synchronous(const struct trace_event *event)
{
	const struct tandem_field *blocking;

	switch (event->layout->event->traits.synchronous) {
	case TANDEM_WHEN_always:
		return true;
	case TANDEM_WHEN_argument:
		blocking = trace_field_role(event->layout, TANDEM_ROLE_blocking);
		return blocking && trace_field_unsigned(event, blocking);
	default:
		return false;
	}
}

/* Whether a call comes back only when the device has done something. */
bool trace_event_blocks(const struct trace_event *event);

/* The elements of a variable field, borrowed from the event; *count of them. */
const uint8_t *trace_field_elements(const struct trace_event *event,
				    const struct tandem_field *field, size_t *count);

/* One element (or a fixed field's bytes), by the field's size. */
uint64_t trace_element_unsigned(const struct tandem_field *field, const uint8_t *element);
int64_t trace_element_signed(const struct tandem_field *field, const uint8_t *element);
double trace_element_float(const struct tandem_field *field, const uint8_t *element);

/* Name of a value, or NULL. */
const char *trace_name_find(const struct tandem_names *names, int64_t value);

#endif
