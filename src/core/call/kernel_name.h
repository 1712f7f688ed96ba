/* SPDX-License-Identifier: MIT */
/* Kernels of which a runtime says no more than their names. */
#ifndef TANDEM_CORE_KERNEL_NAME_H
#define TANDEM_CORE_KERNEL_NAME_H

#include <stdint.h>

/* Our number of the domain's kernel of that name, described; 0 for NULL, and
 * TANDEM_OBJECT_UNKNOWN without memory. Outside of any record; any thread. */
uint32_t tandem_kernel_named(unsigned domain, const char *name);

#endif
