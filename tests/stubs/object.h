/* SPDX-License-Identifier: MIT */
/* Objects of the stub driver: what every handle begins with, counted by type. */
#ifndef STUB_OBJECT_H
#define STUB_OBJECT_H

#include <CL/cl_icd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STUB_TYPES(X) \
	X(platform)   \
	X(device)     \
	X(context)    \
	X(queue)      \
	X(memory)     \
	X(program)    \
	X(kernel)     \
	X(event)      \
	X(sampler)    \
	X(command_buffer)

enum stub_type {
	STUB_none, /* so that memory full of zeros is no object */
#define X(name) STUB_##name,
	STUB_TYPES(X) STUB_TYPE_COUNT
#undef X
};

struct stub_object {
	cl_icd_dispatch *dispatch; /* first: the loader's part (cl_khr_icd) */
	enum stub_type type;
	_Atomic int references; /* 0: dead */
	struct stub_object *next_free;
};

extern cl_icd_dispatch stub_dispatch;

/* A zeroed object of `bytes` with one reference, or NULL. Any thread. */
void *stub_object_create(enum stub_type type, size_t bytes);

/* Whether `handle` is a live object of this type. A dead one, or one of another
 * type, is counted as misuse; null is not. */
bool stub_object_check(const void *handle, enum stub_type type);

void stub_object_retain(void *handle);

/* True when that was the last reference: the caller frees what hangs on it, and
 * then calls stub_object_free(). Over-release is counted, and is false. */
bool stub_object_release(void *handle);
void stub_object_free(void *handle);

/* For the report. */
long stub_object_live(enum stub_type type);
long stub_object_created(enum stub_type type);
long stub_object_misused(void);
extern const char *const stub_type_names[STUB_TYPE_COUNT];

#endif
