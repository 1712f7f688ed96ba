/* SPDX-License-Identifier: MIT */
/* Whose programs `tandem system` is about, and what was asked for: for its actions. */
#ifndef TANDEM_CLI_SYSTEM_SCOPE_H
#define TANDEM_CLI_SYSTEM_SCOPE_H

#include <limits.h>
#include <stdbool.h>

#include "setup/library.h"
#include "setup/login_environment.h"
#include "util/error.h"

struct system_scope {
	struct login_request login;
	struct library library;
	char home[PATH_MAX], shell[PATH_MAX];
	const char *base;  /* schema/system_folder.h */
	const char *words; /* "all users", "this user" */
};

/* Fills it; root's is all users unless `user`. Returns 0 or -errno. */
int system_scope_find(struct system_scope *scope, const char *root, bool user, struct error *error);

/* Finds the libraries, which `enable` and `doctor` need. Returns 0 or -errno. */
int system_scope_find_library(struct system_scope *scope, struct error *error);

/* The actions: exit statuses. */
int system_status(const struct system_scope *scope, bool json);
int system_doctor(struct system_scope *scope);

#endif
