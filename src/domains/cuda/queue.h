/* SPDX-License-Identifier: MIT */
/* Contexts and streams: our number of one, with a record where it was not known.
 * Activity names them by small numbers of CUPTI's, calls by handles: both lead to one
 * number of ours. */
#ifndef TANDEM_DOMAINS_CUDA_QUEUE_H
#define TANDEM_DOMAINS_CUDA_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

/* By CUPTI's numbers; where the pages of unified memory move; by the program's handle
 * (TANDEM_OBJECT_UNKNOWN where CUPTI does not know it). */
uint32_t cuda_queue(uint32_t device, uint32_t context, uint32_t stream);
uint32_t cuda_unified_queue(uint32_t device);
uint32_t cuda_queue_of(void *context, uint32_t context_id, const void *stream, bool per_thread);

void cuda_queue_created(void *context, void *stream);
void cuda_queue_destroyed(void *stream);

#endif
