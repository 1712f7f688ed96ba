/* SPDX-License-Identifier: MIT */
/* How HIP's runtime is reached, by the best way that it offers (doc/HIP.md). */
#ifndef TANDEM_DOMAINS_HIP_ATTACH_H
#define TANDEM_DOMAINS_HIP_ATTACH_H

#include <stdbool.h>
#include <stdint.h>

/* Looks for a runtime that has been loaded, and registers with it, once. Any thread, not
 * in a signal handler. */
void hip_attach(void);

/* A dispatch table, by the name that rocprofiler-register has for it: HIP's get wrappers.
 * With another's, a runtime may have been loaded. */
void hip_offered(const char *name, void *table);

/* What a tool in the process records has changed. */
void hip_switched(void);

void hip_at_fork(void);

#endif
