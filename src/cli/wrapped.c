/* SPDX-License-Identifier: MIT */
#include "cli/wrapped.h"

#include <string.h>

void wrapped_add(struct text *out, const char *words, size_t indent, size_t column, size_t most)
{
	struct text safe = TEXT_INIT;
	size_t begin = column;
	const char *at;

	text_escape(&safe, words, strlen(words));
	for (at = safe.data ? safe.data : ""; *at;) {
		size_t length = strcspn(at, " ");
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
