/* SPDX-License-Identifier: MIT */
#include "cli/doctor/checks_text.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "util/text.h"

static const char *const state_words[] = {"ok", "MISSING", "absent", "partly", ""};
static const char *const state_colours[] = {"\033[32m", "\033[1;31m", "\033[33m", "\033[33m", ""};

/* Names of devices and drivers are anything. */
static void print_visible(const char *words)
{
	struct text visible = TEXT_INIT;

	text_add_visible(&visible, words, strlen(words));
	puts(visible.data ? visible.data : "");
	text_free(&visible);
}

void checks_print(const struct checks *checks)
{
	bool colour = cli_colour(STDOUT_FILENO);
	const char *area = "";

	for (size_t i = 0; i < checks->count; i++) {
		const struct check *check = &checks->list[i];

		if (strcmp(area, check->area) != 0)
			printf("%s%s\n", *area ? "\n" : "", check->area);
		area = check->area;
		printf("  %s%-7s%s  %-13s ", colour ? state_colours[check->state] : "",
		       state_words[check->state], colour ? "\033[0m" : "", check->name);
		print_visible(check->words);
		if (*check->fix) {
			printf("  %-7s  %-13s fix: ", "", "");
			print_visible(check->fix);
		}
	}
}
