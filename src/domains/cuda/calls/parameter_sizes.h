/* SPDX-License-Identifier: MIT */
/* How many 64-bit words each parameter of a kernel has. The driver is asked once for each kernel, as
 * that takes 200 ns a parameter, and where a kernel's parameters end the longest. One table of the
 * process, of fixed size, lock-free; any thread. */
#ifndef TANDEM_DOMAINS_CUDA_CALLS_PARAMETER_SIZES_H
#define TANDEM_DOMAINS_CUDA_CALLS_PARAMETER_SIZES_H

#include <stdbool.h>
#include <stdint.h>

/* A kernel with more is not looked at. */
#define CUDA_PARAMETERS_MOST 63u

struct cuda_parameter_sizes {
	uint8_t count;
	uint8_t words[CUDA_PARAMETERS_MOST]; /* whole ones; 255: so many or more */
};

/* `function`: as cuLaunchKernel() takes it, while it is loaded. False: the driver does not say, or there
 * are too many. */
bool cuda_parameter_sizes_find(const void *function, struct cuda_parameter_sizes *sizes);

/* Device code is unloaded: its functions' handles may be given to others. */
void cuda_parameter_sizes_forget(void);

#endif
