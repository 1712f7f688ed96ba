/* SPDX-License-Identifier: MIT */
/* What runtimes' loaders look at, by the domains' rows (schema/domains.def): set in this process
 * before a runtime is initialised. */
#ifndef TANDEM_TRACER_ENVIRONMENT_H
#define TANDEM_TRACER_ENVIRONMENT_H

/* In a constructor, where no session is recorded. A variable that the program has set for
 * another tool is the program's, unless it is a list. */
void environment_begin(void);

#endif
