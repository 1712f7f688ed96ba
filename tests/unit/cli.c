/* SPDX-License-Identifier: MIT */
/* How the command reads options. */
#include "cli/cli.h"

#include <errno.h>
#include <string.h>

#include "check.h"

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

static void parse_word(void)
{
	static const char *const words[] = {"none", "basic", "full", NULL};

	CHECK(cli_parse_word("none", words) == 0);
	CHECK(cli_parse_word("full", words) == 2);
	CHECK(cli_parse_word("ful", words) == -EINVAL);
	CHECK(cli_parse_word("", words) == -EINVAL);
}

int main(void)
{
	parse_bytes();
	parse_number();
	parse_word();
	return check_status();
}
