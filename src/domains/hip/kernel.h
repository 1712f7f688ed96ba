/* SPDX-License-Identifier: MIT */
/* Kernels by what launches name: a function of the host's, or a handle of a module's
 * function. The runtime is asked for the name once for each. */
#ifndef TANDEM_DOMAINS_HIP_KERNEL_H
#define TANDEM_DOMAINS_HIP_KERNEL_H

#include <stdint.h>

/* Our number of the kernel, described; 0: not known. Outside of any record; any thread. */
uint32_t hip_kernel_of_symbol(const void *symbol);
uint32_t hip_kernel_of_function(const void *function);

/* Code is about to be unloaded: an address may mean another kernel from now on. */
void hip_kernels_changed(void);

#endif
