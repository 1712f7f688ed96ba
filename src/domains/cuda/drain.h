/* SPDX-License-Identifier: MIT */
/* What is finished is written at intervals, and at the exit. */
#ifndef TANDEM_DOMAINS_CUDA_DRAIN_H
#define TANDEM_DOMAINS_CUDA_DRAIN_H

void cuda_drain_begin(void);

/* A tool asks for what has completed (core/domain.h). */
void cuda_drain_at_flush(void);

#endif
