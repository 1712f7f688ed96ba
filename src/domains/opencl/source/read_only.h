/* SPDX-License-Identifier: MIT */
/* What the kernels in a source do with the memory that they are given: arguments that only bring it in are
 * declared so (const, __constant, read_only), or each use of them in the kernel reads an element. What is
 * passed on, assigned to another pointer, named in a macro, or otherwise not plain may be read and written. No
 * memory of its own; reads text that the program owns. */
#ifndef TANDEM_DOMAINS_OPENCL_SOURCE_READ_ONLY_H
#define TANDEM_DOMAINS_OPENCL_SOURCE_READ_ONLY_H

#include <stddef.h>
#include <stdint.h>

#include "schema/gen/core_records.h"

/* Arguments of a kernel that are looked at. */
#define READ_ONLY_MOST 32u

struct source_uses {	 /* of a kernel: bit i is the argument of index i */
	uint32_t reads;	 /* it is only read */
	uint32_t writes; /* only elements are assigned, each as a whole: there may be others */
	uint32_t keeps;	 /* elements are assigned, and read before: what they were counts */
	enum tandem_kernel_body body;
};

/* Called for each kernel. */
typedef void read_only_found(void *user, const char *kernel, size_t bytes,
			     const struct source_uses *uses);

void read_only_arguments(const char *text, size_t bytes, read_only_found *found, void *user);

#endif
