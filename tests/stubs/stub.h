/* SPDX-License-Identifier: MIT */
/* The stub OpenCL driver: two devices that move memory but run no kernel, and
 * that misbehave on request (config.h). It is loaded by the ICD loader, alone or
 * as two copies that differ in their names.
 *
 * Objects are counted, so that a test can say that nothing leaked and nothing
 * was released twice. One lock, stub_lock, guards everything that is not
 * atomic; it is never held while the program's code runs.
 */
#ifndef STUB_STUB_H
#define STUB_STUB_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "calls.h"
#include "config.h"
#include "object.h"

/* stub_F of every function F, with the types that the headers give it. */
#define X(name) __typeof__(*((cl_icd_dispatch *)NULL)->name) stub_##name;
STUB_TABLE(X)
#undef X
#define X(name) __typeof__(*(name##_fn)NULL) stub_##name;
STUB_EXTENSIONS(X)
#undef X

extern pthread_mutex_t stub_lock;
extern struct _cl_platform_id stub_platform;

enum { STUB_DEVICES = 2 };

struct _cl_platform_id {
	struct stub_object object;
};

struct _cl_device_id {
	struct stub_object object;
	cl_device_id parent; /* of a sub-device */
	cl_uint number;
};

struct _cl_context {
	struct stub_object object;
	cl_uint device_count;
	cl_device_id *devices;
	struct stub_callback *destructors;
};

struct _cl_sampler {
	struct stub_object object;
	cl_context context;
	cl_bool normalized;
	cl_addressing_mode addressing;
	cl_filter_mode filter;
};

/* A function of the program's, to be called once: the fields are those of the
 * kinds of callback taken together. */
struct stub_callback {
	struct stub_callback *next;
	union {
		void(CL_CALLBACK *event)(cl_event, cl_int, void *);
		void(CL_CALLBACK *memory)(cl_mem, void *);
		void(CL_CALLBACK *context)(cl_context, void *);
		void(CL_CALLBACK *program)(cl_program, void *);
	} call;
	cl_int status;	/* of an event: called at this status or a later one */
	cl_event event; /* of an event, while it waits for delivery: holds a reference */
	void *user_data;
};

/* Puts a callback in front of a list: the last one registered is called first.
 * CL_SUCCESS or CL_OUT_OF_HOST_MEMORY. */
cl_int stub_callback_add(struct stub_callback **list, struct stub_callback callback);

/* Answers a query: copies `data` as the OpenCL specification has it. */
cl_int stub_info(size_t size, void *value, size_t *size_ret, const void *data, size_t bytes);

/* In a function whose parameters have the usual names. */
#define INFO_BYTES(data, bytes) \
	return stub_info(param_value_size, param_value, param_value_size_ret, data, bytes)
#define INFO_TEXT(text) INFO_BYTES(text, strlen(text) + 1)
#define INFO(type, expression)                     \
	do {                                       \
		type info_ = (expression);         \
		INFO_BYTES(&info_, sizeof(info_)); \
	} while (0)

/* The address of the extension function of this name, or NULL. */
void *stub_extension_find(const char *name);

#endif
