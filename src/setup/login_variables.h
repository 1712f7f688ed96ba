/* SPDX-License-Identifier: MIT */
/* The lines that set the domains' variables at a login, in each of the languages of the files
 * that do so. What is set there by others stays, by the rule of each variable. One thread. */
#ifndef TANDEM_SETUP_LOGIN_VARIABLES_H
#define TANDEM_SETUP_LOGIN_VARIABLES_H

#include <stdbool.h>

#include "util/text.h"

struct login_ways {
	const char *library; /* libtandem.so */
	bool preload, layers;
};

/* pam_env(8): of `rest`, the lines of others, lists are continued. */
void login_variables_list(struct text *text, const struct login_ways *ways, const char *rest);

/* environment.d(5): what is set already stays as it is. */
void login_variables_units(struct text *text, const struct login_ways *ways);

/* sh(1). */
void login_variables_shell(struct text *text, const struct login_ways *ways);

/* Calls `found` with each library that the lines name. */
void login_variables_libraries(const struct login_ways *ways,
			       void (*found)(const char *path, void *data), void *data);

#endif
