/* SPDX-License-Identifier: MIT */
/* The way in: the runtime has loaded a tool (abi.h). */
#ifndef TANDEM_DOMAINS_ACME_ATTACH_H
#define TANDEM_DOMAINS_ACME_ATTACH_H

#include "domains/acme/abi.h"

/* Fills in the functions that the runtime calls. 0, or -1: it is not to be recorded, and
 * calls nothing. */
__attribute__((visibility("default"))) int tandem_acme_begin(const struct acm_runtime *runtime,
							     struct acm_tool *tool);

#endif
