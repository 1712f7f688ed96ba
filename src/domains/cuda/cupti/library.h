/* SPDX-License-Identifier: MIT */
/* CUPTI, found and opened. */
#ifndef TANDEM_DOMAINS_CUDA_CUPTI_LIBRARY_H
#define TANDEM_DOMAINS_CUDA_CUPTI_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

#include "domains/cuda/cupti/cupti.h"

/* Its functions and version; valid once cuda_library_open() gave 0. */
extern struct cupti cupti;
extern uint32_t cupti_version;

/* Opens it, the best candidate at attempt 0, the next at 1 and so on. 0, -ENOENT
 * (none), -ENOEXEC (only older ones). */
int cuda_library_open(unsigned attempt);

/* What records this process, as a record. */
void cuda_library_describe(bool own_clock);

#endif
