#include "util/units.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

/* Three digits that matter, in the largest unit that leaves one before the
 * point. The bound is 999.5, as that would be rounded to four digits. */
static char *units_scaled(char *buffer, double value, const char *const *units, size_t count)
{
	size_t unit = 0;
	int decimals;

	while (value >= 999.5 && unit + 1 < count) {
		value /= 1000;
		unit++;
	}
	decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
	if (!unit && value == floor(value))
		decimals = 0;
	snprintf(buffer, UNITS_BYTES, "%.*f %s", decimals, value, units[unit]);
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

	snprintf(buffer, UNITS_BYTES, "%s%" PRIu64 ".%09" PRIu64, ns < 0 ? "-" : "",
		 size / 1000000000, size % 1000000000);
	return buffer;
}

int units_parse_ns(const char *text, int64_t *ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"", 1e9},	  {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"\xc2\xb5s", 1e3},
		     {"ns", 1e0}, {"m", 60e9}, {"h", 3600e9}};
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
		value = nearbyint(value * units[i].ns);
		if (!(value < 9.2e18))
			return -ERANGE;
		*ns = (int64_t)value;
		return 0;
	}
	return -EINVAL;
}
