/* SPDX-License-Identifier: MIT */
/* tandem doctor: what this machine can record, and how to fix what it cannot. */
#include "cli/cli.h"

#include <stdio.h>

#include "cli/doctor/areas.h"
#include "cli/doctor/checks_text.h"
#include "cli/options/domain_titles.h"
#include "cli/options/options.h"
#include "schema/domain.h"
#include "setup/check.h"
#include "util/json.h"

#define DOCTOR_OPTIONS(X) X(format, 0, "text|json", WORD("text json"), "(text)")

OPTIONS(DOCTOR_OPTIONS)

const struct command command_doctor = {
	.name = "doctor",
	.usage = "[options]",
	.about =
		"Says what can be recorded on this machine, what is missing, and the command that\n"
		"fixes it. Exit status 0 when programs of some runtime can be recorded, else 1.\n",
	.column = 27,
	COMMAND_OPTIONS,
};

static const char *const state_names[] = {"ok", "missing", "optional", "partial", "info"};

/* "OpenCL and CUDA programs can be recorded here." */
static void print_works(uint64_t works)
{
	uint64_t others = domain_titles_runtimes(~works);
	struct text text = TEXT_INIT;

	domain_titles_add(&text, works, "and");
	if (works)
		text_add_string(&text, " programs can be recorded here.");
	if (works && others)
		text_add_string(&text, " ");
	domain_titles_add(&text, others, "and");
	if (others)
		text_add_string(&text,
				works ? " programs cannot." : " programs cannot be recorded here.");
	printf("\n%s\n", text.data ?: "");
	text_free(&text);
}

static void print_text(const struct checks *checks, uint64_t works)
{
	checks_print(checks);
	print_works(works);
}

static void print_json(const struct checks *checks, uint64_t works)
{
	struct text text = TEXT_INIT;
	struct json json;

	json_init(&json, &text, true);
	json_begin_object(&json, NULL);
	for (uint64_t left = domain_titles_runtimes(UINT64_MAX); left; left &= left - 1) {
		unsigned number = (unsigned)__builtin_ctzll(left);

		json_bool(&json, tandem_domain_row(number)->name, works >> number & 1);
	}
	json_begin_array(&json, "checks");
	for (size_t i = 0; i < checks->count; i++) {
		const struct check *check = &checks->list[i];

		json_begin_object(&json, NULL);
		json_string(&json, "area", check->area);
		json_string(&json, "name", check->name);
		json_string(&json, "state", state_names[check->state]);
		json_string(&json, "description", check->words);
		if (*check->fix)
			json_string(&json, "fix", check->fix);
		/* Of version 0.1, for those who read them: they go with the next. */
		json_string(&json, "words", check->words);
		if (*check->fix)
			json_string(&json, "mend", check->fix);
		json_end_object(&json);
	}
	json_end_array(&json);
	json_end_object(&json);
	puts(text.failed ? "" : text.data);
	text_free(&text);
}

int cmd_doctor(int argc, char **argv)
{
	struct checks checks = {.list = NULL};
	int format = 0;
	int first = options_parse(&command_doctor, argc, argv, option_set_word, &format);
	uint64_t works;

	if (first < 0)
		return options_status(first);
	if (first < argc) {
		cli_error("doctor takes no `%s`", argv[first]);
		return cli_usage("doctor");
	}
	works = check_domains(&checks);
	check_clock(&checks);
	check_machine(&checks);
	check_libraries(&checks);
	check_tools(&checks);
	if (checks.failed) {
		checks_free(&checks);
		return cli_error("out of memory");
	}
	if (format)
		print_json(&checks, works);
	else
		print_text(&checks, works);
	checks_free(&checks);
	return works ? CLI_DONE : CLI_FAILED;
}
