/* SPDX-License-Identifier: MIT */
/* How the command reads options. */
#include "cli/cli.h"

#include <errno.h>
#include <string.h>

#include "check.h"
#include "cli/options/options.h"
#include "cli/table.h"

static const struct option_row *more_rows(size_t number)
{
	static const struct option_row rows[] = {{.name = "acme"}, {.name = "limit"}};

	return number < 2 ? &rows[number] : NULL;
}

/* A domain's row makes an option of its name, which a command may have already. */
static void options_clash(void)
{
	static const struct option_row rows[] = {{.name = "limit", .letter = 'l'},
						 {.name = "all", .letter = 'a'}};
	static const struct option_row letters[] = {{.name = "limit", .letter = 'l'},
						    {.name = "list", .letter = 'l'}};
	static const struct option_row help[] = {{.name = "host", .letter = 'h'}};
	struct command command = {.rows = rows, .row_count = 2};

	CHECK(!command_clash(&command));
	command.more = more_rows;
	CHECK(command_clash(&command) == more_rows(1));
	command = (struct command){.rows = letters, .row_count = 2};
	CHECK(command_clash(&command) == &letters[1]);
	command = (struct command){.rows = help, .row_count = 1};
	CHECK(command_clash(&command) == &help[0]);
}

struct device_row {
	const char *device, *platform;
};

/* What all rows have in common fits the heading's line, or the next one. */
static void heading_fits(void)
{
	static const struct table_column columns[] = {
		{"device", "device", TABLE_STRING, offsetof(struct device_row, device)},
		{"platform", "platform", TABLE_STRING, offsetof(struct device_row, platform)},
	};
	static const struct table table = TABLE("devices", columns, struct device_row);
	static const struct device_row rows[] = {
		{"pthread-a-very-long-name-of-a-processor @ 2.80GHz", "Portable Computing"}};

	for (size_t width = 24; width <= 120; width++) {
		struct text out = TEXT_INIT;
		size_t most = 0;

		text_add_string(&out, "before\n\033[1mDevices\033[0m  of 536 ms");
		CHECK(table_context(&out, &table, rows, 1, width) == 3);
		for (char *line = strtok(out.data, "\n"); line; line = strtok(NULL, "\n")) {
			size_t escapes = strchr(line, '\033') ? 8 : 0;
			size_t length = utf8_count(line, strlen(line)) - escapes;

			most = length > most ? length : most;
		}
		CHECK(most <= width);
		text_free(&out);
	}
}

static void parse_bytes(void)
{
	static const struct {
		const char *text;
		int error;
		uint64_t bytes;
	} cases[] = {
		{"0", 0, 0},
		{"4096", 0, 4096},
		{"64K", 0, 65536},
		{"64k", 0, 65536},
		{"1.5M", 0, 1572864},
		{"2GiB", 0, UINT64_C(2) << 30},
		{"1TB", 0, UINT64_C(1) << 40},
		{"", -EINVAL, 7},
		{"-1", -EINVAL, 7},
		{"M", -EINVAL, 7},
		{"12Q", -EINVAL, 7},
		{"12Mx", -EINVAL, 7},
		{"nan", -EINVAL, 7},
		{"99999999999999999999", -ERANGE, 7},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t bytes = 7;

		CHECK(cli_parse_bytes(cases[i].text, &bytes) == cases[i].error);
		CHECK(bytes == cases[i].bytes);
	}
}

static void parse_number(void)
{
	uint64_t number = 7;

	CHECK(cli_parse_number("12", 12, &number) == 0 && number == 12);
	CHECK(cli_parse_number("13", 12, &number) == -ERANGE && number == 12);
	CHECK(cli_parse_number("99999999999999999999999", ~0ull, &number) == -ERANGE);
	CHECK(cli_parse_number("1x", 12, &number) == -EINVAL);
	CHECK(cli_parse_number("", 12, &number) == -EINVAL);
	CHECK(cli_parse_number("-1", 12, &number) == -EINVAL && number == 12);
}

int main(void)
{
	options_clash();
	heading_fits();
	parse_bytes();
	parse_number();
	return check_status();
}
