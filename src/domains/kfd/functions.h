/* SPDX-License-Identifier: MIT */
/* libhsakmt's functions by the numbers of their events: what their records are and how they are
 * filled (gen/api.c). */
#ifndef TANDEM_DOMAINS_KFD_FUNCTIONS_H
#define TANDEM_DOMAINS_KFD_FUNCTIONS_H

#include <stdint.h>

#include "core/call/arguments.h"

extern const struct arguments_step kfd_steps[];
extern const struct arguments_function kfd_functions[];
extern const uint32_t kfd_function_count;
extern const char *const kfd_function_names[];

#endif
