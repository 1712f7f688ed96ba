/* SPDX-License-Identifier: MIT */
/* What the signature of a kernel in C++ says of its arguments, by its mangled name (Itanium C++ ABI, 5.1). */
#ifndef TANDEM_ANALYSIS_OPERATIONS_KERNEL_SIGNATURE_H
#define TANDEM_ANALYSIS_OPERATIONS_KERNEL_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_signature {
	uint32_t pointers; /* arguments that are pointers, 32 at most */
	uint32_t reads;	   /* bit i: what the pointer i points to is const */
};

/* `name` is as it was demangled. False: it has no signature, or an argument that is neither a pointer nor a number. */
bool kernel_signature(const char *name, struct kernel_signature *signature);

#endif
