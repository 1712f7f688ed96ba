/* SPDX-License-Identifier: MIT */
#include "analysis/findings/transfers/rows.h"

#include <errno.h>

#include "trace/field.h"
#include "util/units.h"

/* Wider rows move as one piece does, or nearly. */
#define ROW_BYTES 128u

/* Of no more, that it was enqueued at all took most. */
#define LEAST_BYTES 4096u

/* Fewer are no habit. */
#define HABIT_COUNT 16u

/* Bytes a ns at which one piece is moved at the least, where no transfer of the run says more: a core
 * copies so fast, and PCI Express 3.0 with 16 lanes does. */
#define PIECE_RATE 10.0

/* In a map's value: the width, and from there on the elements of the box, 0: not known. */
#define WIDTH_BITS 16

int rows_call(struct rows *rows, const struct event_item *item)
{
	const struct tandem_field *row = trace_field_role(item->event->layout, TANDEM_ROLE_row);
	uint64_t width = 0, box = 0;
	const uint8_t *elements;
	size_t count;

	if (!row || !trace_event_op(item->event) || trace_event_failed(item->event))
		return 0;
	if (row->variable) {
		elements = trace_field_elements(item->event, row, &count);
		box = count ? 1 : 0;
		for (size_t i = 0; i < count; i++)
			box *= trace_element_unsigned(row, elements + i * row->bytes);
		width = count ? trace_element_unsigned(row, elements) : 0;
	} else {
		width = trace_field_unsigned(item->event, row);
	}
	return width && width <= ROW_BYTES
		       ? map_set(&rows->narrow, item->call, box << WIDTH_BITS | width)
		       : 0;
}

bool rows_take(struct rows *rows, const struct operation *operation)
{
	uint64_t known = rows->narrow.count ? map_remove(&rows->narrow, operation->call) : MAP_NONE;
	uint64_t bytes, box;

	if (known == MAP_NONE || !operation->record || operation->record->bytes <= LEAST_BYTES)
		return false;
	/* An image's elements are pixels. */
	bytes = known & ((1u << WIDTH_BITS) - 1);
	box = known >> WIDTH_BITS;
	return (box ? bytes * (operation->record->bytes / box) : bytes) <= ROW_BYTES;
}

int rows_add(struct findings *findings, uint32_t device, uint8_t kind,
	     const struct transfer_class *class, double best)
{
	char count[UNITS_BYTES], bytes[UNITS_BYTES], rate[UNITS_BYTES], most[UNITS_BYTES];
	struct finding *finding;
	double moved_ns;

	if (best < PIECE_RATE)
		best = PIECE_RATE;
	moved_ns = (double)class->bytes / best;
	if (class->count < HABIT_COUNT || moved_ns >= (double)class->ns)
		return 0;
	finding = transfer_class_finding(class, findings, device, kind, "slow");
	if (!finding)
		return -ENOMEM;
	finding->cost_ns = class->ns - (uint64_t)moved_ns;
	finding->what = findings_text(
		findings,
		"%s transfers %s (%s) of about %s, in rows of a few bytes each, ran at %s/s",
		units_count(count, class->count), transfer_direction(kind),
		transfer_class_api(class, findings),
		units_bytes(bytes, (double)class->bytes / (double)class->count),
		units_bytes(rate, transfer_class_rate(class) * 1e9));
	finding->why = findings_text(findings, "against %s/s, at which one piece is moved",
				     units_bytes(most, best * 1e9));
	finding->suggestion =
		"let a kernel pack the rows, and transfer them in one piece; or keep them together";
	return 0;
}

void rows_free(struct rows *rows)
{
	map_free(&rows->narrow);
}
