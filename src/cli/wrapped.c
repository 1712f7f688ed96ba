/* SPDX-License-Identifier: MIT */
#include "cli/wrapped.h"

#include <ctype.h>
#include <string.h>

/* A number and its unit stay together: "24 %", "160 us", "54.2 GB/s". */
static size_t word_length(const char *at)
{
	static const char *const units[] = {"ns", "us", "ms", "s",  "%",
					    "B",  "kB", "MB", "GB", "TB"};
	size_t length = strcspn(at, " "), unit;

	if (!at[length] || !length || !isdigit((unsigned char)at[length - 1]))
		return length;
	unit = strcspn(at + length + 1, " ,.;:)/");
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (strlen(units[i]) == unit && !strncmp(units[i], at + length + 1, unit))
			return length + 1 + strcspn(at + length + 1, " ");
	}
	return length;
}

void wrapped_add(struct text *out, const char *words, size_t indent, size_t column, size_t most)
{
	struct text safe = TEXT_INIT;
	size_t begin = column;
	const char *at;

	text_escape(&safe, words, strlen(words));
	for (at = safe.data ? safe.data : ""; *at;) {
		size_t length = word_length(at);
		size_t width = utf8_count(at, length);

		if (column + 1 + width > most && column > begin) {
			text_add_char(out, '\n');
			for (size_t i = 0; i < indent; i++)
				text_add_char(out, ' ');
			begin = column = indent;
		} else if (column > begin) {
			text_add_char(out, ' ');
			column++;
		}
		text_add(out, at, length);
		column += width;
		at += length + (at[length] == ' ');
	}
	text_add_char(out, '\n');
	text_free(&safe);
}
