/* SPDX-License-Identifier: MIT */
#include "core/domain.h"

#include "domains/cuda/drain.h"
#include "domains/cuda/inject.h"
#include "domains/cuda/switch.h"

const struct domain domain_cuda = {
	.switched = cuda_switched,
	.at_fork = cuda_inject_at_fork,
	.at_flush = cuda_drain_at_flush,
};
