/* SPDX-License-Identifier: MIT */
/* When CUPTI is on. */
#ifndef TANDEM_DOMAINS_CUDA_SWITCH_H
#define TANDEM_DOMAINS_CUDA_SWITCH_H

void cuda_switch_begin(void); /* before CUPTI is set up: nothing is on */
void cuda_switch_ready(void); /* CUPTI can be switched */

/* Switches it on or off, as the session and the program's marks have it now. */
void cuda_switch(void);

/* The program's marks, or what this process wants, have changed (core/domain.h). */
void cuda_switched(void);

#endif
