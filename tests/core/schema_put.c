/* SPDX-License-Identifier: MIT */
#include "schema_put.h"

#include <stdio.h>
#include <stdlib.h>

#include "schema/schema_file.h"
#include "schema/tsdl.h"

void schema_put(const char *path, enum tandem_args_level level)
{
	struct text text = TEXT_INIT, index = TEXT_INIT;
	size_t at = 0;
	FILE *file;

	for (unsigned number = 0; number < TANDEM_DOMAINS; number++)
		at += tandem_domain_get(number) ? TANDEM_SCHEMA_INDEX_BYTES : 0;
	for (unsigned number = 0; number < TANDEM_DOMAINS; number++) {
		const struct tandem_domain *domain = tandem_domain_get(number);
		size_t before = text.length;

		if (!domain)
			continue;
		tandem_tsdl_domain(&text, domain, level);
		tandem_tsdl_index(&index, SCHEMA_PLAIN, domain, at + before, text.length - before);
	}
	file = fopen(path, "w");
	if (text.failed || index.failed || !file ||
	    fwrite(index.data, 1, index.length, file) != index.length ||
	    fwrite(text.data, 1, text.length, file) != text.length || fclose(file)) {
		perror(path);
		exit(1);
	}
	text_free(&text);
	text_free(&index);
}
