/* SPDX-License-Identifier: MIT */
/* DIR/schema as a reader gets it: parts that are packed, damaged, or stored as they are. */
#include "trace/schema/unpack.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "schema/ids.h"
#include "schema/lz4.h"
#include "schema/schema_file.h"
#include "schema/tsdl.h"

static const char *const parts[] = {"one one one one one one", "two two two two two two"};

/* Two domains' parts; malloc()ed, its bytes in *bytes. */
static char *file_make(size_t *bytes)
{
	uint8_t packed[2][LZ4_PACKED_MOST(64)];
	size_t at = (size_t)2 * TANDEM_SCHEMA_INDEX_BYTES, lengths[2];
	struct text file = TEXT_INIT;

	for (unsigned i = 0; i < 2; i++) {
		lengths[i] = lz4_pack(packed[i], parts[i], strlen(parts[i]));
		tandem_tsdl_index(&file, SCHEMA_PACKED, tandem_domain_get(i), at, lengths[i]);
		at += lengths[i];
	}
	CHECK(file.length == (size_t)2 * SCHEMA_INDEX_LINE);
	for (unsigned i = 0; i < 2; i++)
		text_add(&file, (char *)packed[i], lengths[i]);
	*bytes = file.length;
	return file.data;
}

static void is(char *text, size_t bytes, unsigned damaged, const char *expected)
{
	unsigned bad;

	CHECK(!trace_schema_unpack(&text, &bytes, &bad));
	CHECK(bad == damaged && bytes == strlen(expected) && !memcmp(text, expected, bytes));
	free(text);
}

int main(void)
{
	size_t bytes;
	char *text = file_make(&bytes);

	is(text, bytes, 0, "one one one one one onetwo two two two two two");
	text = file_make(&bytes);
	is(text, bytes - 1, 1, "one one one one one one");
	text = file_make(&bytes);
	is(text, (size_t)2 * SCHEMA_INDEX_LINE, 2, "");
	text = file_make(&bytes);
	text[2 * SCHEMA_INDEX_LINE] = 0; /* a repetition of nothing */
	is(text, bytes, 1, "two two two two two two");
	is(strdup("/* domain 0 core */\n"), 20, 0, "/* domain 0 core */\n");
	is(strdup(""), 0, 0, "");
	return check_status();
}
