/* SPDX-License-Identifier: MIT */
#include "cli/options/option_value.h"

#include "cli/cli.h"
#include "cli/options/options.h"
#include "util/units.h"

int option_directory(const char *option, const char *value, const char **name)
{
	if (!*value)
		return option_refuse(option, value, "the name of a directory");
	*name = value;
	return 0;
}

int option_time(const char *option, const char *value, uint64_t *ns)
{
	int64_t time_ns;

	if (units_parse_ns(value, &time_ns) || time_ns <= 0)
		return option_refuse(option, value, "1.5s, 20ms, 5m");
	*ns = (uint64_t)time_ns;
	return 0;
}

int option_ms(const char *option, const char *value, uint32_t *ms)
{
	uint64_t number;

	if (cli_parse_number(value, UINT32_MAX, &number))
		return option_refuse(option, value, "a time in ms");
	*ms = (uint32_t)number;
	return 0;
}
