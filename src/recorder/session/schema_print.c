/* SPDX-License-Identifier: MIT */
/* Prints the definition of schema_texts (schema_text.h). Built and not installed. */
#include <stdio.h>

#include "recorder/session/schema_text.h"
#include "schema/domain.h"
#include "schema/lz4.h"
#include "schema/schema_file.h"
#include "schema/tsdl.h"

/* Appends the domain's text, packed. False: no memory, or too large for who reads it. */
static bool add_packed(struct text *file, const struct tandem_domain *domain,
		       enum tandem_args_level level)
{
	static uint8_t packed[LZ4_PACKED_MOST(SCHEMA_TEXT_BYTES)];
	struct text text = TEXT_INIT;
	size_t bytes = 0;

	tandem_tsdl_domain(&text, domain, level);
	if (!text.failed && text.length <= SCHEMA_TEXT_BYTES)
		bytes = lz4_pack(packed, text.data, text.length);
	text_add(file, (char *)packed, bytes);
	text_free(&text);
	return bytes && bytes <= SCHEMA_PACKED_BYTES;
}

static void print_string(const struct text *text)
{
	for (size_t i = 0; i < text->length; i++)
		printf("%s\\%03o%s", i % 24 ? "" : "\n\t\"", (unsigned char)text->data[i],
		       i % 24 == 23 || i + 1 == text->length ? "\"" : "");
}

static bool print_level(enum tandem_args_level level)
{
	struct text index = TEXT_INIT, packed = TEXT_INIT;
	size_t at = 0, before;
	bool good = true;

	for (unsigned number = 0; number < TANDEM_DOMAINS; number++)
		at += tandem_domain_get(number) ? TANDEM_SCHEMA_INDEX_BYTES : 0;
	for (unsigned number = 0; good && number < TANDEM_DOMAINS; number++) {
		const struct tandem_domain *domain = tandem_domain_get(number);

		if (!domain)
			continue;
		before = packed.length;
		good = add_packed(&packed, domain, level);
		tandem_tsdl_index(&index, SCHEMA_PACKED, domain, at + before,
				  packed.length - before);
	}
	printf("static const char text_%u[] =", level);
	print_string(&index);
	print_string(&packed);
	printf(";\n");
	good &= !index.failed && !packed.failed;
	text_free(&index);
	text_free(&packed);
	return good;
}

int main(void)
{
	printf("#include \"recorder/session/schema_text.h\"\n\n");
	for (unsigned level = 0; level <= TANDEM_ARGS_FULL; level++)
		if (!print_level((enum tandem_args_level)level))
			return 1;
	printf("\nconst struct schema_text schema_texts[TANDEM_ARGS_FULL + 1] = {\n");
	for (unsigned level = 0; level <= TANDEM_ARGS_FULL; level++)
		printf("\t{text_%u, sizeof(text_%u) - 1},\n", level, level);
	printf("};\n");
	return ferror(stdout) || fflush(stdout);
}
