/* SPDX-License-Identifier: MIT */
/* How HIP's runtime is reached, by the best way that it offers (doc/HIP.md). */
#ifndef TANDEM_DOMAINS_HIP_ATTACH_H
#define TANDEM_DOMAINS_HIP_ATTACH_H

#include <stdbool.h>
#include <stdint.h>

/* Looks for a runtime that has been loaded, and registers with it, once. Any thread, not
 * in a signal handler. */
void hip_attach(void);

/* The runtime hands out its dispatch tables: their wrappers record the calls. */
void hip_attach_table(const char *name, void *table);

void hip_at_fork(void);

/* Devices' operations are reported by HIP's runtime. */
bool hip_reports_operations(void);

#endif
