/* SPDX-License-Identifier: MIT */
/* Buffers, images and accessors, from the streams of those. Any thread. */
#ifndef TANDEM_DOMAINS_SYCL_BUFFER_H
#define TANDEM_DOMAINS_SYCL_BUFFER_H

#include <stdint.h>

#include "xpti/xpti_trace_framework.h"

/* The number of a buffer by the runtime's handle; 0: not known. */
uint32_t sycl_buffer_of(uint64_t handle);

/* enum tandem_access of SYCL 2020's access_mode: read, write, read_write, discard_write,
 * discard_read_write, atomic are numbered from 1024. */
uint8_t sycl_access(uint64_t mode);

/* What the stream of buffers, and that of images, reports. */
void sycl_buffer_event(uint16_t type, xpti_event_data_t *event, const void *data);
void sycl_image_event(uint16_t type, xpti_event_data_t *event, const void *data);

#endif
