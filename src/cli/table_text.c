/* SPDX-License-Identifier: MIT */
/* Tables for people: aligned columns (cli/table.h). */
#include <string.h>

#include "cli/colour.h"
#include "cli/table_cell.h"
#include "cli/wrapped.h"

#define CONTEXT_MOST 48u  /* characters of a value in a heading */
#define CONTEXT_LEAST 16u /* fewer are not worth it: on the next line */
#define COLUMNS_MOST 28

/* Bit i: column i has something to show. */
static uint32_t columns_used(const struct table *table, const void *rows, size_t count)
{
	uint32_t used = 0;

	for (size_t i = 0; i < table->column_count && i < COLUMNS_MOST; i++) {
		for (size_t row = 0; table->columns[i].heading && row < count; row++) {
			struct cell cell = cell_read(&table->columns[i],
						     (const char *)rows + row * table->row_bytes);

			if (!cell_empty(&cell)) {
				used |= 1u << i;
				break;
			}
		}
	}
	return used;
}

static void add_aligned(struct text *out, const struct text *cell, bool left, size_t width,
			bool last)
{
	size_t length = cell->length ? utf8_count(cell->data, cell->length) : 0;

	for (size_t i = length; !left && i < width; i++)
		text_add_char(out, ' ');
	if (cell->length)
		text_add(out, cell->data, cell->length);
	for (size_t i = length; left && !last && i < width; i++)
		text_add_char(out, ' ');
}

/* How a table is laid out. */
struct layout {
	uint32_t used; /* bit i: column i is shown */
	size_t widths[COLUMNS_MOST];
	size_t most[COLUMNS_MOST]; /* of a string; 0: any */
};

static void table_line(struct text *out, const struct table *table, const void *row,
		       const struct layout *layout, const struct table_style *style)
{
	struct text cell = TEXT_INIT;
	bool first = true;

	text_add_string(out, style->indent);
	for (size_t i = 0; i < table->column_count; i++) {
		const struct table_column *column = &table->columns[i];

		if (!(layout->used >> i & 1))
			continue;
		text_clear(&cell);
		if (row)
			cell_text(&cell, column, row, layout->most[i]);
		else
			text_add_string(&cell, column->heading);
		if (!first)
			text_add_string(out, "  ");
		first = false;
		add_aligned(out, &cell, column->kind == TABLE_STRING, layout->widths[i],
			    !(layout->used >> (i + 1)));
	}
	text_add_char(out, '\n');
	text_free(&cell);
}

/* What a column is about, where it may be one thing in all rows. */
static bool is_context(const struct table_column *column)
{
	static const char *const keys[] = {"device", "platform", "process", "pid",
					   "domain", "driver",	 "type",    "timing"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!strcmp(column->key, keys[i]))
			return column->heading != NULL;
	return false;
}

static bool same_cell(const struct cell *a, const struct cell *b)
{
	return a->number == b->number && !strcmp(a->string, b->string);
}

/* Characters of the last line, colours apart. */
static size_t last_line(const struct text *out)
{
	size_t at = out->length, count = 0;

	while (at && out->data[at - 1] != '\n')
		at--;
	while (at < out->length) {
		if (out->data[at] == '\033') {
			while (at < out->length && out->data[at] != 'm')
				at++;
		} else {
			count += ((unsigned char)out->data[at] & 0xc0) != 0x80;
		}
		at++;
	}
	return count;
}

/* ", HEADING VALUE", in the line or on the next one. */
static void add_context(struct text *out, const struct table_column *column, const void *row,
			size_t width)
{
	bool named = column->kind != TABLE_STRING;
	size_t used = last_line(out), prefix = 2 + (named ? strlen(column->heading) + 1 : 0);
	size_t most = CONTEXT_MOST;
	struct text value = TEXT_INIT;

	cell_text(&value, column, row, most);
	if (width &&
	    used + prefix + utf8_count(value.data ? value.data : "", value.length) > width) {
		text_clear(&value);
		if (used + prefix + CONTEXT_LEAST > width) {
			text_add_string(out, "\n ");
			used = 0;
		} else {
			text_add_char(out, ',');
		}
		most = width > used + prefix + CONTEXT_LEAST ? width - used - prefix
							     : CONTEXT_LEAST;
		cell_text(&value, column, row, most < CONTEXT_MOST ? most : CONTEXT_MOST);
	} else {
		text_add_char(out, ',');
	}
	text_format(out, " %s%s%s", named ? column->heading : "", named ? " " : "",
		    value.data ? value.data : "");
	text_free(&value);
}

uint32_t table_context(struct text *out, const struct table *table, const void *rows, size_t count,
		       size_t width)
{
	uint32_t hidden = 0;

	for (size_t i = 0; count && i < table->column_count && i < COLUMNS_MOST; i++) {
		const struct table_column *column = &table->columns[i];
		struct cell first, next;
		bool same = is_context(column);

		if (!same)
			continue;
		first = cell_read(column, rows);
		for (size_t row = 1; same && row < count; row++) {
			next = cell_read(column, (const char *)rows + row * table->row_bytes);
			same = same_cell(&first, &next);
		}
		if (!same || cell_empty(&first))
			continue;
		hidden |= 1u << i;
		add_context(out, column, rows, width);
	}
	return hidden;
}

static void measure(const struct table *table, const void *rows, size_t shown,
		    struct layout *layout)
{
	struct text cell = TEXT_INIT;

	for (size_t i = 0; i < table->column_count && i < COLUMNS_MOST; i++) {
		if (!(layout->used >> i & 1))
			continue;
		layout->widths[i] =
			utf8_count(table->columns[i].heading, strlen(table->columns[i].heading));
		for (size_t row = 0; row < shown; row++) {
			size_t width;

			text_clear(&cell);
			cell_text(&cell, &table->columns[i],
				  (const char *)rows + row * table->row_bytes, layout->most[i]);
			width = cell.length ? utf8_count(cell.data, cell.length) : 0;
			if (width > layout->widths[i])
				layout->widths[i] = width;
		}
	}
	text_free(&cell);
}

static size_t line_width(const struct layout *layout, const struct table_style *style)
{
	size_t width = strlen(style->indent);
	bool first = true;

	for (size_t i = 0; i < COLUMNS_MOST; i++) {
		if (!(layout->used >> i & 1))
			continue;
		width += layout->widths[i] + (first ? 0 : 2);
		first = false;
	}
	return width;
}

/* Cuts the longest names, one column after another, down to `least` characters. */
static void cut_names(const struct table *table, struct layout *layout,
		      const struct table_style *style, size_t least)
{
	size_t width;

	while ((width = line_width(layout, style)) > style->width) {
		size_t longest = COLUMNS_MOST, over = width - style->width;

		for (size_t i = 0; i < table->column_count && i < COLUMNS_MOST; i++)
			if (layout->used >> i & 1 && table->columns[i].kind == TABLE_STRING &&
			    (longest == COLUMNS_MOST ||
			     layout->widths[i] > layout->widths[longest]))
				longest = i;
		if (longest == COLUMNS_MOST || layout->widths[longest] <= least)
			return;
		layout->widths[longest] = layout->widths[longest] > least + over
						  ? layout->widths[longest] - over
						  : least;
		layout->most[longest] = layout->widths[longest];
	}
}

/* What a narrow terminal has no room for, the least missed first: columns by their keys,
 * and in between (NULL) names are cut, further each time. */
static const char *const narrow_keys[] = {
	"percent",
	"self_percent",
	"total_percent",
	"min_ns",
	"p50_ns",
	"untimed",
	NULL,
	"p99_ns",
	"unknown_ns",
	"migrations",
	"switches",
	"gb_per_s",
	"lmem_bytes",
	"stmem_bytes",
	"dymem_bytes",
	"blk_sm_bytes",
	"fgp_max",
	"fgp_act",
	"thr_reg",
	"a_errors",
	"system_ns",
	"device_queue_depth",
	"host_queue_depth",
	"gpu_idle_ns",
	NULL,
	"max_ns",
	"submit_max_ns",
	"a_each_ns",
	"a_count",
	"by_pid",
	"by_kind",
	"on_cpu_ns",
	"wait_cpu_ns",
	"mean_ns",
	"submit_mean_ns",
	"wait_blocked_ns",
	NULL,
	"a_total_ns",
	"a_cost_ns",
	"kind",
	"domain",
	"process",
	"pid",
	"file",
	"operations",
	"profiling",
	"platform",
	NULL,
	"device",
	"count",
	NULL,
};
static const size_t name_leasts[] = {40, 24, 16, 12, 8};

/* Where columns were left out after names were cut, names have their room again. */
static void widen_names(const struct table *table, struct layout *layout,
			const struct table_style *style, const size_t *uncut)
{
	size_t width;

	while ((width = line_width(layout, style)) < style->width) {
		size_t shortest = COLUMNS_MOST, missing = 0;

		for (size_t i = 0; i < table->column_count && i < COLUMNS_MOST; i++) {
			if (!(layout->used >> i & 1) || uncut[i] <= layout->widths[i] + missing)
				continue;
			shortest = i;
			missing = uncut[i] - layout->widths[i];
		}
		if (!missing)
			return;
		layout->widths[shortest]++;
		layout->most[shortest] = layout->widths[shortest];
	}
}

/* Of what two sides have, one without the other says nothing: "a_total_ns" is both. */
static bool same_key(const char *key, const char *narrow_key)
{
	return !strcmp(key, narrow_key) ||
	       (!strncmp(key, "b_", 2) && !strncmp(narrow_key, "a_", 2) &&
		!strcmp(key + 2, narrow_key + 2));
}

/* Leaves columns out until lines fit. Returns those. */
static uint32_t narrow(const struct table *table, struct layout *layout,
		       const struct table_style *style)
{
	const size_t *least = name_leasts;
	size_t uncut[COLUMNS_MOST];
	uint32_t left_out = 0;

	memcpy(uncut, layout->widths, sizeof(uncut));

	for (size_t k = 0; k < sizeof(narrow_keys) / sizeof(*narrow_keys); k++) {
		if (line_width(layout, style) <= style->width)
			break;
		if (!narrow_keys[k]) {
			cut_names(table, layout, style, *least++);
			continue;
		}
		for (size_t i = 0; i < table->column_count && i < COLUMNS_MOST; i++) {
			uint32_t bit = 1u << i;

			if (!(layout->used & bit) ||
			    !same_key(table->columns[i].key, narrow_keys[k]))
				continue;
			layout->used &= ~bit;
			left_out |= bit;
		}
	}
	widen_names(table, layout, style, uncut);
	return left_out;
}

static void add_left_out(struct text *out, const struct table *table, uint32_t left_out,
			 const struct table_style *style)
{
	struct text names = TEXT_INIT;
	size_t indent = strlen(style->indent);

	text_add_string(&names, "not shown at this width: ");
	for (size_t i = 0; i < table->column_count && i < COLUMNS_MOST; i++) {
		bool named = false; /* another one is called that, too */

		if (!(left_out >> i & 1))
			continue;
		for (size_t j = 0; j < i; j++)
			named |= left_out >> j & 1 &&
				 !strcmp(table->columns[i].heading, table->columns[j].heading);
		if (!named)
			text_format(&names, "%s, ", table->columns[i].heading);
	}
	if (!names.failed)
		names.data[names.length - 2] = '\0'; /* without the last comma */
	text_format(out, "%s%s", style->indent, colour_begin(style->colour, COLOUR_DIM));
	wrapped_add(out, names.failed ? "" : names.data, indent, indent, style->width);
	text_add_string(out, colour_end(style->colour));
	text_free(&names);
}

void table_text(struct text *out, const struct table *table, const void *rows, size_t count,
		const struct table_style *style)
{
	size_t shown = style->most_rows && count > style->most_rows ? style->most_rows : count;
	struct layout layout = {.used = columns_used(table, rows, shown) & ~style->hidden};
	uint32_t left_out = 0;

	for (size_t i = 0; i < COLUMNS_MOST; i++)
		layout.most[i] = style->most_width;
	if (!layout.used)
		return;
	measure(table, rows, shown, &layout);
	if (style->width && line_width(&layout, style) > style->width)
		left_out = narrow(table, &layout, style);
	text_add_string(out, colour_begin(style->colour, COLOUR_DIM));
	table_line(out, table, NULL, &layout, style);
	text_add_string(out, colour_end(style->colour));
	for (size_t row = 0; row < shown; row++)
		table_line(out, table, (const char *)rows + row * table->row_bytes, &layout, style);
	if (left_out)
		add_left_out(out, table, left_out, style);
	if (count > shown)
		text_format(out, "%s%s... and %zu more; --top 0 shows all%s\n", style->indent,
			    colour_begin(style->colour, COLOUR_DIM), count - shown,
			    colour_end(style->colour));
}
