/* SPDX-License-Identifier: MIT */
/* Our numbers of OpenCL's objects, with a record of what each is. Any thread. */
#ifndef TANDEM_OPENCL_DESCRIBE_H
#define TANDEM_OPENCL_DESCRIBE_H

#include <stdint.h>

#include "domains/opencl/gen/next.h"
#include "schema/gen/core_records.h"

/* For an object met unannounced, and for a new one. */
void opencl_describe(unsigned type, void *handle, uint32_t number);
uint32_t opencl_created(unsigned type, void *handle);
uint32_t opencl_created_context(void *context, enum opencl_fn fn);
uint32_t opencl_created_kernel(void *kernel, enum opencl_fn fn, const void *program);
uint32_t opencl_created_program(void *program, enum opencl_fn fn, enum tandem_program_source source,
				const void *context, uint64_t bytes, uint64_t hash);

/* Of what a program was made of (schema/events/core.events); 0: not known. */
void opencl_program_hash_set(void *program, uint64_t hash);
uint64_t opencl_program_hash(void *program);

#endif
