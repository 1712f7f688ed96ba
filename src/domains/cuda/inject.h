/* SPDX-License-Identifier: MIT */
/* Whether CUDA's driver has brought us in. */
#ifndef TANDEM_DOMAINS_CUDA_INJECT_H
#define TANDEM_DOMAINS_CUDA_INJECT_H

/* In the child of a fork: CUDA is of no use there once the parent has it. */
void cuda_inject_at_fork(void);

#endif
