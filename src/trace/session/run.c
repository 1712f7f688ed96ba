/* SPDX-License-Identifier: MIT */
#include "trace/session/run.h"

#include <string.h>

const char *const trace_host_clock_words[TRACE_HOST_CLOCK_COUNT] = {
#define X(name, words) words,
	TRACE_HOST_CLOCKS(X)
#undef X
};

const struct trace_run_host *trace_run_cpu_host(const struct trace_run *run, uint32_t cpu)
{
	for (size_t i = 0; i < run->host_count; i++)
		if (cpu >= run->hosts[i].first_cpu &&
		    cpu - run->hosts[i].first_cpu < run->hosts[i].cpus)
			return &run->hosts[i];
	return NULL;
}

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
				  .start = "",
				  .lttng_relay = "",
				  .lttng_incomplete = "",
				  .snapshot_of = "",
				  .snapshot_reason = ""};
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
