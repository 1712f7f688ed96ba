/* SPDX-License-Identifier: MIT */
/* The shape of a launch: grid, block, memory of the block, registers. */
#ifndef TANDEM_DOMAINS_HIP_LAUNCH_H
#define TANDEM_DOMAINS_HIP_LAUNCH_H

#include <stdint.h>

/* `arguments`: of the call; `kernel`: our number of what it launches. Writes the shape where it
 * is new. 0: the function launches nothing by one grid. Outside of any record; any thread. */
uint32_t hip_launch_config(uint32_t function, const void *arguments, uint32_t kernel);

/* The stream of a launch whose arguments have it in a struct; NULL: of any other call. */
const void *hip_launch_stream(uint32_t function, const void *arguments);

#endif
