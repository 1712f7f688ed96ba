/* SPDX-License-Identifier: MIT */
#include "cli/table_cell.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "util/units.h"

struct cell cell_read(const struct table_column *column, const void *row)
{
	const char *at = (const char *)row + column->offset;
	struct cell cell = {.string = ""};

	switch (column->kind) {
	case TABLE_STRING:
		memcpy(&cell.string, at, sizeof(cell.string));
		if (!cell.string)
			cell.string = "";
		break;
	case TABLE_SIGNED:
		memcpy(&cell.signed_number, at, sizeof(cell.signed_number));
		break;
	case TABLE_NS_FLOAT:
	case TABLE_PERCENT:
	case TABLE_RATE:
	case TABLE_PPM:
	case TABLE_REAL:
	case TABLE_AMOUNT:
	case TABLE_NS_CHANGE:
	case TABLE_CHANGE:
	case TABLE_P:
		memcpy(&cell.real, at, sizeof(cell.real));
		break;
	case TABLE_BOOL:
		cell.number = *(const bool *)(const void *)at;
		break;
	case TABLE_COUNT:
	case TABLE_NUMBER:
	case TABLE_NS:
	case TABLE_BOUND:
	case TABLE_BYTES:
		memcpy(&cell.number, at, sizeof(cell.number));
		break;
	}
	return cell;
}

bool cell_empty(const struct cell *cell)
{
	return !cell->number && !cell->signed_number &&
	       (isnan(cell->real) || fabs(cell->real) <= 0) && !*cell->string;
}

/* Bytes of the first `count` characters. */
static size_t characters_bytes(const char *string, size_t length, size_t count)
{
	size_t at = 0;

	while (count-- && at < length) {
		size_t run = utf8_length(string + at, length - at);

		at += run ? run : 1;
	}
	return at;
}

void table_add_cut(struct text *out, const char *string, size_t width)
{
	struct text whole = TEXT_INIT; /* as it is shown: a newline takes two characters */
	size_t characters, begin, end;

	text_escape(&whole, string, strlen(string));
	if (whole.failed || !whole.length) {
		out->failed |= whole.failed;
		return;
	}
	characters = utf8_count(whole.data, whole.length);
	begin = end = whole.length;
	if (width && characters > width) {
		begin = characters_bytes(whole.data, whole.length, width / 2);
		end = characters_bytes(whole.data, whole.length,
				       characters - (width - 1 - width / 2));
	}
	text_add(out, whole.data, begin);
	if (begin < end)
		text_add_string(out, "\xe2\x80\xa6");
	text_add(out, whole.data + end, whole.length - end);
	text_free(&whole);
}

/* "1,234", or "1,234.5" where it is no whole number. */
static void add_amount(struct text *out, double amount)
{
	char buffer[UNITS_BYTES];
	double tenths = round(amount * 10);

	text_add_string(out, units_count(buffer, (uint64_t)(tenths / 10)));
	if (fmod(tenths, 10) >= 1)
		text_format(out, ".%.0f", fmod(tenths, 10));
}

static void add_change(struct text *out, enum table_kind kind, double value)
{
	char buffer[UNITS_BYTES];

	if (!isfinite(value))
		text_add_char(out, '-');
	else if (kind == TABLE_NS_CHANGE)
		text_format(out, "%s%s",
			    value > 0	? "+"
			    : value < 0 ? "-"
					: "",
			    units_ns(buffer, fabs(value)));
	else if (kind == TABLE_CHANGE)
		text_format(out, "%+.1f %%", value);
	else if (value < 0.0001)
		text_add_string(out, "<0.0001");
	else
		text_format(out, "%.2g", value);
}

void cell_text(struct text *out, const struct table_column *column, const void *row,
	       size_t most_width)
{
	struct cell cell = cell_read(column, row);
	char buffer[UNITS_BYTES];

	switch (column->kind) {
	case TABLE_STRING:
		table_add_cut(out, cell.string, most_width);
		break;
	case TABLE_COUNT:
		text_add_string(out, units_count(buffer, cell.number));
		break;
	case TABLE_NUMBER:
		if (cell.number)
			text_add_unsigned(out, cell.number);
		else
			text_add_char(out, '-');
		break;
	case TABLE_SIGNED:
		text_format(out, "%" PRId64, cell.signed_number);
		break;
	case TABLE_NS:
		text_add_string(out, units_ns(buffer, (double)cell.number));
		break;
	case TABLE_BOUND:
		text_add_string(out, cell.number == UINT64_MAX
					     ? "unknown"
					     : units_ns(buffer, (double)cell.number));
		break;
	case TABLE_NS_FLOAT:
		text_add_string(out, units_ns(buffer, cell.real));
		break;
	case TABLE_BYTES:
		text_add_string(out, cell.number ? units_bytes(buffer, (double)cell.number) : "-");
		break;
	case TABLE_PERCENT:
		text_format(out, "%.1f %%", cell.real);
		break;
	case TABLE_RATE:
		text_format(out, cell.real > 0 ? "%.3g" : "-", cell.real);
		break;
	case TABLE_PPM:
		text_format(out, "%.3f ppm", cell.real);
		break;
	case TABLE_REAL:
		text_format(out, "%.5g", cell.real);
		break;
	case TABLE_AMOUNT:
		add_amount(out, cell.real);
		break;
	case TABLE_NS_CHANGE:
	case TABLE_CHANGE:
	case TABLE_P:
		add_change(out, column->kind, cell.real);
		break;
	case TABLE_BOOL:
		text_add_string(out, cell.number ? "yes" : "no");
		break;
	}
}
