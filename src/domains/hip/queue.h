/* SPDX-License-Identifier: MIT */
/* Streams. The default stream is one for each device, and the per-thread default stream
 * one for each thread and device. */
#ifndef TANDEM_DOMAINS_HIP_QUEUE_H
#define TANDEM_DOMAINS_HIP_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

/* Our number of the stream, described. Outside of any record; any thread. */
uint32_t hip_queue(const void *stream);

void hip_queue_created(const void *stream);
void hip_queue_destroyed(const void *stream); /* before it is */

/* A queue of the device of which no call of the program's is known. */
uint32_t hip_queue_hardware(uint32_t device, uint64_t queue);

/* hipStreamPerThread. */
#define HIP_STREAM_PER_THREAD ((const void *)2)

#endif
