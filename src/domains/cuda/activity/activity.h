/* SPDX-License-Identifier: MIT */
/* CUPTI's activity: what was asked for, less what CUPTI refuses. */
#ifndef TANDEM_DOMAINS_CUDA_ACTIVITY_ACTIVITY_H
#define TANDEM_DOMAINS_CUDA_ACTIVITY_ACTIVITY_H

#include <stdbool.h>

void cuda_activity_begin(void);
void cuda_activity_switch(bool on);
void cuda_activity_unified(void); /* managed memory is in use from now on */

/* Whether CUPTI holds a buffer that may have something in it. */
bool cuda_activity_outstanding(void);

#endif
