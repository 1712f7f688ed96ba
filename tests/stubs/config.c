/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

struct stub_config stub_config;

static stub_text text_read(const char *variable, stub_text value)
{
	const char *set = getenv(variable);

	return set ? set : value;
}

static stub_long long_read(const char *variable, stub_long value)
{
	const char *set = getenv(variable);

	return set ? strtol(set, NULL, 0) : value;
}

void stub_config_read(void)
{
#define X(type, name, variable, value) stub_config.name = type##_read(variable, value);
	STUB_OPTIONS(X)
#undef X
	stub_config.status_every = 1;
	if (sscanf(stub_config.status, "%d:%d", &stub_config.status_code,
		   &stub_config.status_every) < 1)
		stub_config.status_every = 0;
	if (stub_config.resolution_ns < 1)
		stub_config.resolution_ns = 1;
}
