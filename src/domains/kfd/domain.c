/* SPDX-License-Identifier: MIT */
#include "core/domain.h"
#include "domains/kfd/symbol.h"

const struct domain domain_kfd = {
	.interposes = "hsaKmt",
	.looked_up = kfd_looked_up,
};
