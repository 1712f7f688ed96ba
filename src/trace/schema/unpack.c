/* SPDX-License-Identifier: MIT */
#include "trace/schema/unpack.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/lz4.h"
#include "schema/schema_file.h"
#include "util/text.h"

int trace_schema_unpack(char **text, size_t *bytes, unsigned *bad)
{
	struct text whole = TEXT_INIT;
	char *part = malloc(SCHEMA_TEXT_BYTES);
	size_t at = 0;

	*bad = 0;
	for (; part && at + SCHEMA_INDEX_LINE <= *bytes; at += SCHEMA_INDEX_LINE) {
		char line[SCHEMA_INDEX_LINE + 1] = "";
		size_t offset, length, used = 0;

		memcpy(line, *text + at, SCHEMA_INDEX_LINE);
		if (sscanf(line, "/* " SCHEMA_PACKED " %*u %*s %zu %zu */", &offset, &length) != 2)
			break;
		if (offset <= *bytes && length <= *bytes - offset)
			used = lz4_unpack(part, SCHEMA_TEXT_BYTES, (uint8_t *)*text + offset,
					  length);
		*bad += !used;
		text_add(&whole, part, used);
	}
	free(part);
	if (!part || whole.failed) {
		text_free(&whole);
		return -ENOMEM;
	}
	if (at) {
		free(*text);
		*text = whole.data ? whole.data : strdup("");
		*bytes = whole.length;
	}
	return *text ? 0 : -ENOMEM;
}
