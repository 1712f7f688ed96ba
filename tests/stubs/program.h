/* SPDX-License-Identifier: MIT */
/* Programs and kernels of the stub driver: no code, only names. */
#ifndef STUB_PROGRAM_H
#define STUB_PROGRAM_H

#include "stub.h"

enum { STUB_KERNEL_NAME_BYTES = 4096 };

struct _cl_program {
	struct stub_object object;
	cl_context context;
	char *source; /* text, or the bytes of a binary or of IL */
	size_t source_bytes;
	bool is_il;
	char *options;
	cl_build_status status;
	struct stub_callback *releases;
};

/* More have no bit. */
#define STUB_KERNEL_ARGUMENTS 64u

struct _cl_kernel {
	struct stub_object object;
	cl_program program;
	char name[STUB_KERNEL_NAME_BYTES];
	cl_uint arguments;
	_Atomic bool used; /* a command of it was enqueued */
	uint64_t written;  /* bits of the arguments that are memory which it may write to ... */
	cl_mem memory[STUB_KERNEL_ARGUMENTS]; /* ... which is this one; borrowed */
};

#endif
