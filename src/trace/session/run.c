/* SPDX-License-Identifier: MIT */
#include "trace/session/run.h"

#include <string.h>

void trace_run_init(struct trace_run *run)
{
	*run = (struct trace_run){.tandem = "",
				  .schema = "",
				  .program = "",
				  .command = "",
				  .host = "",
				  .boot_id = "",
				  .release = "",
				  .machine = "",
				  .cwd = "",
				  .start = ""};
}

void trace_run_add_word(struct text *text, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-./=+:,@%^";

	if (*word && strspn(word, plain) == strlen(word)) {
		text_add_string(text, word);
		return;
	}
	text_add_char(text, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			text_add_string(text, "'\\''");
		else
			text_add_char(text, *word);
	}
	text_add_char(text, '\'');
}

void trace_run_free(struct trace_run *run)
{
	arena_free(&run->arena);
}
