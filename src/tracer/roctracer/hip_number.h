/* SPDX-License-Identifier: MIT */
/* HIP's numbers of its functions (HIP_API_ID_*), with which clients of ROCTracer were compiled: those
 * of the runtime that is here. Two versions of it have some that no other one has. */
#ifndef TANDEM_ROCTRACER_HIP_NUMBER_H
#define TANDEM_ROCTRACER_HIP_NUMBER_H

#include <stdint.h>

/* Finds out which runtime is loaded, if that is not known yet. Not in a traced call. */
void hip_number_begin(void);

/* The runtime's number of the tracer's function, and the function of such a number. The same where
 * nothing else is known. In traced calls too. */
uint32_t hip_number_of(uint32_t function);
uint32_t hip_number_function(uint32_t number);

#endif
