/* SPDX-License-Identifier: MIT */
#include "tracer/environment.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/local.h"
#include "schema/domain.h"

#define LIST_BYTES (4 * PATH_MAX)

/* The folder that holds libtandem.so, and the runtimes' entry libraries next to it. */
static bool folder_find(char *folder, Dl_info *info)
{
	char *slash;

	if (!dladdr((const void *)tandem_local_begin, info) || !realpath(info->dli_fname, folder))
		return false;
	slash = strrchr(folder, '/');
	if (slash)
		*slash = '\0';
	return slash;
}

static bool list_has(const char *list, char separator, const char *item)
{
	size_t length = strlen(item);

	for (const char *at = list; (at = strstr(at, item)); at += length)
		if ((at == list || at[-1] == separator) && (!at[length] || at[length] == separator))
			return true;
	return false;
}

/* Ours is the last of the list. */
static void list_add(const char *name, char separator, const char *item)
{
	const char *list = getenv(name);
	char all[LIST_BYTES];

	if (!list || !list[0])
		setenv(name, item, 1);
	else if (!list_has(list, separator, item) && !strchr(item, separator) &&
		 (size_t)snprintf(all, sizeof(all), "%s%c%s", list, separator, item) < sizeof(all))
		setenv(name, all, 1);
}

/* Those that bring in a library of ours, and nothing else. */
static void variable_set(const struct tandem_variable *variable, const char *folder,
			 const char *own)
{
	char path[PATH_MAX + 64];

	if (variable->value || variable->optional || variable->choices)
		return;
	snprintf(path, sizeof(path), "%s/%s", folder, variable->library ? variable->library : own);
	if (access(path, R_OK))
		return;
	if (variable->rule == TANDEM_VARIABLE_LIST)
		list_add(variable->name, variable->separator, path);
	else
		setenv(variable->name, path, 0);
}

void environment_begin(void)
{
	char folder[PATH_MAX];
	Dl_info info;
	const char *own;

	if (!folder_find(folder, &info))
		return;
	own = strrchr(info.dli_fname, '/');
	for (const struct tandem_domain_row *row = NULL; (row = tandem_domain_next(row));)
		for (const struct tandem_variable *variable = row->variables;
		     variable && variable->name; variable++)
			variable_set(variable, folder, own ? own + 1 : info.dli_fname);
}
