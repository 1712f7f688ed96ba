/* SPDX-License-Identifier: MIT */
#include "cli/system/system_scope.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/system_folder.h"

int system_scope_find(struct system_scope *scope, const char *root, bool user, struct error *error)
{
	const char *base = getenv(TANDEM_ENV_SYSTEM);
	const struct passwd *entry = getpwuid(geteuid());
	const char *home = entry && *entry->pw_dir ? entry->pw_dir : getenv("HOME");

	*scope = (struct system_scope){
		.login = {.root = root ? root : "", .user = geteuid(), .layers = true},
		.base = base && *base == '/' ? base : SYSTEM_BASE,
	};
	scope->login.all = !scope->login.user && !user;
	scope->words = scope->login.all ? "all users" : "this user";
	if (!scope->login.all && (!home || *home != '/'))
		return error_add(error, -ENOENT,
				 "user %u has no home: set HOME to an absolute path",
				 (unsigned)scope->login.user);
	snprintf(scope->home, sizeof(scope->home), "%s", home ? home : "");
	snprintf(scope->shell, sizeof(scope->shell), "%s", entry ? entry->pw_shell : "");
	scope->login.home = scope->home;
	scope->login.shell = scope->shell;
	return 0;
}

int system_scope_find_library(struct system_scope *scope, struct error *error)
{
	int status = library_find(&scope->library);

	if (status == -EINVAL)
		return error_add(error, status,
				 "%s: the loader takes no path with blanks or colons; install "
				 "Tandem elsewhere, or set TANDEM_LIBRARY",
				 scope->library.path);
	if (status)
		return error_add(error, status,
				 "libtandem.so is missing (looked for %s): install Tandem, "
				 "or set TANDEM_LIBRARY",
				 scope->library.looked);
	scope->login.library = scope->library.path;
	return 0;
}
