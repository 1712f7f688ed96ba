/* SPDX-License-Identifier: MIT */
/* Kernels by their names. */
#ifndef TANDEM_DOMAINS_CUDA_NAMES_H
#define TANDEM_DOMAINS_CUDA_NAMES_H

#include <stdint.h>

/* Our number of the kernel of that name, described; 0 for NULL. Any thread. */
uint32_t cuda_kernel(const char *name);

#endif
