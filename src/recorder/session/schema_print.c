/* SPDX-License-Identifier: MIT */
/* Prints the definition of schema_texts (schema_text.h). Built and not installed. */
#include <stdio.h>
#include <string.h>

#include "recorder/session/schema_text.h"
#include "schema/tsdl.h"

/* As a string for each line. */
static void print_text(const struct text *text, unsigned level, unsigned number)
{
	printf("static const char text_%u_%u[] =", level, number);
	for (const char *at = text->data, *end = at + text->length; at < end;) {
		const char *line = memchr(at, '\n', (size_t)(end - at));

		printf("\n\t\"");
		line = line ? line : end;
		for (; at < line; at++)
			printf(*at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
		printf("%s\"", at < end ? "\\n" : "");
		at += at < end;
	}
	printf(";\n");
}

int main(void)
{
	printf("#include \"recorder/session/schema_text.h\"\n\n");
	for (unsigned level = 0; level <= TANDEM_ARGS_FULL; level++)
		for (unsigned number = 0; number < TANDEM_DOMAINS; number++) {
			const struct tandem_domain *domain = tandem_domain_get(number);
			struct text text = TEXT_INIT;

			if (!domain)
				continue;
			tandem_tsdl_domain(&text, domain, (enum tandem_args_level)level);
			if (text.failed)
				return 1;
			print_text(&text, level, number);
			text_free(&text);
		}
	printf("\nconst struct schema_text schema_texts[TANDEM_ARGS_FULL + 1][TANDEM_DOMAINS] = {\n");
	for (unsigned level = 0; level <= TANDEM_ARGS_FULL; level++)
		for (unsigned number = 0; number < TANDEM_DOMAINS; number++)
			if (tandem_domain_get(number))
				printf("\t[%u][%u] = {text_%u_%u, sizeof(text_%u_%u) - 1},\n",
				       level, number, level, number, level, number);
	printf("};\n");
	return ferror(stdout) || fflush(stdout);
}
