/* SPDX-License-Identifier: MIT */
#include "core/domain.h"

#include "domains/hsa/attach/attach.h"

const struct domain domain_hsa = {
	.at_fork = hsa_at_fork,
	.offered = hsa_offered,
};
