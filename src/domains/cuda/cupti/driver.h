/* SPDX-License-Identifier: MIT */
/* The few questions that we ask of the CUDA driver itself; 0 where it has no answer. */
#ifndef TANDEM_DOMAINS_CUDA_CUPTI_DRIVER_H
#define TANDEM_DOMAINS_CUDA_CUPTI_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void cuda_driver_find(void);
uint32_t cuda_driver_version(void);
bool cuda_driver_has_devices(void);
int32_t cuda_driver_attribute(uint32_t device, int32_t attribute);
uint64_t cuda_driver_memory_bytes(uint32_t device);
void cuda_driver_name(uint32_t device, char *name, int bytes);
bool cuda_driver_is_capturing(void *stream);
uint32_t cuda_driver_stream_flags(const void *stream); /* CU_STREAM_NON_BLOCKING: 1 */

/* Whether the host may read there: not what is the device's, nor managed memory, which the device
 * may have just then. Of an address that a call of the program has just read from. False where the
 * driver does not say. */
bool cuda_driver_is_host_memory(const void *address);

/* Of an array's elements; 0: not known. */
uint32_t cuda_driver_element_bytes(const void *array);

/* How many bytes each parameter of a kernel has, of which `most` are written, and how many there are;
 * UINT32_MAX: there are more, or the driver does not say. `function`: as cuLaunchKernel() takes it. */
uint32_t cuda_driver_parameters(const void *function, size_t *bytes, uint32_t most);

#endif
