/* SPDX-License-Identifier: MIT */
/* libnvrtc's functions by the numbers of their events: what their records are and how they are
 * filled (gen/api.c). */
#ifndef TANDEM_DOMAINS_NVRTC_FUNCTIONS_H
#define TANDEM_DOMAINS_NVRTC_FUNCTIONS_H

#include <stdint.h>

#include "core/call/arguments.h"

extern const struct arguments_step nvrtc_steps[];
extern const struct arguments_function nvrtc_functions[];
extern const uint32_t nvrtc_function_count;
extern const char *const nvrtc_function_names[];

#endif
