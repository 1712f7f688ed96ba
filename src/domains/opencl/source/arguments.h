/* SPDX-License-Identifier: MIT */
/* What the kernels of a program that was made of source only read, and what their bodies have (record
 * kernel_reads of schema/events/core.events), where arguments are recorded. */
#ifndef TANDEM_DOMAINS_OPENCL_SOURCE_ARGUMENTS_H
#define TANDEM_DOMAINS_OPENCL_SOURCE_ARGUMENTS_H

#include <stdint.h>

/* After clCreateProgramWithSource(), with what it was given; `program`: NULL if it failed. */
void opencl_source_arguments(const void *program, uint32_t count, const void *strings,
			     const void *lengths);

#endif
