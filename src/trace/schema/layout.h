/* SPDX-License-Identifier: MIT */
/* Layouts as the reader needs them: for one argument level, by event id, with
 * what is needed to check a record's size before anyone looks inside. Made once
 * per level, shared by all processes of a session. Read-only afterwards, any
 * thread.
 *
 *	const struct trace_layout *layout = trace_layouts_get(layouts, record->id);
 *	if (!layout || !trace_layout_fits(layout, record, record->size))
 *		damage, or a record that trace_layout_convert() makes one of this build;
 */
#ifndef TANDEM_TRACE_LAYOUT_H
#define TANDEM_TRACE_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/control.h"
#include "schema/record.h"
#include "schema/schema.h"
#include "trace/schema/schema.h"

struct trace_variable { /* a variable field, as checking sizes wants it */
	uint16_t count_offset;
	uint8_t count_bytes, element_bytes;
};

struct trace_conversion;

struct trace_layout {
	const struct tandem_event *event;
	const struct tandem_layout *layout;
	uint32_t fixed_bytes; /* UINT32_MAX, which no record fits, where it must be converted */
	uint16_t op_offset;   /* of an enqueue's operation id; 0: has none */
	uint16_t variable_count;
	uint32_t index; /* 0..trace_layouts_count() - 1, to key tables by event */
	uint8_t class;	/* cached from the event descriptor, and the next too */
	bool has_result, is_call;
	bool is_plain; /* a call that enqueues nothing, waits for nothing and is no task's */
	const struct tandem_field *const *variables;
	const struct trace_variable *sizes;	   /* of the same fields */
	const struct trace_conversion *conversion; /* NULL: what is stored is this layout */
	uint8_t roles[TANDEM_ROLE_COUNT]; /* 1 + number of the field that has it; 0: none */
};

struct trace_layouts;

/* Borrows the schema, finished; NULL: this build's own events. Returns NULL when memory
 * runs out. */
struct trace_layouts *trace_layouts_create(const struct trace_schema *schema,
					   enum tandem_args_level level);

/* The same without some domains. Borrows the other's events, which must outlive it. */
struct trace_layouts *trace_layouts_without(const struct trace_layouts *layouts,
					    const struct trace_schema *schema, uint64_t domains);
void trace_layouts_destroy(struct trace_layouts *layouts);

/* Number of events over all domains; the same at every level. */
unsigned trace_layouts_count(const struct trace_layouts *layouts);

/* Numbers the events from `first` on. */
void trace_layouts_number(struct trace_layouts *layouts, unsigned first);

#define TRACE_LAYOUTS_IDS (1u << 16)

struct trace_layouts {
	/* NULL where the schema has no such event. Few of its pages are ever touched. */
	const struct trace_layout *by_id[TRACE_LAYOUTS_IDS];
	unsigned count;
	struct trace_layout *all;
	struct arena arena; /* of what they point to */
};

/* NULL where the schema has no such event; the first event of a page is never written. */
static inline const struct trace_layout *trace_layouts_get(const struct trace_layouts *layouts,
							   uint16_t id)
{
	return layouts->by_id[id];
}

/* Makes a record of this build of one that is stored in another layout (layout->conversion)
 * and has `bytes` bytes: in `made`, TRACE_RECORD_BYTES of room. Returns its size, or 0
 * where the record is not as its own layout says. */
#define TRACE_RECORD_BYTES 65536u
uint32_t trace_layout_convert(const struct trace_layout *layout, const void *record, uint32_t bytes,
			      void *made);

/* Bytes behind the fixed part. */
static inline uint32_t trace_variable_bytes(struct trace_variable variable, const void *record)
{
	const uint8_t *count = (const uint8_t *)record + variable.count_offset;
	uint32_t elements = count[0];

	if (variable.count_bytes == 2)
		elements |= (uint32_t)count[1] << 8;
	return elements * variable.element_bytes;
}

/* Whether a record of `bytes` bytes has just the size that its event says. */
static inline bool trace_layout_fits(const struct trace_layout *layout, const void *record,
				     uint32_t bytes)
{
	uint32_t need = layout->fixed_bytes;

	if (bytes < need)
		return false;
	for (unsigned i = 0; i < layout->variable_count; i++)
		need += trace_variable_bytes(layout->sizes[i], record);
	return need == bytes;
}

/* The same of a record that was converted. */
static inline bool trace_layout_fits_made(const struct trace_layout *layout, const void *record,
					  uint32_t bytes)
{
	uint32_t need = layout->layout->fixed_bytes;

	if (bytes < need)
		return false;
	for (unsigned i = 0; i < layout->variable_count; i++)
		need += trace_variable_bytes(layout->sizes[i], record);
	return need == bytes;
}

#endif
