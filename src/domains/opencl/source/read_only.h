/* SPDX-License-Identifier: MIT */
/* Which arguments of the kernels in a source only bring memory in: they are declared so (const, __constant,
 * read_only), or each use of them in the kernel reads an element. What is passed on, assigned to another
 * pointer, named in a macro, or otherwise not plain counts as written. No memory of its own; reads text
 * that the program owns. */
#ifndef TANDEM_DOMAINS_OPENCL_SOURCE_READ_ONLY_H
#define TANDEM_DOMAINS_OPENCL_SOURCE_READ_ONLY_H

#include <stddef.h>
#include <stdint.h>

#include "schema/gen/core_records.h"

/* Arguments of a kernel that are looked at. */
#define READ_ONLY_MOST 32u

/* Called for each kernel: a bit for the place of each such argument, and what its body has. */
typedef void read_only_found(void *user, const char *kernel, size_t bytes, uint32_t arguments,
			     enum tandem_kernel_body body);

void read_only_arguments(const char *text, size_t bytes, read_only_found *found, void *user);

#endif
