/* SPDX-License-Identifier: MIT */
/* Texts, JSON and figures as they are printed. */
#include "util/text.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "check.h"
#include "util/json.h"
#include "util/units.h"

static struct text text = TEXT_INIT;

/* Whether the text is so, and empties it. */
static int is(const char *expected)
{
	int same = !strcmp(text.data ? text.data : "", expected);

	if (!same)
		fprintf(stderr, "got:      %s\nexpected: %s\n", text.data, expected);
	text_clear(&text);
	return same;
}

static void escape(const char *string)
{
	text_escape(&text, string, strlen(string));
}

static void escapes(void)
{
	escape("a\tb\\c\n\033[1m\x7f");
	CHECK(is("a\\tb\\\\c\\n\\x1b[1m\\x7f"));
	escape("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80");
	CHECK(is("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80"));
	/* Control characters of two bytes, overlong forms, surrogates, cut ones. */
	escape("\xc2\x9b|\xc0\xaf|\xed\xa0\x80|\xe2\x82");
	CHECK(is("\\xc2\\x9b|\\xc0\\xaf|\\xed\\xa0\\x80|\\xe2\\x82"));
}

static void json_is_valid(void)
{
	struct json json;

	json_init(&json, &text, false);
	json_begin_object(&json, NULL);
	json_string(&json, "k\"", "v\\\n\x01\xff");
	json_begin_array(&json, "list");
	json_unsigned(&json, NULL, UINT64_MAX);
	json_signed(&json, NULL, INT64_MIN);
	json_float(&json, NULL, 1.25, 2);
	json_float(&json, NULL, NAN, 2);
	json_bool(&json, NULL, true);
	json_null(&json, NULL);
	json_end_array(&json);
	json_begin_object(&json, "none");
	json_end_object(&json);
	json_end_object(&json);
	CHECK(is("{\"k\\\"\": \"v\\\\\\n\\u0001\xef\xbf\xbd\", \"list\": [18446744073709551615, "
		 "-9223372036854775808, 1.25, null, true, null], \"none\": {}}"));
}

static void padding(void)
{
	text_add_string(&text, "ab\xc3\xa4");
	text_pad(&text, 0, 5);
	text_add_char(&text, '|');
	CHECK(is("ab\xc3\xa4  |"));
}

static void figures(void)
{
	static const struct {
		double value;
		const char *ns, *bytes;
	} cases[] = {
		{0, "0 ns", "0 B"},
		{24.7, "24.7 ns", "24.7 B"},
		{999.4, "999 ns", "999 B"},
		{999.6, "1.00 us", "1.00 kB"},
		{1234, "1.23 us", "1.23 kB"},
		{9996, "10.0 us", "10.0 kB"},
		{999600, "1.00 ms", "1.00 MB"},
		{61.5e9, "61.5 s", "61.5 GB"},
		{86400e9, "86400 s", "86.4 TB"},
	};
	char buffer[UNITS_BYTES];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		CHECK(!strcmp(units_ns(buffer, cases[i].value), cases[i].ns));
		CHECK(!strcmp(units_bytes(buffer, cases[i].value), cases[i].bytes));
	}
	CHECK(!strcmp(units_count(buffer, 1234567), "1,234,567"));
	CHECK(!strcmp(units_seconds(buffer, -1500000000), "-1.500000000"));
	CHECK(!strcmp(units_seconds(buffer, INT64_MIN), "-9223372036.854775808"));
}

static void times(void)
{
	static const struct {
		const char *text;
		int status;
		int64_t ns;
	} cases[] = {
		{"2", 0, 2000000000}, {"1.5s", 0, 1500000000}, {"20ms", 0, 20000000},
		{"3 us", 0, 3000},    {"450ns", 0, 450},       {"2m", 0, INT64_C(120000000000)},
		{".5ms", 0, 500000},  {"", -EINVAL, 7},	       {"-1s", -EINVAL, 7},
		{"1x", -EINVAL, 7},   {"nan", -EINVAL, 7},     {"0x10", -EINVAL, 7},
		{"s", -EINVAL, 7},    {"1e300s", -ERANGE, 7},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int64_t ns = 7;

		CHECK(units_parse_ns(cases[i].text, &ns) == cases[i].status);
		CHECK(ns == cases[i].ns);
	}
}

int main(void)
{
	escapes();
	json_is_valid();
	padding();
	figures();
	times();
	text_free(&text);
	return check_status();
}
