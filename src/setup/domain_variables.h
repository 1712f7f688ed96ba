/* SPDX-License-Identifier: MIT */
/* The variables by which domains' runtimes bring libraries of ours in (schema/domain.h): whether
 * one is to be set, and to what. Any thread. */
#ifndef TANDEM_SETUP_DOMAIN_VARIABLES_H
#define TANDEM_SETUP_DOMAIN_VARIABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/domain.h"

/* Whether it is to be set where this is recorded of the domain; `layers`: the second ways
 * in, too. */
bool domain_variable_is_chosen(const struct tandem_variable *variable, uint32_t choices,
			       bool layers);

/* Its value where libtandem.so is `library`, in path[PATH_MAX] or not; NULL where the library
 * that it names is missing, or can't be in a list. */
const char *domain_variable_value(const struct tandem_variable *variable, const char *library,
				  char *path);

#endif
