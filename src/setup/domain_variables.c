/* SPDX-License-Identifier: MIT */
#include "setup/domain_variables.h"

#include <string.h>

#include "setup/library.h"

bool domain_variable_is_chosen(const struct tandem_variable *variable, uint32_t choices,
			       bool layers)
{
	if (variable->layer && !layers)
		return false;
	return !variable->choices || choices & variable->choices;
}

const char *domain_variable_value(const struct tandem_variable *variable, const char *library,
				  char *path)
{
	if (variable->value)
		return variable->value;
	if (!variable->library)
		return library;
	if (library_beside(path, library, variable->library) && variable->optional)
		return NULL;
	return variable->separator && strchr(path, variable->separator) ? NULL : path;
}
