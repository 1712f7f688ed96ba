/* SPDX-License-Identifier: MIT */
#include "util/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

static char *put_digits(char *at, uint64_t number, unsigned least)
{
	char digits[20];
	unsigned count = 0;

	do {
		digits[count++] = (char)('0' + number % 10);
		number /= 10;
	} while (number || count < least);
	while (count)
		*at++ = digits[--count];
	*at = '\0';
	return at;
}

/* Three digits that matter, in the largest unit that leaves one before the
 * point. The bound is 999.5, as that would be rounded to four digits. By hand:
 * every line of a trace has some of these, and printf() takes most of its time
 * for a floating number. */
static char *units_scaled(char *buffer, double value, const char *const *units, size_t count)
{
	static const uint64_t powers[] = {1, 10, 100};
	size_t unit = 0;
	unsigned decimals;
	uint64_t digits;
	char *at;

	while (value >= 999.5 && unit + 1 < count) {
		value /= 1000;
		unit++;
	}
	if (!(value >= 0 && value < 1e18)) {
		snprintf(buffer, UNITS_BYTES, "%.3g %s", value, units[unit]);
		return buffer;
	}
	decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
	if (!unit && value == (double)(uint64_t)value)
		decimals = 0;
	digits = (uint64_t)(value * (double)powers[decimals] + 0.5);
	at = put_digits(buffer, digits / powers[decimals], 1);
	if (decimals) {
		*at++ = '.';
		at = put_digits(at, digits % powers[decimals], decimals);
	}
	*at++ = ' ';
	stpcpy(at, units[unit]);
	return buffer;
}

char *units_ns(char *buffer, double ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};

	return units_scaled(buffer, ns, units, COUNT(units));
}

char *units_bytes(char *buffer, double bytes)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};

	return units_scaled(buffer, bytes, units, COUNT(units));
}

char *units_count(char *buffer, uint64_t count)
{
	char digits[24];
	size_t length = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, count);
	char *out = buffer;

	for (size_t i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*out++ = ',';
		*out++ = digits[i];
	}
	*out = '\0';
	return buffer;
}

char *units_seconds(char *buffer, int64_t ns)
{
	uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	char *at = buffer;

	if (ns < 0)
		*at++ = '-';
	at = put_digits(at, size / 1000000000, 1);
	*at++ = '.';
	put_digits(at, size % 1000000000, 9);
	return buffer;
}

int units_parse_ns(const char *text, int64_t *ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"", 1e9},		 {"s", 1e9},  {"ms", 1e6}, {"us", 1e3},
		     {"\xc2\xb5s", 1e3}, {"ns", 1e0}, {"m", 60e9}, {"h", 3600e9}};
	char *rest;
	double value;

	/* No hexadecimal, "nan" or "inf", which strtod() would take. */
	if (!*text || strspn(text, "0123456789.") == 0 || text[1] == 'x' || text[1] == 'X')
		return -EINVAL;
	value = strtod(text, &rest);
	if (rest == text)
		return -EINVAL;
	while (*rest == ' ')
		rest++;
	for (size_t i = 0; i < COUNT(units); i++) {
		if (strcmp(rest, units[i].name) != 0)
			continue;
		value *= units[i].ns;
		if (!(value < 9.2e18))
			return -ERANGE;
		*ns = (int64_t)(value + 0.5);
		return 0;
	}
	return -EINVAL;
}
