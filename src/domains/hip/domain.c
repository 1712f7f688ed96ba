/* SPDX-License-Identifier: MIT */
#include "core/domain.h"

#include "domains/hip/attach/attach.h"
#include "domains/hip/attach/symbols.h"

const struct domain domain_hip = {
	.switched = hip_switched,
	.at_fork = hip_at_fork,
	.offered = hip_offered,
	.interposes = "hip",
	.looked_up = hip_looked_up,
};
