/* SPDX-License-Identifier: MIT */
/* The calls of the stub driver: every function starts with one of the ENTER
 * macros, which counts the call and makes it fail where STUB_FAIL says so.
 * Note that they return from the function.
 */
#ifndef STUB_CALLS_H
#define STUB_CALLS_H

#include <CL/cl.h>

#include "functions.h"

enum stub_function {
#define X(name) STUB_FN_##name,
	STUB_TABLE(X) STUB_EXTENSIONS(X)
#undef X
		STUB_FN_clGetExtensionFunctionAddress,
	STUB_FN_COUNT
};

/* Counts the call: CL_SUCCESS, or the error that it is to end with. */
cl_int stub_call(enum stub_function function);

#define ENTER(name)                                       \
	do {                                              \
		cl_int fail_ = stub_call(STUB_FN_##name); \
		if (fail_)                                \
			return fail_;                     \
	} while (0)

#define ENTER_HANDLE(name)                                    \
	do {                                                  \
		cl_int fail_ = stub_call(STUB_FN_##name);     \
		if (fail_)                                    \
			return stub_fail(errcode_ret, fail_); \
	} while (0)

#define ENTER_POINTER(name)                    \
	do {                                   \
		if (stub_call(STUB_FN_##name)) \
			return NULL;           \
	} while (0)

/* Sets the error code, if wanted. stub_fail() returns NULL. */
void *stub_fail(cl_int *errcode_ret, cl_int error);
void stub_succeed(cl_int *errcode_ret);

/* Reads STUB_FAIL; writes STUB_REPORT's line, which has
 * {"name","pid","live":{TYPE:n},"created":{TYPE:n},"misused":n,"calls":{FUNCTION:n}}.
 * Calls that come after it make it be written again: the last line counts. */
void stub_calls_start(void);
void stub_calls_report(const char *name);

#endif
