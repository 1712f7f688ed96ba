/* SPDX-License-Identifier: MIT */
/* CUPTI's callbacks: calls, contexts, streams, modules. */
#ifndef TANDEM_DOMAINS_CUDA_CALLS_CALLBACK_H
#define TANDEM_DOMAINS_CUDA_CALLS_CALLBACK_H

#include <stdbool.h>

/* Takes CUPTI. 0, or a CUptiResult. */
int cuda_subscribe(void);
void cuda_callbacks_switch(bool on);

/* This thread's calls under way end here, as far as CUPTI will say. */
void cuda_calls_close(void);

#endif
