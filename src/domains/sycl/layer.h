/* SPDX-License-Identifier: MIT */
/* Calls of the layer below SYCL, when asked for: PI of the earlier generation, Unified Runtime
 * of the later one. */
#ifndef TANDEM_DOMAINS_SYCL_LAYER_H
#define TANDEM_DOMAINS_SYCL_LAYER_H

#include <stdint.h>

void sycl_layer_event(uint16_t type, const void *data);

#endif
