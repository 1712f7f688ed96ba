/* SPDX-License-Identifier: MIT */
/* HIP's devices, by their ordinals. */
#ifndef TANDEM_DOMAINS_HIP_DEVICE_H
#define TANDEM_DOMAINS_HIP_DEVICE_H

#include <stdint.h>

/* Our number of the device, described. Outside of any record. */
uint32_t hip_device(uint32_t ordinal);

/* The thread's current device. */
uint32_t hip_device_current(void);
void hip_device_changed(void); /* it may be another */

#endif
