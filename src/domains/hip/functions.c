/* SPDX-License-Identifier: MIT */
#include "domains/hip/functions.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static bool is_named(uint32_t function, const char *name)
{
	return function < hip_function_count && hip_function_names[function] &&
	       !strcmp(hip_function_names[function], name);
}

static uint32_t find(const char *name)
{
	for (uint32_t i = 1; i < hip_function_count; i++)
		if (is_named(i, name))
			return i;
	return 0;
}

uint32_t hip_function_find(const char *name, uint32_t id)
{
	char old[96];
	uint32_t function;

	if (!name)
		return 0;
	if (is_named(id, name))
		return id;
	function = find(name);
	if (function || snprintf(old, sizeof(old), "%sR0000", name) >= (int)sizeof(old))
		return function;
	return find(old);
}
