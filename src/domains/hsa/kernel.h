/* SPDX-License-Identifier: MIT */
/* Kernels by their code objects' handles, which dispatches name. */
#ifndef TANDEM_DOMAINS_HSA_KERNEL_H
#define TANDEM_DOMAINS_HSA_KERNEL_H

#include <stdint.h>

/* An executable's kernels can be dispatched from now on. */
void hsa_kernels_loaded(uint64_t executable);

/* Our number of the kernel; 0: not known. Outside of any record. */
uint32_t hsa_kernel(uint64_t kernel_object);

/* Vector registers of a work-item, on a processor of that name (0x90a: gfx90a) whose waves have so
 * many work-items; 0: not known. */
uint32_t hsa_kernel_registers(uint64_t kernel_object, uint32_t gfx, uint32_t wave_items);

#endif
